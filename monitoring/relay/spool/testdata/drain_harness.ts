import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { parseDsn } from "../../../protocol/dsn.ts";
import { STOP } from "../../../protocol/stop_times.ts";
import { AllowList } from "../../admit/allow_list.ts";
import { Duplicates } from "../../admit/duplicates.ts";
import { RelayMetrics } from "../../metrics.ts";
import { CircuitBreaker } from "../../send/circuit_breaker.ts";
import type { AttemptResult } from "../../send/ingest_client.ts";
import { RateLimits } from "../../send/rate_limits.ts";
import { type Drain, startDrain } from "../drain.ts";
import type { LeasedEnvelope, Spool } from "../spool.ts";
import { openSqliteSpool } from "../sqlite_spool.ts";
import { DSN, envelope, numberOf, OTHER_DSN } from "./envelopes.ts";
import { FakeClock } from "./fake_clock.ts";
import { openMemorySpool } from "./memory_spool.ts";

export const MAX_BYTES = 100_000;
export const DELIVERED: AttemptResult = {
  kind: "decided",
  response: { status: 200, headers: new Headers(), body: undefined },
};
/** No answer, or a 500. The ingest's health decides whose fault it is. */
export const SILENT = { kind: "silent" } as const;
export const BAD = { kind: "answers 500" } as const;
/** A rate limit, in milliseconds from now. */
export const limited = (waitMs: number): AttemptResult => ({
  kind: "rate_limited",
  limits: { "x-sentry-rate-limits": "", "retry-after": `${waitMs / 1_000}` },
});
export type IngestAnswer = AttemptResult | typeof SILENT | typeof BAD;
export const ORIGIN = new URL(DSN).host;

export interface Attempt {
  readonly n: number;
  readonly envelope: LeasedEnvelope;
  readonly signal: AbortSignal;
  end(answer: IngestAnswer): void;
}

/** A drain on a SQLite spool, with an ingest and a clock that the test controls. */
export class DrainHarness implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly attempts: Attempt[] = [];
  /** Messages in the log. */
  readonly logged: string[] = [];
  /** Numbers of the envelopes about which the ingest decided. */
  readonly decided: number[] = [];
  /** Envelopes that the drain has sent itself. */
  readonly reported: string[] = [];
  /** Names of the called spool methods. */
  readonly calls: string[] = [];
  /** The ingest's answer; undefined: the test ends the attempt itself. */
  answer: (n: number, envelope: LeasedEnvelope) => IngestAnswer | undefined = () => DELIVERED;
  readonly #health = new Map<string, CircuitBreaker>();
  /** Delays the results of `lease`, after the spool has made the leases. */
  leaseResults: Promise<void> = Promise.resolve();
  /** Running deliveries. */
  active = 0;
  mostActive = 0;
  #callsOpen = 0;
  #drain: Drain | undefined;

  private constructor(readonly spool: Spool) {}

  /** @param path of the spool's file. Default: a spool in memory. */
  static async open(path?: string): Promise<DrainHarness> {
    const options = { maxBytes: MAX_BYTES, lockTimeoutMs: 50 };
    return new DrainHarness(
      path === undefined
        ? openMemorySpool({ ...options, maxAgeHours: 1 })
        : await openSqliteSpool({ ...options, path, maxAgeHours: 1 }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#drain?.stop();
    this.clock.pass(STOP.spoolDeliveries);
    this.clock.pass(STOP.spoolAborts);
    await this.spool.close();
  }

  start(): Promise<void> {
    this.#drain = startDrain({
      spool: this.#recorded(),
      clock: this.clock,
      client: {
        breakers: [],
        ingests: [],
        breakerOf: ({ text }) => this.health(text),
        // The sender is the whole envelope.
        attempt: (_, sender, _limits, drained) =>
          this.#attempt(sender as LeasedEnvelope, drained!.signal),
      },
      allowList: new AllowList([DSN, OTHER_DSN].map((text) => parseDsn(text)!)),
      duplicates: new Duplicates(),
      limits: new RateLimits(),
      metrics: new RelayMetrics(),
      report: (envelope) => this.reported.push(envelope),
      log: (_level, message) => this.logged.push(message),
    });
    return this.quiet();
  }

  /** The real health of a DSN's ingest. */
  health(dsn: string): CircuitBreaker {
    const { host } = new URL(dsn);
    const { now, uptime, random } = this.clock;
    const health = this.#health.get(host) ?? new CircuitBreaker(host, { now, uptime, random });
    this.#health.set(host, health);
    return health;
  }

  get drain() {
    assert.ok(this.#drain);
    return this.#drain;
  }

  /** Puts envelopes and wakes the drain, as the relay does. */
  async put(...numbers: number[]): Promise<void> {
    for (const n of numbers) await this.spool.put(envelope(n));
    this.#drain?.wake(DSN);
    await this.quiet();
  }

  async pass(ms: number): Promise<void> {
    this.clock.pass(ms);
    await this.quiet();
  }

  /** Waits until only deliveries are left that the test has to end. */
  async quiet(): Promise<void> {
    for (let calm = 0; calm < 3; calm++) {
      await setImmediate();
      if (this.#callsOpen > 0) calm = -1;
    }
  }

  /** Numbers of the envelopes attempted since the last call. */
  taken(): number[] {
    return this.attempts.splice(0).map(({ n }) => n);
  }

  /** Sends once, as the relay does, and reports the result to the ingest's health. */
  async #attempt(given: LeasedEnvelope, signal: AbortSignal): Promise<AttemptResult> {
    const { promise, resolve } = Promise.withResolvers<IngestAnswer>();
    const n = numberOf(given);
    const health = this.health(given.dsn);
    const { isProbed: isProbe } = health;
    this.attempts.push({ n, envelope: given, signal, end: resolve });
    this.mostActive = Math.max(this.mostActive, ++this.active);
    signal.addEventListener("abort", () => resolve({ kind: "aborted" }));
    const immediate = this.answer(n, given);
    if (immediate) resolve(immediate);
    const answer = await promise;
    this.active--;
    if (answer.kind !== "silent" && answer.kind !== "answers 500") {
      if (answer.kind !== "aborted") health.decided(given.receivedAt);
      if (answer.kind === "decided") this.decided.push(n);
      return answer;
    }
    const fault = health.undecided({
      receivedAt: given.receivedAt,
      isRetry: given.failures > 0,
      isProbe,
      isLarge: false,
      progress: answer === BAD ? "answered" : "sent",
      reason: answer.kind,
    });
    return { kind: "undecided", fault, reason: answer.kind };
  }

  /** The real spool; records the names of its calls. */
  #recorded(): Spool {
    return new Proxy(this.spool, {
      get: (spool, name: keyof Spool) => async (...args: unknown[]) => {
        this.calls.push(name);
        this.#callsOpen++;
        let result: unknown;
        try {
          result = await Reflect.apply(spool[name]!, spool, args);
        } finally {
          this.#callsOpen--;
        }
        if (name === "lease") await this.leaseResults;
        return result;
      },
    });
  }
}

export const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
