import {
  _INTERNAL_captureLog,
  _INTERNAL_captureSerializedLog,
  type Client,
  type DataCategory,
  getCurrentScope,
  triggerHandlers,
  withScope,
} from "@sentry/core/browser";
import { captureException, captureReactException } from "@sentry/react";
import { type Call, type CallQueue, type ErrorCall, KIND_OF, type LogCall } from "./call_queue.ts";
import type { Consent } from "./consent.ts";
import { type EarlyError, takeEarlyErrors } from "./early_errors.ts";
import { startNavigation } from "./page_trace.ts";

/**
 * Captures the early errors and queued calls in the order of their times, and from now on every call
 * immediately, as far as consent covers them. The page load's span must have started: they belong to its trace.
 */
export function captureCalls(client: Client, queue: CallQueue, { allows }: Consent): void {
  const early = takeEarlyErrors();
  const { calls, overflow } = queue.take();
  const inOrder = [
    ...early.errors.filter(({ at }) => allows("errors", at))
      .map((error) => ({ at: error.at, capture: () => captureEarly(error) })),
    ...calls.map((call) => ({ at: call.at, capture: () => capture(call) })),
  ].sort((one, other) => one.at - other.at);
  for (const { capture } of inOrder) capture();
  queue.open(capture);

  function capture(call: Call): void {
    if (allows(KIND_OF[call.kind], call.at)) captureCall(client, call);
  }
  const count = (category: DataCategory, lost: number) =>
    lost > 0 && client.recordDroppedEvent("queue_overflow", category, lost);
  count("error", early.overflow + overflow.error);
  count("log_item", overflow.log);
}

function captureCall(client: Client, call: Call): void {
  if (call.kind === "error") captureError(call);
  else if (call.kind === "log") captureLog(call);
  else startNavigation(client, call);
}

function captureError({ at, error, componentStack, handled, eventId }: ErrorCall): void {
  withTimestamp(at, () => {
    if (componentStack === undefined) {
      captureException(error, { event_id: eventId, mechanism: { handled, type: "generic" } });
      return;
    }
    captureReactException(error, { componentStack }, {
      captureContext: { contexts: { react: { componentStack } } },
      mechanism: { handled, type: "auto.function.react.error_boundary" },
    });
  });
}

/** Passes an early error to the SDK's own handlers, as if it were thrown now. */
function captureEarly({ event, at }: EarlyError): void {
  withTimestamp(at, () => {
    if (!("message" in event)) return triggerHandlers("unhandledrejection", event);
    const { message: msg, filename: url, lineno: line, colno: column, error } = event;
    triggerHandlers("error", { msg, url, line, column, error });
  });
}

/** Runs `capture`, and gives its events this time (milliseconds since 1970). */
function withTimestamp(at: number, capture: () => void): void {
  withScope((scope) => {
    scope.addEventProcessor((event) => ({ ...event, timestamp: at / 1000 }));
    capture();
  });
}

function captureLog({ at, level, message, attributes }: LogCall): void {
  _INTERNAL_captureLog({ level, message, attributes }, getCurrentScope(), (client, log) => {
    _INTERNAL_captureSerializedLog(client, { ...log, timestamp: at / 1000 });
  });
}
