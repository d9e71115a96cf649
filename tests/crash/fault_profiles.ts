import { type BehaviourName, LIMITS_CATEGORY } from "./_flaky_ingest.ts";
import type { LoadProfile } from "./_load.ts";

/** Which faults, how long and how often. Times in milliseconds. */
export interface FaultProfile extends LoadProfile {
  /** Length of a server run, from the first response of the server. */
  readonly runMs: readonly [min: number, max: number];
  /** Signals that end a server run; one is drawn. */
  readonly endings: readonly ("SIGKILL" | "SIGTERM")[];
  readonly ingestBehaviours: readonly BehaviourName[];
  readonly maxBehaviourMs: number;
  readonly relayTimeoutMs: number;
  /**
   * Maximum time between two changes of the disk (full, free) and of the clock. Default: no such changes.
   */
  readonly maxDiskAndClockMs?: number;
}

/** Many short server runs under full load, so that SIGKILL hits every state of the server. */
export const KILLS: FaultProfile = {
  runMs: [0, 350],
  endings: ["SIGKILL"],
  ingestBehaviours: [
    "takes",
    "refused",
    "hangs",
    "answers 500",
    "answers 503",
    "answers 429",
    "is slow",
    "answers half",
  ],
  maxBehaviourMs: 500,
  relayTimeoutMs: 150,
  senders: 6,
  recorders: 2,
  maxPauseMs: 0,
  // Browsers wait longer.
  resendMs: 30,
  poisonShare: 0,
};

/**
 * As {@linkcode KILLS}, for several servers. A server knows within a second what another has accepted, so senders wait
 * longer before they resend, as pages do, and between segments.
 */
export const FLEET_KILLS: FaultProfile = {
  ...KILLS,
  // A start takes a second: a server should run for most of the time.
  runMs: [0, 2_500],
  senders: 30,
  recorders: 10,
  minSegmentMs: 1_100,
  resendMs: 1_500,
};

/** All faults, at a rate that two shared cores can sustain. */
export const ALL_FAULTS: FaultProfile = {
  runMs: [500, 15_000],
  endings: ["SIGKILL", "SIGTERM"],
  ingestBehaviours: [
    ...KILLS.ingestBehaviours,
    "resets",
    "is very slow",
    LIMITS_CATEGORY,
    LIMITS_CATEGORY,
  ],
  maxBehaviourMs: 4_000,
  relayTimeoutMs: 2_000,
  senders: 8,
  recorders: 3,
  maxPauseMs: 400,
  resendMs: 200,
  poisonShare: 0.02,
  maxDiskAndClockMs: 10_000,
};
