/**
 * Whether an ingest is down, judged by its newest envelopes and never by one:
 * 1. A decision (2xx, 4xx) about any envelope, live or from the spool: it is up.
 * 2. No decision about an envelope that was sent and is older than the newest decided one, or no answer to a large
 *    one: a fault of that envelope. It is tried again after its own back-off; nothing else changes. Without a
 *    connection it is never the envelope's.
 * 3. No decision about {@linkcode DOWN_AFTER} other envelopes in a row, retries not counted: it is down. Live envelopes
 *    go into the spool, except one at a time while the ingest still answers (5xx).
 * 4. {@linkcode DOWN_AFTER} attempts in a row without a decision, about any envelopes: the drain probes. It sends one
 *    envelope at a time, the newest first, and pauses between them. It also probes before the first decision.
 */
export class IngestHealth {
  readonly origin: string;
  /** Called when the ingest is no longer probed. */
  onUp: (() => void) | undefined;
  /** Live attempts under way. */
  live = 0;
  readonly #options: IngestHealthOptions;
  /** Rule 3: undecided envelopes in a row that speak against the ingest. */
  #against = 0;
  #failure = "";
  /** Whether the last of them had no answer at all. */
  #isSilent = false;
  /** Rule 4: undecided attempts in a row. */
  #undecided = DOWN_AFTER;
  /** Arrival of the newest envelope that was decided. */
  #newestDecidedAt = -Infinity;
  #failedProbes = 0;
  #probeAt = 0;
  #isReportedDown = false;
  #reportedAt = -Infinity;

  constructor(origin: string, options: IngestHealthOptions) {
    this.origin = origin;
    this.#options = options;
  }

  /** Whether the drain sends one envelope at a time. */
  get isProbed(): boolean {
    return this.#undecided >= DOWN_AFTER;
  }

  /** Whether the next probe is the newest envelope. Every third is the oldest: the newest ones may be at fault. */
  get probesNewest(): boolean {
    return this.#failedProbes % 3 !== 2;
  }

  /** Milliseconds until the next probe may be made. */
  get probeInMs(): number {
    return Math.max(0, this.#probeAt - this.#options.uptime());
  }

  /** Whether it was reported to be down, and not yet to answer again. */
  get isDown(): boolean {
    return this.#isReportedDown;
  }

  /** Why its newest envelope is undecided; undefined: it is not. */
  get failure(): string | undefined {
    return this.#against > 0 ? this.#failure : undefined;
  }

  /**
   * Whether to send a live envelope now.
   *
   * @param cannotKeep the spool fails: an envelope that is not sent is refused
   */
  mayForward(cannotKeep: boolean): boolean {
    if (this.#against < DOWN_AFTER) return true;
    return this.live === 0 && (!this.#isSilent || cannotKeep);
  }

  /** @param receivedAt when the envelope arrived, milliseconds since 1970 */
  decided(receivedAt: number): void {
    const wasProbed = this.isProbed;
    this.#against = 0;
    this.#undecided = 0;
    this.#failedProbes = 0;
    this.#probeAt = 0;
    // No later than now: the clock may have been set back.
    const newest = Math.max(this.#newestDecidedAt, receivedAt);
    this.#newestDecidedAt = Math.min(newest, this.#options.now());
    if (this.#isReportedDown) {
      this.#isReportedDown = false;
      this.#options.onState?.({ state: "answers again", origin: this.origin });
    }
    if (wasProbed) this.onUp?.();
  }

  /** Returns whose fault it is. */
  undecided(attempt: UndecidedAttempt): Fault {
    const { receivedAt, isRetry, isProbe, isLarge, progress, reason } = attempt;
    const { now, uptime, random } = this.#options;
    this.#undecided++;
    if (isProbe) {
      const most = Math.min(MAX_PROBE_PAUSE_MS, FIRST_PROBE_PAUSE_MS * 2 ** this.#failedProbes++);
      this.#probeAt = uptime() + Math.ceil(random() * most);
    }
    const isOlder = receivedAt < Math.min(this.#newestDecidedAt, now());
    const mayBeAtFault = progress === "answered" ? isOlder : isOlder || isLarge;
    if (progress !== "not sent" && mayBeAtFault) return "envelope";
    this.#failure = reason;
    this.#isSilent = progress !== "answered";
    if (!isRetry && ++this.#against >= DOWN_AFTER) this.#reportDown(reason);
    return "ingest";
  }

  #reportDown(reason: string): void {
    const { uptime, onState } = this.#options;
    if (this.#isReportedDown || uptime() - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#isReportedDown = true;
    this.#reportedAt = uptime();
    onState?.({ state: "down", origin: this.origin, reason });
  }
}

/** More than the envelopes that one sender's fault produces at a time; few enough to notice an outage at once. */
export const DOWN_AFTER = 5;

/**
 * Exponential backoff bounds of the pause between two probes; the first probe is made at once. Each pause is random
 * between 0 and its bound, so that many relays do not return at once
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export const FIRST_PROBE_PAUSE_MS = 500;
export const MAX_PROBE_PAUSE_MS = 5_000;

/** An ingest that fails now and then is reported no more often than this. */
export const REPORT_EVERY_MS = 60_000;

/** An ingest that is down, or answers again. `reason` is a part of a sentence: "it answered 503". */
export type IngestState =
  | { readonly state: "down"; readonly origin: string; readonly reason: string }
  | { readonly state: "answers again"; readonly origin: string };

export interface IngestHealthOptions {
  readonly onState?: (state: IngestState) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that is never set back. */
  readonly uptime: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** An attempt that the ingest did not decide. */
export interface UndecidedAttempt {
  /** When the envelope arrived, milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether an attempt from the spool failed before. */
  readonly isRetry: boolean;
  /** Whether the drain probed when the attempt began; never for a live one. */
  readonly isProbe: boolean;
  /** Whether its upload may take longer than an attempt. */
  readonly isLarge: boolean;
  /** `not sent`: there was no connection. `answered`: a whole status line came. */
  readonly progress: "not sent" | "sent" | "answered";
  /** A part of a sentence. */
  readonly reason: string;
}

/** Whose fault it is that an envelope is undecided. */
export type Fault = "ingest" | "envelope";
