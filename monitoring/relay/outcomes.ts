import { Counter, type Registry } from "prom-client";
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

/** The metric of envelopes by outcome and reason. */
export const ENVELOPES = "sightglass_envelopes_total";

/** The label of outcomes without a reason. */
const NO_REASON = "";
const REASONS = [...Object.keys(RELAY_ERRORS), "ingest", "expired"];

/** What items of a type without a category are counted under. */
const OTHER = "other";

/** Counts the outcomes of envelopes and of their items since the start of the process. */
export class OutcomeCounter {
  readonly #envelopes: Counter;
  readonly #items: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#envelopes = new Counter({
      name: ENVELOPES,
      help: "Envelopes by outcome, and why they were not taken.",
      labelNames: ["outcome", "reason"],
      registers,
    });
    // With zeros: the increase of a series that appears with its first envelope is 0.
    for (const outcome of OUTCOMES) {
      const reasons = isTaken(outcome) ? [NO_REASON] : REASONS;
      for (const reason of reasons) this.#envelopes.inc({ outcome, reason }, 0);
    }
    this.#items = new Counter({
      name: "sightglass_items_total",
      help:
        "Items of admitted envelopes by category and outcome; a container of logs or spans counts as its entries.",
      labelNames: ["category", "outcome"],
      registers,
    });
  }

  /** @param reason why the envelope was not taken */
  count(outcome: Outcome, reason?: Reason, envelopes = 1): void {
    this.#envelopes.inc({ outcome, reason: reason ?? NO_REASON }, envelopes);
  }

  /** Counts the items of an envelope that was admitted. */
  countItems(
    outcome: Outcome,
    items: readonly { readonly type: string; readonly count: number }[],
  ): void {
    for (const { type, count } of items) {
      this.#items.inc({ category: categoryOf(type) ?? OTHER, outcome }, count);
    }
  }

  /** {@linkcode countItems} for envelopes from the spool, of which only these numbers are known. */
  countEntries(outcome: Outcome, byCategory: Readonly<Record<string, number>>): void {
    for (const [category, count] of Object.entries(byCategory)) {
      if (KNOWN_CATEGORIES.has(category)) this.#items.inc({ category, outcome }, count);
    }
  }
}
