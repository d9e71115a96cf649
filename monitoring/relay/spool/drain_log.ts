import type { RelayLog } from "../send/circuit_breaker.ts";
import { type SpoolStats, SpoolUnavailableError } from "./spool.ts";

/** Shares of the spool's bytes: nearly full above the first, until it is below the second. */
const NEARLY_FULL = 0.8;
const NO_LONGER_FULL = 0.6;

/** Minimum milliseconds between two lines with one message: each envelope may cause one. */
const REPEAT_MS = 60_000;

/** Logs errors of single calls, each message once a minute. */
export class ErrorLog {
  readonly log: RelayLog;
  readonly #loggedAt = new Map<string, number>();

  constructor(log: RelayLog) {
    this.log = log;
  }

  /** Logs a bug. Not a spool that cannot be used: `put` and the drain log that. */
  unexpected(message: string, error: unknown): void {
    if (error instanceof SpoolUnavailableError) return;
    const now = performance.now();
    if (now - (this.#loggedAt.get(message) ?? -Infinity) < REPEAT_MS) return;
    this.#loggedAt.set(message, now);
    this.log("error", message, { reason: error instanceof Error ? error.message : String(error) });
  }
}

/** Logs each change of a drain's state once. */
export class DrainLog extends ErrorLog {
  #isNearlyFull = false;
  /** Whether the last pass failed: nothing can be leased. */
  isFailing = false;

  spoolRead({ bytes, maxBytes }: SpoolStats): void {
    if (bytes >= maxBytes * NEARLY_FULL && !this.#isNearlyFull) {
      this.log("warn", "The spool is nearly full", { bytes, maxBytes });
      this.#isNearlyFull = true;
    } else if (bytes <= maxBytes * NO_LONGER_FULL) {
      this.#isNearlyFull = false;
    }
  }

  spoolFailed(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.log("error", "The spool fails: none of its envelopes is delivered", { reason });
  }

  spoolWorked(): void {
    if (this.isFailing) this.log("info", "The spool works again");
    this.isFailing = false;
  }
}
