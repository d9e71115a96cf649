import { backOffMs } from "./verdict.ts";

/**
 * Holds everything back while nothing gets through. Each envelope's own wait is not enough: after a
 * night's outage all of them would try at once, each as often as the first.
 */
export class Hold {
  #failures = 0;
  #until = 0;

  /** Milliseconds since the epoch; 0: nothing is held. */
  get until(): number {
    return this.#until;
  }

  /** Whether nothing has got through since the last failure: then one at a time feels the way. */
  get feeling(): boolean {
    return this.#failures > 0;
  }

  /**
   * An envelope did not get through.
   *
   * @param startedAt when it was sent: what was under way when the hold began says nothing new
   */
  failed(startedAt: number, now: number, random: number): void {
    if (startedAt < this.#until) return;
    this.#failures++;
    this.#until = now + backOffMs(this.#failures, random);
  }

  /** Somebody answered. */
  passed(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** Things look better: the way may be felt for at once. */
  lift(): void {
    this.#until = 0;
  }
}
