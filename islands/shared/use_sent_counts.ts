import { useSyncExternalStore } from "react";
import { snapshot as telemetry, subscribe as onTelemetry } from "../../monitoring/browser/mod.ts";
import { countReceipts, NOTHING_SENT, type SentCounts } from "./sent_counts.ts";
import { Store } from "./store.ts";

/*
 * Outside of React, because a client navigation renders the islands again and the counts must stay. Receipts from
 * before this module was loaded are still in the list.
 */
const store = new Store<SentCounts>(NOTHING_SENT);
const update = () => store.set(countReceipts(store.snapshot(), telemetry().receipts));
update();
onTelemetry(update);

/** What became of this page's envelopes; renders the component again when it changes. */
export function useSentCounts(): SentCounts {
  return useSyncExternalStore(store.subscribe, store.snapshot);
}
