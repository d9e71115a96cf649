import type { DrainClock } from "./drain_clock.ts";
import type { Dropped, LeasedEnvelope, Spool } from "./spool.ts";
import { SpoolDrain } from "./spool_drain.ts";

export { TELL_DOWN_EVERY_MS } from "./drain_changes.ts";
export {
  EXPIRE_EVERY_MS,
  MIN_PAUSE_MS,
  POLL_MS,
  RENEW_EVERY_MS,
  STOP_ABORT_MS,
  STOP_GRACE_MS,
} from "./spool_drain.ts";

/** How an envelope left the spool. */
export type End =
  | { readonly kind: "delivered" }
  /** The ingest wants it neither now nor later. */
  | { readonly kind: "refused"; readonly reason: string };

/** How one attempt at a delivery ended. */
export type Verdict =
  | End
  /** It takes nothing of this DSN until then, ms since 1970. */
  | { readonly kind: "rate_limited"; readonly until: number }
  /** No answer, or one that does not decide. */
  | { readonly kind: "unreachable"; readonly reason: string };

/** Told when it changes, not for each envelope. */
export type DrainState =
  /** An ingest takes nothing; it is tried with one envelope at a time. */
  | { readonly state: "down"; readonly origin: string; readonly reason: string }
  /** It answers again, and is sent what waited. */
  | { readonly state: "draining"; readonly origin: string }
  /** Nothing waits for it any more. */
  | { readonly state: "recovered"; readonly origin: string }
  | { readonly state: "nearly full"; readonly bytes: number; readonly maxBytes: number }
  /** The spool itself fails: nothing is delivered. Told again only after it worked. */
  | { readonly state: "spool unavailable"; readonly reason: string };

/** None of the functions may throw, but for `deliver`. */
export interface DrainOptions {
  readonly spool: Pick<Spool, "lease" | "renew" | "done" | "giveBack" | "expire" | "stats">;
  /**
   * Sends an envelope, once. It should end when the signal aborts; what it says then is not heard. What it throws
   * counts as `unreachable`.
   */
  deliver(envelope: LeasedEnvelope, signal: AbortSignal): Promise<Verdict>;
  /** The ingest that takes a DSN's envelopes: those with the same one are down together. */
  originOf(dsn: string): string;
  /** Called once for each envelope that was delivered or refused. */
  onEnded?(envelope: LeasedEnvelope, end: End): void;
  /** What was given up because of its age, added up by DSN. */
  onDropped?(dropped: Dropped): void;
  onState?(state: DrainState): void;
  /** Default: the system's. */
  readonly clock?: DrainClock;
}

/** Takes envelopes out of a spool and delivers them. Starts at once. */
export interface Drain {
  /** An envelope of this DSN was put. Without it, the drain finds out within {@linkcode POLL_MS}. */
  wake(dsn: string): void;
  /** Ends within a second. What is not delivered by then goes back to its place in the spool. */
  stop(): Promise<void>;
}

export function startDrain(options: DrainOptions): Drain {
  return new SpoolDrain(options);
}
