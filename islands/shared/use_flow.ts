import { useSyncExternalStore } from "react";
import { advance, type Flow, still } from "./flow.ts";
import { nothingSent, type Sent, sum } from "./sent.ts";
import { judge } from "../../components/verdict.ts";
import { snapshot as telemetry, subscribe as onTelemetry } from "../../monitoring/browser/mod.ts";

/** What this page's envelopes have come to, since the page was opened. */
export interface FlowSnapshot {
  readonly flow: Flow;
  readonly sent: Sent;
  /** When the oldest envelope that waits in this page was made; undefined: none does. */
  readonly waitingSince?: number | undefined;
}

/*
 * Counted outside of React: islands are made anew by each navigation, and what has passed stays
 * passed. The list of receipts is long enough to hold all that came before this module did.
 */
let state: FlowSnapshot = { flow: still, sent: nothingSent };
const listeners = new Set<() => void>();

function count(): void {
  const { receipts } = telemetry();
  const waiting = receipts.filter((receipt) => {
    const { kind, word } = judge(receipt);
    return kind === "waits" && word !== "spooled" && word !== "handed over";
  });
  state = {
    flow: advance(state.flow, receipts),
    sent: sum(state.sent, receipts),
    waitingSince: waiting.at(-1)?.at,
  };
  for (const listener of listeners) listener();
}
count();
onTelemetry(count);

/** Calls `listener` after the counts changed; returns how to stop. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The counts; the same object until they change. */
export const snapshot = (): FlowSnapshot => state;

/** What has passed; the component is rendered again when something does. */
export function useFlow(): FlowSnapshot {
  return useSyncExternalStore(subscribe, snapshot, snapshot);
}
