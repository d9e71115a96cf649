import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type DrainState,
  EXPIRE_EVERY_MS,
  MIN_PAUSE_MS,
  POLL_MS,
  RENEW_EVERY_MS,
  startDrain,
  STOP_ABORT_MS,
  STOP_GRACE_MS,
  TELL_DOWN_EVERY_MS,
  type Verdict,
} from "./drain.ts";
import { type Dropped, LEASE_MS, type LeasedEnvelope, type Spool } from "./spool.ts";
import { openSqliteSpool } from "./sqlite_spool.ts";
import { DSN, envelope, NOON, numberOf, OTHER_DSN } from "./testdata/envelopes.ts";
import { FakeClock } from "./testdata/fake_clock.ts";
import { CONCURRENT, FIRST_BACKOFF_MS, MAX_BACKOFF_MS } from "./upstream_state.ts";

const MAX_BYTES = 100_000;
const DELIVERED: Verdict = { kind: "delivered" };
const SILENT: Verdict = { kind: "unreachable", reason: "connection refused" };
const ORIGIN = new URL(DSN).host;

interface Attempt {
  readonly n: number;
  readonly envelope: LeasedEnvelope;
  readonly signal: AbortSignal;
  end(verdict: Verdict): void;
}

/** A drain on a real spool, with an ingest and a clock that a test moves. */
class Bench implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly attempts: Attempt[] = [];
  readonly states: DrainState[] = [];
  readonly ended: [number, string][] = [];
  readonly dropped: Dropped[] = [];
  /** Names of the spool's methods that were called. */
  readonly calls: string[] = [];
  /** What the ingest says; undefined: the test says it, by `attempts`. */
  answer: (n: number, envelope: LeasedEnvelope) => Verdict | undefined = () => DELIVERED;
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
      originOf: (dsn) => new URL(dsn).host,
      deliver: (given, signal) => this.#deliver(given, signal),
      onEnded: (given, end) =>
        this.ended.push([numberOf(given), end.kind === "refused" ? end.reason : end.kind]),
      onDropped: (dropped) => this.dropped.push(dropped),
      onState: (state) => this.states.push(state),
    });
    return this.quiet();
  }

  get drain() {
    assert.ok(this.#drain);
    return this.#drain;
  }

  /** Puts envelopes and says so, as the relay does. */
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

  /** The envelopes that were attempted since it was asked last. */
  taken(): number[] {
    return this.attempts.splice(0).map(({ n }) => n);
  }

  toldStates(): string[] {
    return this.states.map(({ state }) => state);
  }

  #deliver(given: LeasedEnvelope, signal: AbortSignal): Promise<Verdict> {
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const n = numberOf(given);
    this.attempts.push({ n, envelope: given, signal, end: resolve });
    this.mostActive = Math.max(this.mostActive, ++this.active);
    const verdict = this.answer(n, given);
    if (verdict) resolve(verdict);
    return promise.finally(() => this.active--);
  }

  /** The spool itself, with an eye on its calls. */
  #watched(): Spool {
    return new Proxy(this.spool, {
      get: (spool, name: keyof Spool) => async (...args: unknown[]) => {
        this.calls.push(name);
        this.#waiting++;
        try {
          return await Reflect.apply(spool[name], spool, args);
        } finally {
          this.#waiting--;
        }
      },
    });
  }
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

Deno.test("what waits at the start is delivered, oldest first, and leaves the spool", async () => {
  await using bench = await Bench.open();
  await bench.put(...range(1, 40));
  await bench.start();
  assert.deepEqual(bench.taken(), range(1, 40));
  assert.deepEqual(bench.ended, range(1, 40).map((n) => [n, "delivered"]));
  assert.equal((await bench.spool.stats()).pending, 0);
  assert.deepEqual(bench.states, [], "nothing was wrong, so nothing is told");
});

