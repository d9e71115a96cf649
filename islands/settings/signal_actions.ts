import { formatDuration } from "../../components/format.ts";
import { captureError, loadOpenTelemetry } from "../../monitoring/browser/mod.ts";
import { runInSpan } from "../shared/manual_span.ts";

/*
 * One function for each control of `Signals.tsx`. It makes the signal and returns a sentence for the page.
 */

/** Milliseconds; well above the duration of the page's own requests. */
export const SLOW_MS = 1500;
/** Milliseconds; a task is long from 50 ms on (https://www.w3.org/TR/longtasks-1/). */
export const LONG_TASK_MS = 200;
export const FAILING_STATUS = 503;

export const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** Reported by the window's `error` event. */
export function throwUncaught(): string {
  queueMicrotask(() => {
    throw new Error("Uncaught error, made on the page");
  });
  return "An uncaught error was thrown.";
}

/** Reported by the window's `unhandledrejection` event. */
export function rejectUnhandled(): string {
  void Promise.reject(new Error("Unhandled rejection, made on the page"));
  return "A promise was rejected and not handled.";
}

/** Caught, and reported by the code that caught it. */
export function handleError(): string {
  try {
    throw new Error("Handled error, made on the page");
  } catch (error) {
    captureError(error, { handled: true });
    return "An error was caught and handled.";
  }
}

/** The server responds after a delay. */
export const requestSlowly = () => request(`/signal?delay_ms=${SLOW_MS}`);

/** The server responds with an error status. */
export const requestFailure = () => request(`/signal?status=${FAILING_STATUS}`);

/** The server's handler throws. */
export const requestServerError = () => request("/signal?throw=true");

/** Blocks the main thread. */
export function blockMainThread(): string {
  const end = performance.now() + LONG_TASK_MS;
  while (performance.now() < end);
  return `The main thread was blocked for ${formatDuration(LONG_TASK_MS)}.`;
}

/** A span with a request as its child. */
export async function createManualSpan(): Promise<string> {
  const api = await loadOpenTelemetry().catch(() => undefined);
  if (api === undefined) return `No span: telemetry did not load. ${await requestBriefly()}`;
  return `A manual span was created. ${await runInSpan(api.trace, "manual span", requestBriefly)}`;
}

const requestBriefly = () => request("/signal?delay_ms=80");

async function request(address: string): Promise<string> {
  const start = performance.now();
  const duration = () => formatDuration(performance.now() - start);
  try {
    const response = await fetch(address, { cache: "no-store" });
    const result = `Response with status ${response.status} after ${duration()}.`;
    // The server explains a status other than the requested one.
    const { detail } = Object(await response.json().catch(() => undefined)) as { detail?: unknown };
    return typeof detail === "string" ? `${result} ${detail}` : result;
  } catch (error) {
    return `No response after ${duration()}: ${error}`;
  }
}
