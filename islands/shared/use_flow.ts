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
import { Store } from "./store.ts";

/** Results of this page's envelopes since it was opened. */
interface FlowSnapshot {
  readonly flow: Flow;
  readonly sent: SentTotals;
  /** Time of the oldest envelope that waits in this page; undefined: none does. */
  readonly waitingSince?: number | undefined;
}

/*
 * Outside of React, because a client navigation renders the islands again and the counts must stay. Receipts from
 * before this module was loaded are still in the list.
 */
const store = new Store<FlowSnapshot>({ flow: EMPTY_FLOW, sent: NOTHING_SENT });

function update(): void {
  const { receipts } = telemetry();
  const waiting = receipts.filter((receipt) => {
    const { kind, word } = describeOutcome(receipt);
    return kind === "waits" && word !== "spooled";
  });
  const { flow, sent } = store.snapshot();
  store.set({
    flow: countReceipts(flow, receipts),
    sent: addSent(sent, receipts),
    waitingSince: waiting.at(-1)?.at,
  });
}
update();
onTelemetry(update);

export const { snapshot, subscribe } = store;

/** The counts; renders the component again when they change. */
export function useFlow(): FlowSnapshot {
  return useSyncExternalStore(subscribe, snapshot);
}
