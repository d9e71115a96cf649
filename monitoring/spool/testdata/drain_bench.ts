import assert from "node:assert/strict";
import { join } from "node:path";
import { IngestHealth } from "../../relay/ingest_health.ts";
import { type DrainState, startDrain, type Verdict } from "../drain.ts";
import type { Dropped, LeasedEnvelope, Spool } from "../spool.ts";
import { STOP_ABORT_MS, STOP_GRACE_MS } from "../spool_drain.ts";
import { openSqliteSpool } from "../sqlite_spool.ts";
import { DSN, envelope, numberOf } from "./envelopes.ts";
import { FakeClock } from "./fake_clock.ts";

export const MAX_BYTES = 100_000;
export const DELIVERED: Verdict = { kind: "delivered" };
/** No answer, or one that does not decide. The ingest's health determines whose fault it is. */
export const SILENT = { kind: "silent" } as const;
export const BAD = { kind: "answers 500" } as const;
/** A limit on transactions, in milliseconds from now. */
export const limited = (waitMs: number): Verdict => ({ kind: "rate_limited", waitMs });
export type Answer = Verdict | typeof SILENT | typeof BAD;
export const ORIGIN = new URL(DSN).host;

export interface Attempt {
  readonly n: number;
  readonly envelope: LeasedEnvelope;
  readonly signal: AbortSignal;
  end(answer: Answer): void;
}

/** A drain on a real spool, with an ingest and a clock that a test moves. */
export class Bench implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly attempts: Attempt[] = [];
  readonly states: DrainState[] = [];
  readonly ended: [number, string][] = [];
  readonly dropped: Dropped[] = [];
  /** Names of the spool's methods that were called. */
  readonly calls: string[] = [];
  /** The ingest's answer; undefined: the test gives it through `attempts`. */
  answer: (n: number, envelope: LeasedEnvelope) => Answer | undefined = () => DELIVERED;
  /** Limited categories by DSN, and until when on the clock that is never set back. */
  readonly limits = new Map<string, { categories: number; until: number }>();
  readonly #health = new Map<string, IngestHealth>();
  /** Holds back the results of the spool's leases, which it has made. */
  leaseResults: Promise<void> = Promise.resolve();
  /** Deliveries under way. */
  active = 0;
  mostActive = 0;
  #waiting = 0;
  #drain: ReturnType<typeof startDrain> | undefined;

  private constructor(readonly folder: string, readonly path: string, readonly spool: Spool) {}

  static async open(): Promise<Bench> {
    const folder = Deno.makeTempDirSync({ prefix: "drain-" });
    const path = join(folder, "spool.sqlite");
    const options = { path, maxBytes: MAX_BYTES, maxAgeHours: 1, lockTimeoutMs: 50 };
    return new Bench(folder, path, await openSqliteSpool(options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#drain?.stop();
    this.clock.pass(STOP_GRACE_MS);
    this.clock.pass(STOP_ABORT_MS);
    await this.spool.close();
    Deno.removeSync(this.folder, { recursive: true });
  }

  start(): Promise<void> {
    this.#drain = startDrain({
      spool: this.#watched(),
      clock: this.clock,
      upstreamOf: (dsn) => this.health(dsn),
      limitsOf: (dsn) => this.#limitsOf(dsn),
      deliver: (given, signal) => this.#deliver(given, signal),
      onEnded: (given, end) =>
        this.ended.push([numberOf(given), end.kind === "refused" ? end.reason : end.kind]),
      onDropped: (dropped) => this.dropped.push(dropped),
      onState: (state) => this.states.push(state),
    });
    return this.quiet();
  }

  /** The real health of a DSN's ingest. */
  health(dsn: string): IngestHealth {
    const { host } = new URL(dsn);
    const { now, elapsed: uptime, random } = this.clock;
    const health = this.#health.get(host) ?? new IngestHealth(host, { now, uptime, random });
    this.#health.set(host, health);
    return health;
  }

  #limitsOf(dsn: string) {
    const limit = this.limits.get(dsn);
    const endsInMs = limit ? limit.until - this.clock.elapsed() : 0;
    if (!limit || endsInMs <= 0) return { categories: 0, endsInMs: Infinity };
    return { categories: limit.categories, endsInMs };
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

  /** Until nothing happens any more but deliveries that the test has to end. */
  async quiet(): Promise<void> {
    for (let calm = 0; calm < 3; calm++) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (this.#waiting > 0) calm = -1;
    }
  }

  /** The envelopes that were attempted since the last call. */
  taken(): number[] {
    return this.attempts.splice(0).map(({ n }) => n);
  }

  reportedStates(): string[] {
    return this.states.map(({ state }) => state);
  }

  /** Sends once, as the relay does, and reports the result to the ingest's health. */
  async #deliver(given: LeasedEnvelope, signal: AbortSignal): Promise<Verdict> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
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
    return { kind: "undecided", reason: answer.kind, fault };
  }

  /** The real spool; records the names of its calls. */
  #watched(): Spool {
    return new Proxy(this.spool, {
      get: (spool, name: keyof Spool) => async (...args: unknown[]) => {
        this.calls.push(name);
        this.#waiting++;
        let result: unknown;
        try {
          result = await Reflect.apply(spool[name], spool, args);
        } finally {
          this.#waiting--;
        }
        if (name === "lease") await this.leaseResults;
        return result;
      },
    });
  }
}

export const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
