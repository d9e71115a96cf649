import { useSyncExternalStore } from "react";
import { spoolKeyOf } from "../../components/outcome.ts";
import {
  type Receipt,
  snapshot as telemetry,
  subscribe as onTelemetry,
} from "../../monitoring/browser/mod.ts";
import type { FollowedEnvelopes } from "../../monitoring/protocol/relay_api.ts";
import { countReceipts, NOTHING_SENT, type SentCounts } from "./sent_counts.ts";
import { Store } from "./store.ts";

/*
 * Outside of React, because a client navigation renders the islands again and the counts must stay. Receipts from
 * before this module was loaded are still in the list.
 */
const counts = new Store<SentCounts>(NOTHING_SENT);
const receipts = new Store<readonly Receipt[]>([]);
/** Outcomes of envelopes that have left the relay's spool, by their keys. */
const followed = new Map<string, string>();
update();
onTelemetry(update);

function update(): void {
  receipts.set(
    telemetry().receipts.map((receipt) => {
      const outcome = followed.get(spoolKeyOf(receipt) ?? "");
      return outcome === undefined ? receipt : { ...receipt, outcome };
    }),
  );
  counts.set(countReceipts(counts.snapshot(), receipts.snapshot()));
}

/** Updates the receipts of envelopes that were in the relay's spool. */
export function followSpooled(results: FollowedEnvelopes): void {
  for (const [key, outcome] of Object.entries(results)) {
    if (outcome !== "spooled") followed.set(key, outcome ?? "left_spool");
  }
  update();
}

/** What became of this page's envelopes; renders the component again when it changes. */
export function useSentCounts(): SentCounts {
  return useSyncExternalStore(counts.subscribe, counts.snapshot);
}

/** This page's receipts, newest first, those of spooled envelopes with what became of them. */
export function useReceipts(): readonly Receipt[] {
  return useSyncExternalStore(receipts.subscribe, receipts.snapshot);
}
