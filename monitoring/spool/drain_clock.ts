/** Time and chance, as the drain sees them. */
export interface DrainClock {
  /** Milliseconds since 1970, which somebody may set back. */
  now(): number;
  /** Milliseconds since some moment, never set back. */
  elapsed(): number;
  /** Calls back once; gives what takes this back. */
  after(ms: number, work: () => void): () => void;
  /** At least 0, less than 1. */
  random(): number;
}

/** The real one. Its timers keep no process alive. */
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
