import type { DeliveryResult, Dropped, FinalResult } from "../protocol/spooled_envelope.ts";
import type { LeasedEnvelope, Spool } from "./spool.ts";

export type { DeliveryResult, FinalResult };

/** The health of an ingest. The relay maintains it from live and spooled traffic together. */
export interface Upstream {
  readonly origin: string;
  /** Whether it may be down: envelopes are sent one at a time, as probes. */
  readonly isProbed: boolean;
  /** Whether the next probe is the newest envelope; else the oldest. */
  readonly probesNewest: boolean;
  /** Milliseconds until the next probe is allowed. */
  readonly probeInMs: number;
  /** Whether it was reported as down, and not as up again since. */
  readonly isDown: boolean;
  /** Set by the drain; called when probing ends. */
  onUp: (() => void) | undefined;
}

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

/** Only `deliver` may throw. */
export interface DrainOptions {
  readonly spool: Pick<Spool, "lease" | "renew" | "complete" | "release" | "expire" | "stats">;
  /** Makes one attempt. Must end soon after the signal aborts. An error counts as `undecided`, fault `envelope`. */
  deliver(envelope: LeasedEnvelope, signal: AbortSignal): Promise<DeliveryResult>;
  /** The ingest for a DSN. Must return the same object for the same ingest. */
  upstreamOf(dsn: string): Upstream;
  /** Bit set of a DSN's categories that are rate limited now, and milliseconds until the first of these limits ends. */
  limitsOf(dsn: string): { readonly categories: number; readonly endsInMs: number };
  /** Called once for each envelope that was delivered or refused. */
  onEnded?(envelope: LeasedEnvelope, result: FinalResult): void;
  /** Called for envelopes that were deleted because of their age, summed by DSN. */
  onDropped?(dropped: Dropped): void;
  /** Called from time to time with the ingests that envelopes wait for. */
  onWaiting?(upstreams: ReadonlySet<Upstream>): void;
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