Deno.test("what is put later is delivered when the drain is woken, and without a word at the next look", async () => {
  await using bench = await Bench.open();
  await bench.start();
  await bench.put(1);
  assert.deepEqual(bench.taken(), [1]);
  await bench.spool.put(envelope(2));
  await bench.pass(POLL_MS - 1);
  assert.deepEqual(bench.taken(), []);
  await bench.pass(1);
  assert.deepEqual(bench.taken(), [2]);
});

Deno.test("an empty spool is looked at every few seconds and not in between", async () => {
  await using bench = await Bench.open();
  await bench.start();
  assert.deepEqual(bench.clock.timers, [POLL_MS]);
  bench.calls.length = 0;
  for (let look = 0; look < 10; look++) await bench.pass(POLL_MS);
  assert.deepEqual(bench.clock.timers, [POLL_MS]);
  assert.equal(bench.calls.filter((name) => name === "lease").length, 10);
  assert.ok(bench.calls.length <= 20, `${bench.calls}`);
});

Deno.test("an ingest that is down is tried with one envelope at a time, each time another one", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(...range(1, 5));
  await bench.start();
  for (const n of [1, 2, 3, 4, 5, 1, 2]) {
    assert.deepEqual(bench.attempts.map((attempt) => attempt.n), [n], "one probe");
    bench.attempts.pop()?.end(SILENT);
    await bench.quiet();
    assert.deepEqual(bench.taken(), [], "not before the pause is over");
    await bench.pass(MAX_BACKOFF_MS);
  }
  assert.equal(bench.mostActive, 1);
});

Deno.test("pauses double up to 15 seconds, and each is drawn from all of its length", async () => {
  await using bench = await Bench.open();
  bench.answer = () => SILENT;
  bench.clock.chance = 0.999_999;
  await bench.put(1);
  await bench.start();
  let most = FIRST_BACKOFF_MS;
  for (let failure = 0; failure < 8; failure++) {
    assert.deepEqual(bench.taken(), [1]);
    await bench.pass(most - 1);
    assert.deepEqual(bench.taken(), [], `pause ${failure}`);
    await bench.pass(1);
    most = Math.min(MAX_BACKOFF_MS, 2 * most);
  }
  assert.equal(most, MAX_BACKOFF_MS);
  bench.clock.chance = 0.25;
  await bench.pass(MAX_BACKOFF_MS);
  bench.taken();
  await bench.pass(MAX_BACKOFF_MS / 4 - 1);
  assert.deepEqual(bench.taken(), []);
  await bench.pass(1);
  assert.deepEqual(bench.taken(), [1]);
});

Deno.test("an outage is told in three words, however many envelopes wait", async () => {
  await using bench = await Bench.open();
  bench.answer = () => SILENT;
  await bench.put(...range(1, 50));
  await bench.start();
  for (let probe = 0; probe < 10; probe++) await bench.pass(MAX_BACKOFF_MS);
  assert.deepEqual(bench.states, [{ state: "down", origin: ORIGIN, reason: SILENT.reason }]);
  bench.answer = () => DELIVERED;
  await bench.pass(MAX_BACKOFF_MS);
  assert.deepEqual(bench.states.slice(1), [
    { state: "draining", origin: ORIGIN },
    { state: "recovered", origin: ORIGIN },
  ]);
  assert.equal((await bench.spool.stats()).pending, 0);
  assert.equal(bench.ended.length, 50);
});

Deno.test("an ingest that comes and goes is told to be down once a minute at most", async () => {
  await using bench = await Bench.open();
  let attempt = 0;
  bench.answer = () => attempt++ % 2 === 0 ? SILENT : DELIVERED;
  await bench.start();
  for (let n = 0; n < 100; n++) {
    await bench.put(n);
    await bench.pass(FIRST_BACKOFF_MS);
  }
  assert.equal(bench.ended.length, 100);
  const minutes = Math.ceil(100 * FIRST_BACKOFF_MS / TELL_DOWN_EVERY_MS);
  const downs = bench.toldStates().filter((state) => state === "down");
  assert.equal(downs.length, minutes);
});

