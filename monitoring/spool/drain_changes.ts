import type { DrainState, Upstream } from "./drain.ts";
import type { SpoolStats } from "./spool.ts";

/** Shares of the spool's bytes at which it is nearly full, and at which it no longer is. */
export const NEARLY_FULL = 0.8;
export const ROOM_AGAIN = 0.6;

/** Reports what changes in a drain's state, each change once. */
export class DrainChanges {
  readonly #report: (state: DrainState) => void;
  /** Ingests that were down, and for which something waited. */
  readonly #wereDown = new Set<Upstream>();
  #isNearlyFull = false;
  #isUnavailable = false;

  constructor(report: (state: DrainState) => void) {
    this.#report = report;
  }

  /** @param waiting the ingests for which envelopes wait */
  looked({ bytes, maxBytes }: SpoolStats, waiting: ReadonlySet<Upstream>): void {
    if (bytes >= maxBytes * NEARLY_FULL && !this.#isNearlyFull) {
      this.#report({ state: "nearly full", bytes, maxBytes });
      this.#isNearlyFull = true;
    } else if (bytes <= maxBytes * ROOM_AGAIN) {
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
    this.#isUnavailable = false;
  }
}
