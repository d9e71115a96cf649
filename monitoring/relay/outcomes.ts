import { categoryOf, KNOWN_CATEGORIES } from "../protocol/categories.ts";
import { type Outcome, OUTCOMES } from "../protocol/relay_api.ts";
import { RELAY_ERRORS, type RelayErrorCode } from "./errors.ts";

/** Why an envelope was not taken: refused by the relay, refused by its ingest, or too old in the spool. */
export type Reason = RelayErrorCode | "ingest" | "expired";

const TAKEN: readonly (Outcome | undefined)[] = ["delivered", "spooled", "stored", "duplicate"];

/** Whether an envelope is delivered or durable, so that further copies of it are duplicates. */
export function isTaken(outcome: Outcome | undefined): boolean {
  return TAKEN.includes(outcome);
}

/** What outcomes without a reason are counted under. */
const NO_REASON = "";
const REASONS = [NO_REASON, ...Object.keys(RELAY_ERRORS), "ingest", "expired"];

/** What items of a type without a category are counted under. */
const OTHER = "other";

/**
 * Counts the outcomes of envelopes and of their items since the start of the process, for the health report and the
 * metrics.
 */
export class OutcomeCounter {
  /** Envelopes by outcome and reason (`""`: none), also those that never occurred. */
  readonly byReason = recordOf(OUTCOMES, () => recordOf(REASONS, () => 0));
  /** Entries of items by category and outcome. */
  readonly entries = recordOf(
    [...KNOWN_CATEGORIES, OTHER],
    () => recordOf(OUTCOMES, () => 0),
  );

  /** @param reason why the envelope was not taken */
  count(outcome: Outcome, reason?: Reason, envelopes = 1): void {
    this.byReason[outcome][reason ?? NO_REASON]! += envelopes;
  }

  /** Counts the items of an envelope that was admitted. */
  countItems(
    outcome: Outcome,
    items: readonly { readonly type: string; readonly count: number }[],
  ): void {
    for (const { type, count } of items) {
      this.entries[categoryOf(type) ?? OTHER]![outcome] += count;
    }
  }

  /** {@linkcode countItems} for envelopes from the spool, of which only these numbers are known. */
  countEntries(outcome: Outcome, byCategory: Readonly<Record<string, number>>): void {
    for (const [category, count] of Object.entries(byCategory)) {
      const counts = this.entries[category];
      if (counts) counts[outcome] += count;
    }
  }
}

/**
 * Envelopes by outcome, also those that never occurred.
 *
 * @param byReason {@linkcode OutcomeCounter.byReason}
 */
export function countsOf(byReason: OutcomeCounter["byReason"]): Readonly<Record<Outcome, number>> {
  return recordOf(
    OUTCOMES,
    (outcome) => Object.values(byReason[outcome]).reduce((sum, count) => sum + count, 0),
  );
}

function recordOf<K extends string, V>(keys: readonly K[], make: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;
}
