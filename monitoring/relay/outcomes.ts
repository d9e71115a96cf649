/** How an envelope can end. */
export const OUTCOMES = [
  "delivered",
  "spooled",
  "stored",
  "duplicate",
  "rate_limited",
  "rejected",
  "dropped",
] as const;

export type Outcome = typeof OUTCOMES[number];

/** Counts how envelopes ended since the start of the process. */
export class OutcomeCounter {
  readonly #counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >;

  count(outcome: Outcome, envelopes = 1): void {
    this.#counts[outcome] += envelopes;
  }

  /** All outcomes, those that never happened with 0. */
  get counts(): Readonly<Record<Outcome, number>> {
    return this.#counts;
  }
}
