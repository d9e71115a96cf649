/**
 * The public module of browser telemetry. It is part of the first bundle, so it is small: it holds state
 * and queues calls, and loads the SDK once the page has loaded and is idle. The rest of this folder is in
 * chunks that are loaded then.
 *
 * Deliberately not here: the SDK's functions. Spans are made with `@opentelemetry/api`.
 */
import { type Call, createCallQueue, type LogAttributes, type LogLevel } from "./call_queue.ts";
import type { ClientConfig } from "./client_config.ts";
import { countUnstarted } from "./delivery/journal_entry.ts";
import { takeEarlyErrors } from "./early_errors.ts";
import { createTelemetryStore } from "./telemetry_state.ts";
import { createVisitData, type VisitData } from "./visit_data.ts";
import { untilIdle, whenLoadedAndIdle } from "./when_idle.ts";

export type { Receipt, TelemetryState } from "./telemetry_state.ts";

// From before the SDK patches it: requests of the transport must not be traced.
const nativeFetch = globalThis.fetch.bind(globalThis);
const store = createTelemetryStore();
const queue = createCallQueue();
const visit = createVisitData();
let started = false;

/** Calls `listener` after changes of the state; returns a function that stops it. */
export const subscribe = store.subscribe;

/** The state of this page's telemetry; the same object until something changes. */
export const snapshot = store.snapshot;

/** Spans and envelopes of this visit, for the page's own views. */
export const visitData: VisitData = visit;

/** Loads telemetry once the page has loaded and is idle. Never throws. Later calls have no effect. */
export function start(config: ClientConfig): void {
  if (started) return;
  started = true;
  addEventListener("pagehide", () => {
    // Empties the queues: a page that returns from the back/forward cache must not report them again.
    const { errors, overflow: earlyOverflow } = takeEarlyErrors(false);
    const { calls, overflow } = queue.take();
    const count = (one: Call["kind"]) =>
      calls.filter(({ kind }) => kind === one).length + overflow[one];
    countUnstarted(errors.length + earlyOverflow + count("error"), count("log"));
  });
  whenLoadedAndIdle(async () => {
    store.update({ phase: "loading" });
    try {
      const { startTelemetry } = await import("./start_telemetry.ts");
      // Evaluating the SDK and starting it would be one long task.
      await untilIdle();
      startTelemetry({ config, fetch: nativeFetch, store, queue, visit });
      store.update({ phase: "running" });
    } catch (error) {
      // Blocked, offline, or an unsupported browser. A later page reports how much this one has lost.
      store.update({ phase: "failed", recording: "off", reason: reasonOf(error) });
    }
  });
}

/**
 * Reports an error with the time of this call, as soon as the SDK has started.
 *
 * @param error the thrown value
 * @param details `componentStack`: React's, if a component failed; `handled`: whether the page handled
 * the failure (default: false)
 */
export function captureError(
  error: unknown,
  { componentStack, handled = false }: { componentStack?: string; handled?: boolean } = {},
): void {
  queue.add({ kind: "error", at: Date.now(), error, componentStack, handled });
}

/** Writes a structured log with the time of this call, as soon as the SDK has started. */
export function log(level: LogLevel, message: string, attributes?: LogAttributes): void {
  queue.add({ kind: "log", at: Date.now(), level, message, attributes });
}

/**
 * Starts the trace of a navigation within the page.
 *
 * @param navigation `url`: the target, absolute; `at`: its start, milliseconds since 1970
 */
export function navigated({ url, at }: { url: string; at: number }): void {
  queue.add({ kind: "navigation", at, url });
}

/** The error's message without addresses, for the page. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/:?\s*\S+:\/\/\S+/g, "");
}
