import type { Dropped, LeasedEnvelope, Spool } from "./spool.ts";
import { SpoolDrain } from "./spool_drain.ts";

/** How an envelope left the spool. */
export type End =
  | { readonly kind: "delivered" }
  /** The ingest wants it neither now nor later. */
  | { readonly kind: "refused"; readonly reason: string };

/** How one attempt at a delivery ended. */
export type Verdict =
  | End
  /** The ingest announced a limit, which ends in so many milliseconds. */
  | { readonly kind: "rate_limited"; readonly waitMs: number }
  /** No answer, or one that does not decide. */
  | { readonly kind: "undecided"; readonly reason: string; readonly fault: "ingest" | "envelope" }
  /** The signal ended it before there was an answer. */
  | { readonly kind: "aborted" };

/** An ingest as the drain needs to know it. Whether it is down is judged elsewhere, by all traffic. */
export interface Upstream {
  readonly origin: string;
  /** Whether to send one envelope at a time. */
  readonly isProbed: boolean;
  /** Whether the newest is to be the next of these, else the oldest. */
  readonly probesNewest: boolean;
  /** Milliseconds until the next of these may be sent. */
  readonly probeInMs: number;
  /** Whether it was reported to be down, and not yet to answer again. */
  readonly isDown: boolean;
  /** Set by the drain; called when the ingest is no longer probed. */
  onUp: (() => void) | undefined;
}

/** Reported when it changes, not for each envelope. */
export type DrainState =
  /** Nothing waits any more for an ingest that was down. */
  | { readonly state: "recovered"; readonly origin: string }
  | { readonly state: "nearly full"; readonly bytes: number; readonly maxBytes: number }
  /** The spool itself fails: nothing is delivered. Reported again only after it worked. */
  | { readonly state: "spool unavailable"; readonly reason: string };

/** None of the functions may throw, but for `deliver`. */
export interface DrainOptions {
  readonly spool: Pick<Spool, "lease" | "renew" | "done" | "giveBack" | "expire" | "stats">;
  /** Sends an envelope, once. Ends when the signal aborts. An error counts as `undecided` by the envelope's fault. */
  deliver(envelope: LeasedEnvelope, signal: AbortSignal): Promise<Verdict>;
  /** The ingest that takes a DSN's envelopes; always the same object for the same ingest. */
  upstreamOf(dsn: string): Upstream;
  /** Bit set of the categories of a DSN that limits hold now, and milliseconds until the first of these limits ends. */
  limitsOf(dsn: string): { readonly categories: number; readonly endsInMs: number };
  /** Called once for each envelope that was delivered or refused. */
  onEnded?(envelope: LeasedEnvelope, end: End): void;
  /** What was given up because of its age, added up by DSN. */
  onDropped?(dropped: Dropped): void;
  onState?(state: DrainState): void;
  /** Default: the system's. */
  readonly clock?: DrainClock;
}

/** Time and chance, as the drain sees them. */
export interface DrainClock {
  /** Milliseconds since 1970, which may be set back. */
  now(): number;
  /** Milliseconds of a clock that is never set back. */
  elapsed(): number;
  /** Calls back once; returns what cancels this. */
  after(ms: number, work: () => void): () => void;
  /** At least 0, less than 1. */
  random(): number;
}

/** Takes envelopes out of a spool and delivers them. Starts at once. */
export interface Drain {
  /** An envelope of this DSN was put. Without it, the drain finds out at its next look. */
  wake(dsn: string): void;
  /**
   * Waits for deliveries under way, then aborts them; takes at most `STOP_GRACE_MS` and `STOP_ABORT_MS`. What the
   * ingest has answered by then is recorded, the others return to their place in the spool.
   */
  stop(): Promise<void>;
}

export function startDrain(options: DrainOptions): Drain {
  return new SpoolDrain(options);
}
