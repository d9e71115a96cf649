import { logToConsole } from "./console_log.ts";
import type { Runtime, RuntimeOptions } from "./telemetry.ts";

const REPORT_CRASH_MS = 2_000;

const consoleRuntime: Runtime = {
  observe: () => undefined,
  onError: (error) => console.error(error),
  reportCrash: () => Promise.resolve(),
  log: logToConsole,
  flush: () => Promise.resolve(true),
  stop: () => Promise.resolve(),
};

let started = consoleRuntime;

/** Starts the server's own telemetry. If that fails, logs the error and returns a runtime that only uses the console. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  try {
    // A dynamic import, so that a package that fails while it loads is caught too.
    const { startTelemetry } = await import("./telemetry.ts");
    started = startTelemetry(options);
  } catch (error) {
    logToConsole("error", "The server's own telemetry did not start; the server runs without it.");
    console.error(error);
  }
  return started;
}

/** From now on an uncaught error is logged through `console` and reported before it ends the process with code 1. */
export function reportCrashes(): void {
  let isEnding = false;
  const crash = (event: Event, kind: string, error: unknown) => {
    // Without this the process ends immediately.
    event.preventDefault();
    console.error(`error: ${kind}`, error);
    if (isEnding) return;
    isEnding = true;
    const end = () => Deno.exit(1);
    // Ends the process even if the report never completes, and keeps it running until then.
    setTimeout(end, REPORT_CRASH_MS + 500);
    started.reportCrash(error, REPORT_CRASH_MS).then(end, end);
  };
  addEventListener("error", (event) => crash(event, "Uncaught", event.error));
  addEventListener(
    "unhandledrejection",
    (event) => crash(event, "Uncaught (in promise)", event.reason),
  );
}