Deno.test("an ingest that answers gets a bounded number at once", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(...range(1, 100));
  await bench.start();
  assert.equal(bench.active, 1, "nothing is known of it yet");
  bench.attempts[0]?.end(DELIVERED);
  await bench.quiet();
  assert.equal(bench.active, CONCURRENT);
  for (const at of range(1, 99)) {
    bench.attempts[at]?.end(DELIVERED);
    await bench.quiet();
  }
  assert.equal(bench.mostActive, CONCURRENT);
  assert.deepEqual(bench.taken(), range(1, 100));
  assert.equal((await bench.spool.stats()).pending, 0);
});

Deno.test("many failures at once are one outage: the next pause is the first one", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  bench.clock.chance = 0.999_999;
  await bench.put(...range(1, 100));
  await bench.start();
  bench.attempts[0]?.end(DELIVERED);
  await bench.quiet();
  for (const attempt of bench.attempts.splice(0)) attempt.end(SILENT);
  await bench.quiet();
  assert.equal(bench.active, 0);
  await bench.pass(FIRST_BACKOFF_MS);
  assert.equal(bench.taken().length, 1);
  assert.deepEqual(bench.toldStates(), ["down"]);
});

Deno.test("an envelope that the ingest breaks at holds up no other", async () => {
  await using bench = await Bench.open();
  bench.answer = (n) => n === 1 ? SILENT : DELIVERED;
  await bench.put(...range(1, 20));
  await bench.start();
  await bench.pass(FIRST_BACKOFF_MS);
  assert.deepEqual(bench.ended.map(([n]) => n), range(2, 20));
  assert.equal((await bench.spool.stats()).pending, 1);
});

Deno.test("an ingest that is down holds up no other", async () => {
  await using bench = await Bench.open();
  bench.answer = (_, { dsn }) => dsn === DSN ? SILENT : DELIVERED;
  for (const n of range(1, 50)) await bench.spool.put(envelope(n));
  for (const n of range(51, 100)) await bench.spool.put(envelope(n, { dsn: OTHER_DSN }));
  await bench.start();
  assert.deepEqual(bench.ended.map(([n]) => n), range(51, 100));
  assert.equal(bench.taken().filter((n) => n <= 50).length, 1);
});

Deno.test("a limit pauses its DSN alone until it ends, and drops nothing", async () => {
  await using bench = await Bench.open();
  const sameIngest = DSN.replace(/1$/, "77");
  let limited = true;
  bench.answer = (_, { dsn }) =>
    dsn === DSN && limited ? { kind: "rate_limited", until: NOON + 90_000 } : DELIVERED;
  for (const n of range(1, 50)) await bench.spool.put(envelope(n));
  for (const n of range(51, 60)) await bench.spool.put(envelope(n, { dsn: sameIngest }));
  await bench.start();
  assert.deepEqual(bench.ended.map(([n]) => n), range(51, 60));
  const tried = bench.taken().filter((n) => n <= 50);
  assert.deepEqual(tried, [1]);
  await bench.put(200);
  // A clock that is set back makes no limit longer.
  bench.clock.jump(-3_600_000);
  for (let ms = 0; ms < 89_000; ms += 1_000) await bench.pass(1_000);
  assert.deepEqual(bench.taken(), []);
  assert.equal((await bench.spool.stats()).pending, 51);
  limited = false;
  await bench.pass(1_000);
  assert.deepEqual(bench.taken(), [...range(1, 50), 200]);
  assert.deepEqual(bench.states, [], "a limit is no outage");
});

Deno.test("a limit that is over when it is told pauses for a moment all the same", async () => {
  await using bench = await Bench.open();
  bench.answer = () => ({ kind: "rate_limited", until: NOON - 1_000 });
  await bench.put(1);
  await bench.start();
  await bench.pass(MIN_PAUSE_MS - 1);
  assert.deepEqual(bench.taken(), [1]);
  await bench.pass(1);
  assert.deepEqual(bench.taken(), [1]);
});

