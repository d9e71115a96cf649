import { UpstreamState } from "./upstream_state.ts";

/** A limit that seems to be over already, by two clocks that differ, pauses for this long nevertheless. */
export const MIN_PAUSE_MS = 1_000;

/** Where a spool's envelopes go: the ingest of each DSN, and the DSNs under a limit. Times are of a clock that is never set back. */
export class Destinations {
  readonly #originOf: (dsn: string) => string;
  /** By origin. */
  readonly #upstreams = new Map<string, UpstreamState>();
  /** By DSN, all that were ever seen. */
  readonly #dsns = new Map<string, UpstreamState>();
  /** DSNs under a limit, and when it ends. */
  readonly #paused = new Map<string, number>();

  /** @param originOf the ingest that takes a DSN's envelopes */
  constructor(originOf: (dsn: string) => string) {
    this.#originOf = originOf;
  }

  /** Every ingest that is known. */
  get upstreams(): readonly UpstreamState[] {
    return [...this.#upstreams.values()];
  }

  /** The ingest of a DSN that was seen before. */
  known(dsn: string): UpstreamState | undefined {
    return this.#dsns.get(dsn);
  }

  /** The ingest of a DSN; from now on it is known. */
  upstreamOf(dsn: string): UpstreamState {
    const known = this.#dsns.get(dsn);
    if (known) return known;
    const origin = this.#originOf(dsn);
    const upstream = this.#upstreams.get(origin) ?? new UpstreamState(origin);
    this.#upstreams.set(origin, upstream);
    this.#dsns.set(dsn, upstream);
    return upstream;
  }

  /** The known DSNs to leave alone: those under a limit, and those whose ingest is not one of `wanted`. */
  excluded(wanted: readonly UpstreamState[], now: number): string[] {
    return [...this.#dsns]
      .filter(([dsn, upstream]) => !wanted.includes(upstream) || this.isPaused(dsn, now))
      .map(([dsn]) => dsn);
  }

  /**
   * A limit holds for a DSN.
   *
   * @param ms until it ends. Also where this is no number it holds for a moment: else it would be asked
   * again at once, and again
   */
  pause(dsn: string, ms: number, now: number): void {
    this.#paused.set(dsn, now + Math.max(MIN_PAUSE_MS, ms || 0));
  }

  isPaused(dsn: string, now: number): boolean {
    const until = this.#paused.get(dsn);
    if (until === undefined) return false;
    if (now < until) return true;
    this.#paused.delete(dsn);
    return false;
  }

  /** When something may go that may not go now. */
  get due(): readonly number[] {
    return [...this.#paused.values(), ...this.upstreams.map(({ probeAt }) => probeAt)];
  }
}
