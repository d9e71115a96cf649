import { useEffect, useState } from "react";
import { log } from "../../monitoring/browser/mod.ts";
import type { LogLevel } from "../../monitoring/protocol/log_levels.ts";
import { SendTestSignals } from "../pipeline/SendTestSignals.tsx";
import { createManualSpan, handleError } from "../pipeline/test_signals.ts";

/** DOM event by which a browser test asks for a signal. Pages of other origins cannot dispatch it. */
const TEST_EVENT = "sightglass:test-signal";
export type TestSignal = "uncaught" | "rejection" | "handled" | "component" | "span" | LogLevel;
/** Its `detail`. */
export interface TestRequest {
  readonly signal: TestSignal;
  /** Set by the page: resolves when the signal was made. */
  made?: Promise<void>;
}

export function Signals() {
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const make = (event: Event) => {
      const request = (event as CustomEvent<TestRequest>).detail;
      if (request.signal === "component") setBroken(true);
      // In a microtask: the code of the test is not in the stack traces.
      request.made = new Promise((resolve) =>
        queueMicrotask(() => resolve(makeSignal(request.signal)))
      );
    };
    document.addEventListener(TEST_EVENT, make);
    return () => document.removeEventListener(TEST_EVENT, make);
  }, []);
  if (isBroken) throw new Error("Component error, made on the page");
  return <SendTestSignals />;
}

async function makeSignal(signal: TestSignal): Promise<void> {
  if (signal === "uncaught") {
    // Reported by the window's `error` event, the next one by `unhandledrejection`.
    queueMicrotask(() => {
      throw new Error("Uncaught error, made on the page");
    });
  } else if (signal === "rejection") {
    void Promise.reject(new Error("Unhandled rejection, made on the page"));
  } else if (signal === "handled") handleError();
  else if (signal === "span") await createManualSpan();
  else if (signal !== "component") {
    log(signal, `A log of level ${signal}, made on the page`, { made_by: "signals" });
  }
}