Deno.test("a refusal ends the envelope, with its reason", async () => {
  await using bench = await Bench.open();
  bench.answer = (n) => n === 2 ? { kind: "refused", reason: "403 invalid key" } : DELIVERED;
  await bench.put(1, 2, 3);
  await bench.start();
  assert.deepEqual(bench.ended.sort(), [[1, "delivered"], [2, "403 invalid key"], [
    3,
    "delivered",
  ]]);
  assert.equal((await bench.spool.stats()).pending, 0);
});

Deno.test("a delivery that throws counts as no answer", async () => {
  await using bench = await Bench.open();
  bench.answer = () => {
    throw new Error("no route");
  };
  await bench.put(1);
  await bench.start();
  assert.deepEqual(bench.states, [{ state: "down", origin: ORIGIN, reason: "no route" }]);
  assert.equal((await bench.spool.stats()).pending, 1);
});

Deno.test("a replay's segments go one after another, in order", async () => {
  await using bench = await Bench.open();
  for (const n of range(1, 8)) {
    await bench.spool.put(envelope(n, { sequence: n % 2 === 0 ? "even" : "odd" }));
  }
  let most = 0;
  const out = new Set<string | undefined>();
  bench.answer = (_, { sequence }) => {
    assert.ok(!out.has(sequence), "two of one replay");
    out.add(sequence);
    most = Math.max(most, out.size);
    queueMicrotask(() => out.delete(sequence));
    return DELIVERED;
  };
  await bench.start();
  const order = bench.ended.map(([n]) => n);
  assert.deepEqual(order.filter((n) => n % 2 === 0), [2, 4, 6, 8]);
  assert.deepEqual(order.filter((n) => n % 2 === 1), [1, 3, 5, 7]);
});

Deno.test("what is too old is given up and told, not delivered", async () => {
  await using bench = await Bench.open();
  await bench.spool.put(envelope(1, { receivedAt: NOON - 3_600_001, quantities: { replay: 2 } }));
  await bench.spool.put(envelope(2, { receivedAt: NOON - 3_600_000 + EXPIRE_EVERY_MS / 2 }));
  bench.answer = () => SILENT;
  await bench.start();
  assert.deepEqual(bench.taken(), [2]);
  assert.deepEqual(bench.dropped, [{ dsn: DSN, envelopes: 1, quantities: { replay: 2 } }]);
  await bench.pass(EXPIRE_EVERY_MS);
  assert.deepEqual(bench.dropped.slice(1), [
    { dsn: DSN, envelopes: 1, quantities: { error: 1 } },
  ]);
  assert.equal((await bench.spool.stats()).pending, 0);
});

Deno.test("a spool that is nearly full is told once, and again after there was room", async () => {
  await using bench = await Bench.open();
  bench.answer = () => SILENT;
  await bench.start();
  const fill = async (from: number) => {
    for (const n of range(from, from + 8)) await bench.spool.put(envelope(n, { bytes: 9_000 }));
    for (let look = 0; look < 5; look++) await bench.pass(POLL_MS);
  };
  await fill(1);
  const nearly = { state: "nearly full", bytes: 81_000, maxBytes: MAX_BYTES };
  assert.deepEqual(bench.states.filter(({ state }) => state === "nearly full"), [nearly]);
  bench.answer = () => DELIVERED;
  await bench.pass(MAX_BACKOFF_MS);
  await bench.pass(POLL_MS);
  bench.answer = () => SILENT;
  await fill(11);
  assert.deepEqual(bench.states.filter(({ state }) => state === "nearly full"), [nearly, nearly]);
});

Deno.test("a delivery that takes long keeps its envelope", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(1);
  await bench.start();
  for (let ms = 0; ms < 3 * LEASE_MS; ms += 2_000) await bench.pass(2_000);
  const other = { limit: 10, maxBytes: 1e9, exclude: [] };
  assert.deepEqual(await bench.spool.lease({ now: bench.clock.now(), ...other }), []);
  bench.attempts[0]?.end(DELIVERED);
  await bench.quiet();
  assert.deepEqual(bench.taken(), [1]);
  assert.deepEqual(bench.ended, [[1, "delivered"]]);
  assert.equal((await bench.spool.stats()).pending, 0);
});

