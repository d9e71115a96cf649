/**
 * The public module of browser telemetry. It is part of the first bundle, so it is small: it holds state
 * and queues calls, and loads the SDK once the page has loaded and is idle. The rest of this folder is in
 * chunks that are loaded then.
 *
 * Deliberately not here: the SDK's functions. Spans are made with `@opentelemetry/api`.
 */
import type { LogAttributes, LogLevel } from "../protocol/log_levels.ts";
import { createCallQueue, type ErrorCall } from "./call_queue.ts";
import type { ClientConfig } from "./client_config.ts";
import { createConsent, type SignalKind } from "./consent.ts";
import { JournalWriter, localStorageIfAllowed } from "./delivery/journal_writer.ts";
import { journalUndelivered, type Undelivered } from "./delivery/undelivered.ts";
import { peekEarlyErrors } from "./early_errors.ts";
import { createTelemetryStore } from "./telemetry_state.ts";
import { createSessionData, type SessionData } from "./session_data.ts";
import { untilIdle, whenIdle, whenLoadedAndIdle } from "./when_idle.ts";

export type { SignalKind } from "./consent.ts";
export { INITIAL_STATE, type Receipt, type TelemetryState } from "./telemetry_state.ts";
export type { SessionData, SessionEnvelope } from "./session_data.ts";

// From before the SDK patches it: requests of the transport must not be traced.
const nativeFetch = globalThis.fetch.bind(globalThis);
const store = createTelemetryStore();
const queue = createCallQueue(() => journalQueued());
const session = createSessionData();
const consent = createConsent((state, isStored) => {
  store.update({ consent: state, isConsentStored: isStored });
  journalQueued();
});
let started = false;
/** Reads the choices of this browser, at the first call. To call before they are used or changed. */
let readConsent = () => {};

/** Not opened while islands are hydrated, if nothing has failed: the first access to `localStorage` waits for the disk. */
let opened: JournalWriter | undefined;
const journal = () => opened ??= new JournalWriter(localStorageIfAllowed());
const journalQueued = journalUndelivered(journal, countQueued);

/** What waits for the SDK. */
function countQueued(): Undelivered {
  readConsent();
  const early = peekEarlyErrors();
  const { calls, overflow } = queue.peek();
  const allowed = (kind: SignalKind, of: readonly { readonly at: number }[]) =>
    of.filter(({ at }) => consent.allows(kind, at)).length;
  const errors = [...early.errors, ...calls.filter(({ kind }) => kind === "error")];
  return {
    error: allowed("errors", errors) + early.overflow + overflow.error,
    log_item: allowed("logs", calls.filter(({ kind }) => kind === "log")) + overflow.log,
  };
}

/** Sends what the SDK buffers: spans, logs, and the recording until now. Without effect until it runs. */
export let flush: () => void = () => {};

/** Calls `listener` after changes of the state; returns a function that stops it. */
export const subscribe = store.subscribe;

/** The state of this page's telemetry; the same object until something changes. */
export const snapshot = store.snapshot;

/** Envelopes of this session, for the page's own views. */
export const sessionData: SessionData = session;

/** Loads telemetry once the page has loaded and is idle. Never throws. Later calls have no effect. */
export function start(config: ClientConfig): void {
  if (started) return;
  started = true;
  readConsent = () => {
    readConsent = () => {};
    consent.start(config.consent === "required" ? Infinity : 0);
  };
  // Not while islands are hydrated: the first access to `localStorage` waits for the disk.
  whenIdle(() => readConsent());
  if (peekEarlyErrors().errors.length > 0) journalQueued();
  for (const type of ["error", "unhandledrejection"]) addEventListener(type, journalQueued);
  whenLoadedAndIdle(async () => {
    readConsent();
    store.update({ phase: "loading" });
    try {
      const { startTelemetry } = await loadOpenTelemetry();
      // Evaluating the SDK and starting it would be one long task.
      await untilIdle();
      flush = await startTelemetry({
        config,
        fetch: nativeFetch,
        store,
        queue,
        session,
        consent,
        recording,
      });
      // The delivery has what was queued.
      journalQueued();
      store.update({ phase: "running" });
    } catch (error) {
      // Blocked, offline, or an unsupported browser. A later page reports how much this one has lost.
      store.update({ phase: "failed", recording: "off", reason: reasonOf(error) });
    }
  });
}

/** Loads the SDK, and OpenTelemetry's API with it: both are in one file. */
export const loadOpenTelemetry = () => import("./start_telemetry.ts");
const recording = () => import("./recording_chunk.ts");

/** Allows this browser to collect and send a kind of signal, from now on, in all tabs and after reloads. */
export const grant = (kind: SignalKind): void => setConsent(kind, true);

/**
 * Stops collecting and sending a kind of signal, in all tabs and after reloads, and deletes what this browser has not
 * sent of it. Neither is reported as lost. If the browser stores nothing, it holds for this page only.
 */
export const withdraw = (kind: SignalKind): void => setConsent(kind, false);

function setConsent(kind: SignalKind, isGranted: boolean): void {
  readConsent();
  consent.set(kind, isGranted);
}

/**
 * Reports an error with the time of this call, as soon as the SDK has started.
 *
 * @param details `componentStack`: React's, if a component failed; `handled`: whether the page handled
 * the failure (default: false); `eventId`: 32 hexadecimal digits (default: random)
 */
export function captureError(
  error: unknown,
  { handled = false, ...details }: Partial<
    Pick<ErrorCall, "componentStack" | "handled" | "eventId">
  > = {},
): void {
  queue.add({ kind: "error", at: Date.now(), error, handled, ...details });
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
