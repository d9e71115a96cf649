import { formatDuration } from "../../components/format.ts";
import { captureError } from "../../monitoring/browser/mod.ts";

/** Milliseconds; well above what the page itself takes. */
export const SLOW_MS = 1500;
/** Milliseconds; a task is long from 50 ms on (https://www.w3.org/TR/longtasks-1/). */
export const LONG_TASK_MS = 200;
export const FAILING_STATUS = 503;

export const levels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** Nobody catches it: the window's `error` event has it. */
export function throwUncaught(): string {
  queueMicrotask(() => {
    throw new Error("Uncaught error, made on the page");
  });
  return "An uncaught error was thrown.";
}

/** Nobody handles it: the window's `unhandledrejection` event has it. */
export function rejectUnhandled(): string {
  void Promise.reject(new Error("Unhandled rejection, made on the page"));
  return "A promise was rejected and nobody handles it.";
}

/** Caught by the code that knows what to do, and reported all the same. */
export function handleError(): string {
  try {
    throw new Error("Handled error, made on the page");
  } catch (error) {
    captureError(error, { handled: true });
    return "An error was handled and reported.";
  }
}

/** Asks this server for an answer after a delay. */
export function requestSlowly(): Promise<string> {
  return request(`/signal?delay_ms=${SLOW_MS}`);
}

/** Asks this server for an answer that says no. */
export function requestInVain(): Promise<string> {
  return request(`/signal?status=${FAILING_STATUS}`);
}

/** Asks this server for an answer that its handler fails to give. */
export function requestError(): Promise<string> {
  return request("/signal?throw=true");
}

/** Keeps the main thread, so that nothing else on the page answers meanwhile. */
export function blockMainThread(): string {
  const end = performance.now() + LONG_TASK_MS;
  while (performance.now() < end);
  return `The main thread was kept for ${formatDuration(LONG_TASK_MS)}.`;
}

/** A span made by hand with a fetch under it. Its code is fetched when it is first wanted. */
export async function measureByHand(): Promise<string> {
  const { measure } = await import("./measure.ts");
  return `A span was made by hand. ${await measure(requestBriefly)}`;
}

const requestBriefly = () => request("/signal?delay_ms=80");

async function request(address: string): Promise<string> {
  const start = performance.now();
  try {
    const response = await fetch(address, { cache: "no-store" });
    const answered = `The request was answered ${response.status} after ${since(start)}.`;
    // The server's reason, where it answered something else than it was asked for.
    const { detail } = Object(await response.json().catch(() => undefined)) as { detail?: unknown };
    return typeof detail === "string" ? `${answered} ${detail}` : answered;
  } catch (error) {
    return `The request got no answer after ${since(start)}: ${error}`;
  }
}

const since = (start: number) => formatDuration(performance.now() - start);