Deno.test("an envelope that another process took meanwhile is not delivered here any more", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(1);
  await bench.start();
  // As if this process had stood still for longer than a lease.
  const [taken] = await bench.spool.lease({
    now: NOON + LEASE_MS,
    limit: 1,
    maxBytes: 1e9,
    exclude: [],
  });
  assert.ok(taken);
  await bench.pass(RENEW_EVERY_MS);
  assert.equal(bench.attempts[0]?.signal.aborted, true);
  bench.attempts[0]?.end(DELIVERED);
  await bench.quiet();
  assert.deepEqual(bench.ended, []);
  assert.equal(await bench.spool.done(taken), true);
});

Deno.test("the clock is set forward: what is being delivered is not delivered twice", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(1, 2, 3);
  await bench.start();
  bench.attempts[0]?.end(DELIVERED);
  await bench.quiet();
  assert.equal(bench.active, 2);
  bench.clock.jump(2 * LEASE_MS);
  await bench.put(4);
  assert.deepEqual(bench.attempts.map(({ n }) => n), [1, 2, 3, 4]);
  for (const attempt of bench.attempts) attempt.end(DELIVERED);
  await bench.quiet();
  assert.deepEqual(bench.taken(), [1, 2, 3, 4]);
  assert.equal((await bench.spool.stats()).pending, 0);
});

Deno.test("delivered while the spool cannot be written: deleted later, not delivered again", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(1);
  await bench.start();
  const other = new DatabaseSync(bench.path);
  other.exec("BEGIN IMMEDIATE");
  bench.attempts[0]?.end(DELIVERED);
  await bench.quiet();
  assert.deepEqual(bench.ended, [[1, "delivered"]]);
  for (let look = 0; look < 3; look++) await bench.pass(POLL_MS);
  assert.deepEqual(bench.toldStates(), ["spool unavailable"], "told once");
  other.exec("ROLLBACK");
  other.close();
  await bench.pass(POLL_MS);
  assert.equal((await bench.spool.stats()).pending, 0);
  assert.deepEqual(bench.taken(), [1]);
  assert.deepEqual(bench.ended, [[1, "delivered"]]);
});

Deno.test("stopping waits for what is under way", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(...range(1, 60));
  await bench.start();
  bench.attempts[0]?.end(DELIVERED);
  await bench.quiet();
  const stopped = bench.drain.stop();
  await bench.quiet();
  const under = bench.attempts.slice(1);
  assert.equal(under.length, CONCURRENT);
  assert.ok(under.every(({ signal }) => !signal.aborted));
  for (const attempt of under) attempt.end(DELIVERED);
  await stopped;
  assert.equal(bench.ended.length, 1 + CONCURRENT);
  // The others are at their place, and free at once.
  const left = await bench.spool.lease({ now: NOON, limit: 100, maxBytes: 1e9, exclude: [] });
  assert.deepEqual(left.map(numberOf), range(CONCURRENT + 2, 60));
  assert.deepEqual(bench.clock.timers, []);
});

Deno.test("stopping ends within a second: what takes longer is aborted and given back", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(1, 2);
  await bench.start();
  let over = false;
  const stopped = bench.drain.stop().then(() => over = true);
  await bench.quiet();
  await bench.pass(STOP_GRACE_MS - 1);
  assert.equal(bench.attempts[0]?.signal.aborted, false);
  assert.equal(over, false);
  await bench.pass(1);
  assert.equal(bench.attempts[0]?.signal.aborted, true);
  // It never ends, and is not waited for.
  await stopped;
  assert.ok(STOP_GRACE_MS + STOP_ABORT_MS < 1_000);
  const left = await bench.spool.lease({ now: NOON, limit: 10, maxBytes: 1e9, exclude: [] });
  assert.deepEqual(left.map(numberOf), [1, 2]);
  bench.drain.wake(DSN);
  await bench.pass(10 * POLL_MS);
  assert.deepEqual(bench.taken(), [1], "nothing after the end");
});
