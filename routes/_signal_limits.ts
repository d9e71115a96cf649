import { TokenBucket } from "../monitoring/runtime/token_bucket.ts";

/**
 * Signals per minute on average: as many at once, then one a second. `GET /signal` is public, and clients can forge every
 * header, so one limit covers all requests. Trying every button of the page takes fewer.
 */
const SIGNALS_PER_MINUTE = 60;

/** Signals per minute that may cost an event or a log record of the project's quota. */
const FAILURES_PER_MINUTE = 10;

/** Delayed answers at once: each holds a connection for up to 5 seconds, out of `MAX_CONNECTIONS`. */
const MAX_DELAYED = 4;

interface SignalLimitsOptions {
  /**
   * Whether a signal may make an error event or a log record. Not where they would spend a production project's
   * quota: in relay mode with `SENTRY_ENVIRONMENT=production`.
   */
  readonly makesEvents: boolean;
  /** Server processes that divide the limits. Default: 1. */
  readonly processes?: number;
  /** Milliseconds on a clock that never goes back. Default: the process's own. */
  readonly now?: () => number;
}

/** One requested signal. */
export interface Signal {
  /** Milliseconds. */
  readonly delay: number;
  /** Whether the answer makes the server report a failure. */
  readonly fails: boolean;
}

/** Why a signal is refused. */
interface SignalRefusal {
  readonly detail: string;
  /** Seconds after which it may be requested again. */
  readonly retryAfter: number;
}

/** Bounds what `GET /signal` costs the server: answers, delays, events. */
export class SignalLimits {
  readonly makesEvents: boolean;
  readonly #maxDelayed: number;
  readonly #signals: TokenBucket;
  readonly #failures: TokenBucket;
  /** Functions that end the running delays. */
  readonly #delayed = new Set<() => void>();

  constructor(options: SignalLimitsOptions) {
    const { makesEvents, processes = 1, now = () => performance.now() } = options;
    const perMinute = (count: number) => TokenBucket.perMinute(count / processes, now);
    this.makesEvents = makesEvents;
    this.#maxDelayed = Math.ceil(MAX_DELAYED / processes);
    this.#signals = perMinute(SIGNALS_PER_MINUTE);
    this.#failures = perMinute(FAILURES_PER_MINUTE);
  }

  /** Counts a signal. Returns undefined if it may be answered as requested. */
  refuse({ delay, fails }: Signal): SignalRefusal | undefined {
    if (!this.#signals.take()) {
      return {
        detail:
          `Cannot answer: this server answers ${SIGNALS_PER_MINUTE} signals a minute. Try again in a minute.`,
        retryAfter: 60,
      };
    }
    if (delay > 0 && this.#delayed.size >= this.#maxDelayed) {
      return {
        detail:
          `Cannot delay: ${this.#maxDelayed} answers are being delayed. Try again in a few seconds.`,
        retryAfter: 5,
      };
    }
    if (fails && !this.#failures.take()) {
      return {
        detail:
          `Cannot fail: this server fails on purpose ${FAILURES_PER_MINUTE} times a minute. Try again in a minute.`,
        retryAfter: 60,
      };
    }
    return undefined;
  }

  /** Resolves after a delay in milliseconds, or with the next {@linkcode shedLoad}. */
  async wait(delay: number): Promise<void> {
    if (delay === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, delay);
    this.#delayed.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#delayed.delete(resolve);
  }

  /** Ends all running delays, because a new connection waits for a free one. */
  shedLoad(): void {
    for (const end of this.#delayed) end();
  }
}
