import { type Attributes, metrics } from "@opentelemetry/api";
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

/** The attributes of every outcome and reason, made once: counting allocates nothing. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, Attributes>>>> = recordOf(
  OUTCOMES,
  (outcome) =>
    recordOf(REASONS, (reason) => reason === NO_REASON ? { outcome } : { outcome, reason }),
);

/** What items of a type without a category are counted under. */
const OTHER = "other";

/**
 * Counts the outcomes of envelopes and of their items since the start of the process, for the health report, the
 * metrics and OpenTelemetry.
 */
export class OutcomeCounter {
  readonly #counts: Record<Outcome, number> = recordOf(OUTCOMES, () => 0);
  readonly #byReason = recordOf(OUTCOMES, () => recordOf(REASONS, () => 0));
  readonly #entries = recordOf(
    [...KNOWN_CATEGORIES, OTHER],
    () => recordOf(OUTCOMES, () => 0),
  );
  readonly #envelopes = metrics.getMeter("sightglass").createCounter("sightglass.relay.envelopes", {
    description: "Envelopes by outcome",
    unit: "{envelope}",
  });

  /** @param reason why the envelope was not taken */
  count(outcome: Outcome, reason?: Reason, envelopes = 1): void {
    this.#counts[outcome] += envelopes;
    this.#byReason[outcome][reason ?? NO_REASON]! += envelopes;
    this.#envelopes.add(envelopes, ATTRIBUTES[outcome]![reason ?? NO_REASON]);
  }

  /** Counts the items of an envelope that was admitted. */
  countItems(
    outcome: Outcome,
    items: readonly { readonly type: string; readonly count: number }[],
  ): void {
    for (const { type, count } of items) {
      this.#entries[categoryOf(type) ?? OTHER]![outcome] += count;
    }
  }

  /** {@linkcode countItems} for envelopes from the spool, of which only these numbers are known. */
  countEntries(outcome: Outcome, byCategory: Readonly<Record<string, number>>): void {
    for (const [category, count] of Object.entries(byCategory)) {
      const counts = this.#entries[category];
      if (counts) counts[outcome] += count;
    }
  }

  /** All outcomes, also those that never occurred. */
  get counts(): Readonly<Record<Outcome, number>> {
    return this.#counts;
  }

  /** Envelopes by outcome and reason (`""`: none), also those that never occurred. */
  get byReason(): Readonly<Record<Outcome, Readonly<Record<string, number>>>> {
    return this.#byReason;
  }

  /** Entries of items by category and outcome. */
  get entries(): Readonly<Record<string, Readonly<Record<Outcome, number>>>> {
    return this.#entries;
  }
}

function recordOf<K extends string, V>(keys: readonly K[], make: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;
}
