import type { Clock } from "./clock.ts";

/**
 * The circuit breaker of one ingest, for live and spooled envelopes together:
 * 1. A decision (2xx, or 4xx except 408 and 425) about any envelope closes the circuit.
 * 2. An attempt without a decision is the envelope's own fault if the envelope is older than the newest decided one, or
 *    if it is too large for the timeout and the ingest did not answer. A failure to connect never is.
 * 3. {@linkcode DOWN_AFTER} other attempts in a row without a decision open the circuit: live envelopes go to the spool.
 *    Live attempts count, and the first attempt of each spooled envelope. If the ingest still answers (5xx), the circuit
 *    is half-open: one live envelope at a time is sent.
 * 4. {@linkcode DOWN_AFTER} attempts in a row without a decision, of any envelopes: the drain probes. It sends one
 *    envelope at a time, with pauses. It also probes before the first decision.
 * 5. If no envelope waits and none has failed for {@linkcode FAILURE_MS}, the circuit closes: the last failure is out of
 *    date.
 */
export class CircuitBreaker {
  readonly origin: string;
  /** Called when probing ends. Set by the drain. */
  onUp: (() => void) | undefined;
  readonly #options: CircuitBreakerOptions;
  /** Rule 3: first attempts in a row that count against the ingest. */
  #failedFirstAttempts = 0;
  /** Rule 4: attempts in a row without a decision. */
  #failedAttempts = DOWN_AFTER;
  #failedProbes = 0;
  #nextProbeAt = 0;
  #lastReason = "";
  #lastWasAnswered = true;
  #liveAttempts = 0;
  /** Arrival of the newest envelope with a decision. */
  #newestDecidedAt = -Infinity;
  #updatedAt = 0;
  #isReportedDown = false;
  #reportedAt = -Infinity;

  constructor(origin: string, options: CircuitBreakerOptions) {
    this.origin = origin;
    this.#options = options;
  }

  /** Rule 3. */
  get state(): "closed" | "half-open" | "open" {
    if (this.#failedFirstAttempts < DOWN_AFTER) return "closed";
    return this.#lastWasAnswered ? "half-open" : "open";
  }

  /** Rule 4: whether the drain sends one envelope at a time. */
  get isProbed(): boolean {
    return this.#failedAttempts >= DOWN_AFTER;
  }

  /** Whether the next probe is the newest envelope. Every third is the oldest: the newest ones may be at fault. */
  get probesNewest(): boolean {
    return this.#failedProbes % 3 !== 2;
  }

  get probeInMs(): number {
    return Math.max(0, this.#nextProbeAt - this.#options.uptime());
  }

  /** Why the last attempt failed that counts against the ingest; undefined: none since the last decision. */
  get failure(): string | undefined {
    return this.#failedFirstAttempts > 0 ? this.#lastReason : undefined;
  }

  /** When {@linkcode failure} was last set or cleared, milliseconds since 1970; 0: never. */
  get updatedAt(): number {
    return this.#updatedAt;
  }

  /** @param spoolFails an open circuit then counts as half-open: the alternative is to refuse the envelope */
  mayForward(spoolFails: boolean): boolean {
    if (this.state === "closed") return true;
    return this.#liveAttempts === 0 && (this.state === "half-open" || spoolFails);
  }

  liveAttemptStarted(): void {
    this.#liveAttempts++;
  }

  liveAttemptEnded(): void {
    this.#liveAttempts--;
  }

  /** @param receivedAt when the envelope arrived, milliseconds since 1970 */
  decided(receivedAt: number): void {
    const wasProbed = this.isProbed;
    this.#updatedAt = this.#options.now();
    this.#failedFirstAttempts = 0;
    this.#failedAttempts = 0;
    this.#failedProbes = 0;
    this.#nextProbeAt = 0;
    // No later than now: the clock may have been set back.
    const newest = Math.max(this.#newestDecidedAt, receivedAt);
    this.#newestDecidedAt = Math.min(newest, this.#options.now());
    if (this.#isReportedDown) {
      this.#isReportedDown = false;
      this.#options.log?.("info", "An ingest is up again", { origin: this.origin });
    }
    if (wasProbed) this.onUp?.();
  }

  /** @returns the probable cause */
  undecided(attempt: UndecidedAttempt): Fault {
    const { receivedAt, isRetry, isProbe, isLarge, progress, reason } = attempt;
    const { now, uptime, random } = this.#options;
    this.#failedAttempts++;
    if (isProbe) {
      const bound = Math.min(MAX_PROBE_PAUSE_MS, FIRST_PROBE_PAUSE_MS * 2 ** this.#failedProbes++);
      this.#nextProbeAt = uptime() + Math.ceil(random() * bound);
    }
    const isOlder = receivedAt < Math.min(this.#newestDecidedAt, now());
    const mayBeAtFault = progress === "answered" ? isOlder : isOlder || isLarge;
    if (progress !== "not sent" && mayBeAtFault) return "envelope";
    this.#lastReason = reason;
    this.#updatedAt = now();
    this.#lastWasAnswered = progress === "answered";
    if (!isRetry && ++this.#failedFirstAttempts >= DOWN_AFTER) this.#reportDown(reason);
    return "ingest";
  }

  /** Rule 5: another process has delivered what waited, or it has expired. */
  noneWaits(): void {
    const { now } = this.#options;
    if (this.failure === undefined || now() - this.#updatedAt < FAILURE_MS) return;
    this.#failedFirstAttempts = 0;
    this.#updatedAt = now();
  }

  #reportDown(reason: string): void {
    const { uptime, log } = this.#options;
    if (this.#isReportedDown || uptime() - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#isReportedDown = true;
    this.#reportedAt = uptime();
    log?.("warn", "An ingest is down", { origin: this.origin, reason });
  }
}

/** More than the envelopes that one faulty client sends at a time; few enough to notice an outage at once. */
export const DOWN_AFTER = 5;

/** Bounds of random pauses between probes: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ */
export const FIRST_PROBE_PAUSE_MS = 500;
export const MAX_PROBE_PAUSE_MS = 5_000;

export const REPORT_EVERY_MS = 60_000;

/** Longer than it takes to store a failed envelope in the spool. */
export const FAILURE_MS = 30_000;

export type RelayLog = (
  level: "info" | "warn" | "error",
  message: string,
  attributes?: Readonly<Record<string, string | number>>,
) => void;

interface CircuitBreakerOptions extends Omit<Clock, "after"> {
  readonly log?: RelayLog;
}

export interface UndecidedAttempt {
  readonly receivedAt: number;
  /** Whether an earlier attempt from the spool failed. */
  readonly isRetry: boolean;
  /** Whether the drain was probing when the attempt began; false for a live envelope. */
  readonly isProbe: boolean;
  /** Whether the upload may take longer than the timeout of an attempt. */
  readonly isLarge: boolean;
  /** `not sent`: no connection. `answered`: a complete status line was received. */
  readonly progress: "not sent" | "sent" | "answered";
  readonly reason: string;
}

export type Fault = "ingest" | "envelope";
