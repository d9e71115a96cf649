import type { Reason, RelayMetrics } from "./metrics.ts";

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

  readonly #metrics: Pick<RelayMetrics, "ended">;

  constructor(metrics: Pick<RelayMetrics, "ended">) {
    this.#metrics = metrics;
  }

  /** @param reason why the outcome is no success */
  count(outcome: Outcome, reason?: Reason, envelopes = 1): void {
    this.#counts[outcome] += envelopes;
    this.#metrics.ended(outcome, reason, envelopes);
  }

  /** All outcomes, those that never happened with 0. */
  get counts(): Readonly<Record<Outcome, number>> {
    return this.#counts;
  }
}
