/** Time and randomness; tests replace them. */
export interface Clock {
  /** Milliseconds since 1970. May be set back. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  uptime(): number;
  /** Starts a timer that does not keep the process running; returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
  /** From 0 to below 1. */
  random(): number;
}

export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  uptime: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    Deno.unrefTimer(timer);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
