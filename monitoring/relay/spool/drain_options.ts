import type { CircuitBreaker } from "../send/circuit_breaker.ts";
import type { LimitedCategories } from "../send/rate_limits.ts";
import type { Dropped, LeasedEnvelope, Spool } from "./spool.ts";

/** A result after which the envelope is deleted from the spool. */
export type FinalResult =
  | { readonly kind: "delivered" }
  /** The ingest refused it for good. */
  | { readonly kind: "refused"; readonly reason: string };

/** Result of one attempt to deliver an envelope. */
export type DeliveryResult =
  | FinalResult
  /** The ingest announced a rate limit that ends in `waitMs`. */
  | { readonly kind: "rate_limited"; readonly waitMs: number }
  /** No answer, or one that may be different next time. `fault`: what probably caused it. */
  | { readonly kind: "undecided"; readonly reason: string; readonly fault: "ingest" | "envelope" }
  /** The abort signal ended the attempt. */
  | { readonly kind: "aborted" };

/** The health of an ingest, maintained from live and spooled traffic together. The drain sets `onUp`. */
export type Upstream = Pick<
  CircuitBreaker,
  "origin" | "isProbed" | "probesNewest" | "probeInMs" | "isDown" | "onUp"
>;

/** A change worth a line in the server's log. */
export type DrainState =
  /** All envelopes for an ingest that was down have left the spool. */
  | { readonly state: "recovered"; readonly origin: string }
  | { readonly state: "nearly full"; readonly bytes: number; readonly maxBytes: number }
  /** Envelopes were deleted undelivered because of their age. */
  | { readonly state: "expired"; readonly envelopes: number }
  /** The spool itself fails: nothing is delivered. Reported again only after it worked. */
  | { readonly state: "spool unavailable"; readonly reason: string }
  | { readonly state: "spool available" };

/** The relay's part of delivering what is in the spool. Only `deliver` may throw. */
export interface Deliveries {
  /** Makes one attempt. Must end soon after the signal aborts. An error counts as `undecided`, fault `envelope`. */
  deliver(envelope: LeasedEnvelope, signal: AbortSignal): Promise<DeliveryResult>;
  /** The ingest for a DSN. Must return the same object for the same ingest. */
  upstreamOf(dsn: string): Upstream;
  /** The categories of a DSN that are rate limited now. */
  limitsOf(dsn: string): LimitedCategories;
  /** Called once for each envelope that was delivered or refused. */
  onEnded?(envelope: LeasedEnvelope, result: FinalResult): void;
  /** Called for envelopes that were deleted because of their age, summed by DSN. */
  onDropped?(dropped: Dropped): void;
  /** Called from time to time with the ingests that envelopes wait for. */
  onWaiting?(upstreams: ReadonlySet<Upstream>): void;
}

export interface DrainOptions extends Deliveries {
  readonly spool: Pick<Spool, "lease" | "renew" | "complete" | "release" | "expire" | "stats">;
  /** Called when the state changes, not for each envelope. */
  onState?(state: DrainState): void;
  /** Default: the system's clock. */
  readonly clock?: DrainClock;
}

/** Time and randomness; tests replace them. */
export interface DrainClock {
  /** Milliseconds since 1970. May be set back. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Starts a timer; returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
  /** From 0 to below 1. */
  random(): number;
}

/** The real clock. Its timers do not keep the process running. */
export const SYSTEM_CLOCK: DrainClock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    Deno.unrefTimer(timer);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
