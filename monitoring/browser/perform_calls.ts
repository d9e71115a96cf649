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
import { type EarlyError, takeEarlyErrors } from "./early.ts";
import type { Call, ErrorCall, LogCall, PendingCalls } from "./pending_calls.ts";
import { startNavigation } from "./start_navigation.ts";

/**
 * Reports what happened before the SDK was there, in the order in which it happened, and from now on
 * every call at once. The page load must be under way: it is what they belong to.
 */
export function performPending(client: Client, pending: PendingCalls): void {
  const early = takeEarlyErrors();
  const { calls, overflow } = pending.take();
  const inOrder = [
    ...early.errors.map((error) => ({ at: error.at, perform: () => reportEarly(error) })),
    ...calls.map((call) => ({ at: call.at, perform: () => performCall(client, call) })),
  ].sort((one, other) => one.at - other.at);
  for (const { perform } of inOrder) perform();
  pending.open((call) => performCall(client, call));

  const count = (category: DataCategory, lost: number) =>
    lost > 0 && client.recordDroppedEvent("queue_overflow", category, lost);
  count("error", early.overflow + overflow.error);
  count("log_item", overflow.log);
}

function performCall(client: Client, call: Call): void {
  if (call.kind === "error") reportError(call);
  else if (call.kind === "log") writeLog(call);
  else startNavigation(client, call);
}

function reportError({ at, error, componentStack, handled }: ErrorCall): void {
  atTime(at, () => {
    if (componentStack === undefined) {
      captureException(error, { mechanism: { handled, type: "generic" } });
      return;
    }
    captureReactException(error, { componentStack }, {
      captureContext: { contexts: { react: { componentStack } } },
      mechanism: { handled, type: "auto.function.react.error_boundary" },
    });
  });
}

/** An early error is given to the SDK's own handlers, as if it were thrown now. */
function reportEarly({ event, at }: EarlyError): void {
  atTime(at, () => {
    if (!("message" in event)) return triggerHandlers("unhandledrejection", event);
    const { message: msg, filename: url, lineno: line, colno: column, error } = event;
    triggerHandlers("error", { msg, url, line, column, error });
  });
}

/** Runs a report whose events are from another time than now. */
function atTime(at: number, report: () => void): void {
  withScope((scope) => {
    scope.addEventProcessor((event) => ({ ...event, timestamp: at / 1000 }));
    report();
  });
}

function writeLog({ at, level, message, attributes }: LogCall): void {
  _INTERNAL_captureLog({ level, message, attributes }, getCurrentScope(), (client, log) => {
    _INTERNAL_captureSerializedLog(client, { ...log, timestamp: at / 1000 });
  });
}
