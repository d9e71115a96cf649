import type { DrainState, Upstream } from "./drain_options.ts";
import type { SpoolStats } from "./spool.ts";

/** Share of the spool's bytes above which it counts as nearly full… */
const NEARLY_FULL = 0.8;
/** …and below which it no longer does. */
const NO_LONGER_FULL = 0.6;

/** Reports each change of a drain's state once. */
export class DrainStateReporter {
  readonly #report: (state: DrainState) => void;
  /** Ingests that were down while envelopes for them were in the spool. */
  readonly #wereDown = new Set<Upstream>();
  #isNearlyFull = false;
  #isUnavailable = false;

  constructor(report: (state: DrainState) => void) {
    this.#report = report;
  }

  /** @param waiting the ingests whose envelopes are in the spool */
  update({ bytes, maxBytes }: SpoolStats, waiting: ReadonlySet<Upstream>): void {
    if (bytes >= maxBytes * NEARLY_FULL && !this.#isNearlyFull) {
      this.#report({ state: "nearly full", bytes, maxBytes });
      this.#isNearlyFull = true;
    } else if (bytes <= maxBytes * NO_LONGER_FULL) {
      this.#isNearlyFull = false;
    }
    for (const upstream of waiting) if (upstream.isDown) this.#wereDown.add(upstream);
    for (const upstream of this.#wereDown) {
      if (upstream.isDown || waiting.has(upstream)) continue;
      this.#wereDown.delete(upstream);
      this.#report({ state: "recovered", origin: upstream.origin });
    }
  }

  spoolFailed(error: unknown): void {
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#report({ state: "spool unavailable", reason });
  }

  spoolWorked(): void {
    if (!this.#isUnavailable) return;
    this.#isUnavailable = false;
    this.#report({ state: "spool available" });
  }

  expired(envelopes: number): void {
    if (envelopes > 0) this.#report({ state: "expired", envelopes });
  }
}
