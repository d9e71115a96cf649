/**
 * The one public module of browser telemetry. It is in the first bundle, so it stays tiny: it keeps
 * state and calls, and loads the SDK once the page has loaded and is idle. Everything else in this
 * folder is in chunks that are fetched then.
 *
 * Deliberately not here: the SDK's own functions. Spans are made with `@opentelemetry/api`.
 */
import type { ClientConfig } from "./client_config.ts";
import { takeEarlyErrors } from "./early.ts";
import { countUnstarted } from "./journal_entry.ts";
import {
  type Call,
  createPendingCalls,
  type LogAttributes,
  type LogLevel,
} from "./pending_calls.ts";
import { createTelemetryStore } from "./telemetry_state.ts";
import { createVisitTape, type VisitTape } from "./visit_tape.ts";
import { whenLoadedAndIdle } from "./when_idle.ts";

export type { ClientConfig } from "./client_config.ts";
export type { LogAttributes, LogLevel } from "./pending_calls.ts";
export type { Receipt, ReceiptItem } from "./receipt.ts";
export type { Stretch, TelemetryState } from "./telemetry_state.ts";
export type { TapedEnvelope, VisitTape } from "./visit_tape.ts";

// Taken before the SDK patches it: what the transport sends must not be traced.
const nativeFetch = globalThis.fetch.bind(globalThis);
const store = createTelemetryStore();
const pending = createPendingCalls();
const recorder = createVisitTape();
let started = false;

/** Calls `listener` after the state changed; returns how to stop. */
export const subscribe = store.subscribe;

/** The state of this page's telemetry; the same object until it changes. */
export const snapshot = store.snapshot;

/** What this visit has made: its spans and envelopes, for who looks at them on the page itself. */
export const tape: VisitTape = recorder;

/** Loads telemetry once the page has loaded and is idle. Never throws; a second call does nothing. */
export function start(config: ClientConfig): void {
  if (started) return;
  started = true;
  addEventListener("pagehide", () => {
    // Taken, not only read: a page that returns from the back/forward cache must not report them too.
    const { errors, overflow: earlyOverflow } = takeEarlyErrors(false);
    const { calls, overflow } = pending.take();
    const count = (one: Call["kind"]) =>
      calls.filter(({ kind }) => kind === one).length + overflow[one];
    countUnstarted(errors.length + earlyOverflow + count("error"), count("log"));
  });
  whenLoadedAndIdle(async () => {
    store.update({ phase: "loading" });
    try {
      const { startTelemetry } = await import("./start_telemetry.ts");
      startTelemetry({ config, fetch: nativeFetch, store, pending, tape: recorder });
      store.update({ phase: "running" });
    } catch (error) {
      // Blocked, offline, or a browser that the SDK cannot work in: the page continues and says so, and
      // the next page whose SDK starts reports how much this one has lost.
      store.update({ phase: "failed", recording: "off", reason: reasonOf(error) });
    }
  });
}

/**
 * Reports an error, now or as soon as the SDK is there, with the time of this call.
 *
 * @param error what was thrown
 * @param details `componentStack`: React's, where a component failed; `handled`: whether the reader
 * was spared the failure (default: false)
 */
export function captureError(
  error: unknown,
  { componentStack, handled = false }: { componentStack?: string; handled?: boolean } = {},
): void {
  pending.add({ kind: "error", at: Date.now(), error, componentStack, handled });
}

/** Writes a structured log, now or as soon as the SDK is there, with the time of this call. */
export function log(level: LogLevel, message: string, attributes?: LogAttributes): void {
  pending.add({ kind: "log", at: Date.now(), level, message, attributes });
}

/**
 * Says that the page goes to another of its addresses, or to its own again: what happens from here
 * on is a trace of its own.
 *
 * @param navigation `url`: where to, absolute; `at`: when it began, milliseconds since the epoch
 */
export function navigated({ url, at }: { url: string; at: number }): void {
  pending.add({ kind: "navigation", at, url });
}

/** The reason without addresses: the state is shown on the page. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/:?\s*\S+:\/\/\S+/g, "");
}
