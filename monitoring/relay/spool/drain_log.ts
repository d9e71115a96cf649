import type { CircuitBreaker } from "../send/circuit_breaker.ts";
import { type SpoolStats, SpoolUnavailableError } from "./spool.ts";

/** Receives a line for the server's log. */
export type SpoolLog = (
  level: "info" | "warn" | "error",
  message: string,
  attributes?: Readonly<Record<string, string | number>>,
) => void;

/** Share of the spool's bytes above which it counts as nearly full… */
const NEARLY_FULL = 0.8;
/** …and below which it no longer does. */
const NO_LONGER_FULL = 0.6;

/** Minimum milliseconds between two lines with one message: each envelope may cause one. */
const REPEAT_MS = 60_000;

/** Logs errors of single calls, each message once a minute. */
export class ErrorLog {
  readonly log: SpoolLog;
  readonly #loggedAt = new Map<string, number>();

  constructor(log: SpoolLog) {
    this.log = log;
  }

  failed(message: string, error: unknown): void {
    const now = performance.now();
    if (now - (this.#loggedAt.get(message) ?? -Infinity) < REPEAT_MS) return;
    this.#loggedAt.set(message, now);
    this.log("error", message, { reason: error instanceof Error ? error.message : String(error) });
  }

  /** Logs a bug. Not a spool that cannot be used: `put` and the drain log that. */
  unexpected(message: string, error: unknown): void {
    if (!(error instanceof SpoolUnavailableError)) this.failed(message, error);
  }
}

/** Logs each change of a drain's state once. */
export class DrainLog extends ErrorLog {
  /** Ingests that were down while envelopes for them were in the spool. */
  readonly #wereDown = new Set<CircuitBreaker>();
  #isNearlyFull = false;
  /** Whether the last pass failed: nothing can be leased. */
  isFailing = false;

  /** @param waiting the ingests whose envelopes are in the spool */
  spoolRead({ bytes, maxBytes }: SpoolStats, waiting: ReadonlySet<CircuitBreaker>): void {
    if (bytes >= maxBytes * NEARLY_FULL && !this.#isNearlyFull) {
      this.log("warn", "The spool is nearly full", { bytes, maxBytes });
      this.#isNearlyFull = true;
    } else if (bytes <= maxBytes * NO_LONGER_FULL) {
      this.#isNearlyFull = false;
    }
    for (const ingest of waiting) if (ingest.isDown) this.#wereDown.add(ingest);
    for (const ingest of this.#wereDown) {
      if (ingest.isDown || waiting.has(ingest)) continue;
      this.#wereDown.delete(ingest);
      this.log("info", "The spool has drained after an outage", { origin: ingest.origin });
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

  expired(envelopes: number): void {
    if (envelopes === 0) return;
    this.log("error", "Envelopes were dropped: they were too old before an ingest took them", {
      envelopes,
    });
  }
}
