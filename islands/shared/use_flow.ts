import { useSyncExternalStore } from "react";
import { describeOutcome } from "../../components/outcome.ts";
import { snapshot as telemetry, subscribe as onTelemetry } from "../../monitoring/browser/mod.ts";
import {
  addSent,
  countReceipts,
  EMPTY_FLOW,
  type Flow,
  NOTHING_SENT,
  type SentTotals,
} from "./flow.ts";

/** Results of this page's envelopes since it was opened. */
interface FlowSnapshot {
  readonly flow: Flow;
  readonly sent: SentTotals;
  /** Time of the oldest envelope that waits in this page; undefined: none does. */
  readonly waitingSince?: number | undefined;
}

/*
 * Outside of React, because a client navigation renders the islands anew and the counts must stay. Receipts from
 * before this module was loaded are still in the list.
 */
let state: FlowSnapshot = { flow: EMPTY_FLOW, sent: NOTHING_SENT };
const listeners = new Set<() => void>();

function update(): void {
  const { receipts } = telemetry();
  const waiting = receipts.filter((receipt) => {
    const { kind, word } = describeOutcome(receipt);
    return kind === "waits" && word !== "spooled";
  });
  state = {
    flow: countReceipts(state.flow, receipts),
    sent: addSent(state.sent, receipts),
    waitingSince: waiting.at(-1)?.at,
  };
  for (const listener of listeners) listener();
}
update();
onTelemetry(update);

/** Calls `listener` when the counts change; returns the function that stops it. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The counts; the same object until they change. */
export const snapshot = (): FlowSnapshot => state;

/** The counts; renders the component again when they change. */
export function useFlow(): FlowSnapshot {
  return useSyncExternalStore(subscribe, snapshot, snapshot);
}
