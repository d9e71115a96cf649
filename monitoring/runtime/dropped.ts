import type { DataCategory } from "@sentry/core";

/** How much of one category of telemetry. */
export interface Amount {
  readonly category: DataCategory;
  readonly quantity: number;
}

/** Counts what was not delivered, by reason and category, since the start of the process. */
export class Dropped {
  readonly #counts = new Map<string, number>();

  add(reason: string, { category, quantity }: Amount): void {
    const key = `${reason}:${category}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + quantity);
  }

  /** Such as `{"queue_overflow:span": 3}`. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
