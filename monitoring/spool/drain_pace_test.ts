/** The drain with ingests that are down, with limits, and with envelopes that always fail. */
import assert from "node:assert/strict";
import { MAX_PROBE_PAUSE_MS } from "../relay/ingest_health.ts";
import { MAX_WAIT_MS } from "./spool.ts";
import {
  CONCURRENT,
  FIRST_BACKOFF_MS,
  MAX_BACKOFF_MS,
  MIN_PAUSE_MS,
  POLL_MS,
} from "./spool_drain.ts";
import { BAD, Bench, DELIVERED, limited, ORIGIN, range, SILENT } from "./testdata/drain_bench.ts";
import { DSN, envelope, ERROR, NOON, OTHER, OTHER_DSN, TRANSACTION } from "./testdata/envelopes.ts";

Deno.test("ingest down → one envelope at a time, the newest first, every third the oldest", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(...range(1, 6));
  await bench.start();
  // When all were tried, they take turns.
  for (const n of [6, 5, 1, 4, 3, 2, 6, 5]) {
    assert.deepEqual(bench.attempts.map((attempt) => attempt.n), [n], "one probe");
    bench.attempts.pop()?.end(SILENT);
    await bench.quiet();
    assert.deepEqual(bench.taken(), [], "not before the pause is over");
    await bench.pass(MAX_PROBE_PAUSE_MS);
  }
  assert.equal(bench.mostActive, 1);
});

Deno.test("ingest up again after a long outage → all is delivered at the next probe", async () => {
  await using bench = await Bench.open();
  bench.answer = () => SILENT;
  await bench.put(...range(1, 40));
  await bench.start();
  for (let probe = 0; probe < 300; probe++) await bench.pass(MAX_PROBE_PAUSE_MS);
  assert.ok(bench.taken().length >= 300);
  bench.answer = () => DELIVERED;
  await bench.pass(MAX_PROBE_PAUSE_MS);
  await bench.pass(FIRST_BACKOFF_MS);
  assert.equal(bench.ended.length, 40);
  assert.equal((await bench.spool.stats()).pending, 0);
});

Deno.test("live traffic shows that the ingest is up → the spool drains at once", async () => {
  await using bench = await Bench.open();
  bench.answer = () => SILENT;
  bench.clock.chance = 0.999_999;
  await bench.put(...range(1, 40));
  await bench.start();
  for (let probe = 0; probe < 10; probe++) await bench.pass(MAX_PROBE_PAUSE_MS);
  bench.answer = () => DELIVERED;
  bench.health(DSN).decided(bench.clock.now());
  await bench.quiet();
  assert.ok(bench.ended.length >= 30, `${bench.ended.length}`);
});

for (const count of [40, 500]) {
  Deno.test(`${count} envelopes that always get 500 in front → good ones are delivered at once`, async () => {
    await using bench = await Bench.open();
    const isPoison = (n: number) => n <= count;
    bench.answer = (n) => isPoison(n) ? BAD : DELIVERED;
    for (const n of range(1, count)) await bench.spool.put(envelope(n));
    for (const n of range(count + 1, count + 30)) {
      await bench.spool.put(envelope(n, { receivedAt: NOON + 1 }));
    }
    bench.clock.pass(1);
    await bench.start();
    assert.deepEqual(
      bench.ended.map(([n]) => n).toSorted((a, b) => a - b),
      range(count + 1, count + 30),
    );
    assert.equal(bench.health(DSN).isDown, false);
    assert.equal(bench.health(DSN).mayForward(false), true);
    assert.equal((await bench.spool.stats()).pending, count);
  });
}

Deno.test("an envelope that always gets 500 → its pauses double, and its age ends it", async () => {
  await using bench = await Bench.open();
  bench.answer = () => BAD;
  bench.clock.chance = 0.999_999;
  await bench.spool.put(envelope(1, { quantities: { error: 3 } }));
  bench.health(DSN).decided(NOON + 1);
  bench.clock.pass(2);
  await bench.start();
  const pauses: number[] = [];
  for (let ms = 0, last = 0; ms < 3_700_000; ms += 500) {
    // Others are taken meanwhile.
    bench.health(DSN).decided(bench.clock.now());
    if (bench.taken().length > 0) {
      pauses.push(Math.round((ms - last) / 1_000));
      last = ms;
    }
    bench.clock.pass(500);
    if (ms % 2_500 === 0) await bench.quiet();
  }
  const own = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, ...Array(2).fill(MAX_BACKOFF_MS / 1_000)];
  assert.equal(pauses.length, own.length + 1, `${pauses}`);
  for (const [at, most] of own.entries()) {
    assert.ok(Math.abs(pauses[at + 1]! - most) <= 1 + POLL_MS / 1_000, `${pauses}`);
  }
  assert.deepEqual(bench.dropped, [{ dsn: DSN, envelopes: 1, quantities: { error: 3 } }]);
});

Deno.test("an ingest that is up → gets a bounded number at once", async () => {
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
  assert.deepEqual(bench.taken(), [100, ...range(1, 99)]);
  assert.equal((await bench.spool.stats()).pending, 0);
});

Deno.test("all under way fail at once → the next probe is made at once, then pauses begin", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  bench.clock.chance = 0.999_999;
  await bench.put(...range(1, 100));
  await bench.start();
  bench.attempts[0]?.end(DELIVERED);
  await bench.quiet();
  for (const attempt of bench.attempts.splice(0)) attempt.end(SILENT);
  await bench.quiet();
  assert.equal(bench.active, 1);
  assert.equal(bench.attempts.at(-1)?.n, 99, "the newest");
  bench.attempts.pop()?.end(SILENT);
  await bench.quiet();
  assert.equal(bench.active, 0);
  await bench.pass(MAX_PROBE_PAUSE_MS);
  assert.equal(bench.active, 1);
});

Deno.test("one ingest is down → the others get their envelopes", async () => {
  await using bench = await Bench.open();
  bench.answer = (_, { dsn }) => dsn === DSN ? SILENT : DELIVERED;
  for (const n of range(1, 50)) await bench.spool.put(envelope(n));
  for (const n of range(51, 100)) await bench.spool.put(envelope(n, { dsn: OTHER_DSN }));
  await bench.start();
  assert.deepEqual(bench.ended.map(([n]) => n), [100, ...range(51, 99)]);
  assert.equal(bench.taken().filter((n) => n <= 50).length, 1);
});

Deno.test("a limit on transactions → errors and unknown items go, transactions when it ends", async () => {
  await using bench = await Bench.open();
  const until = 90_000;
  bench.answer = (_, { dsn, categories }) => {
    if (dsn !== DSN || categories !== TRANSACTION || bench.clock.elapsed() >= until) {
      return DELIVERED;
    }
    bench.limits.set(DSN, { categories: TRANSACTION, until });
    return limited(until);
  };
  for (const n of range(1, 100)) await bench.spool.put(envelope(n, { categories: TRANSACTION }));
  for (const n of range(101, 105)) await bench.spool.put(envelope(n, { categories: ERROR }));
  await bench.spool.put(envelope(106, { categories: OTHER }));
  await bench.spool.put(envelope(107, { categories: TRANSACTION | ERROR }));
  await bench.spool.put(envelope(108, { dsn: OTHER_DSN, categories: TRANSACTION }));
  await bench.start();
  assert.deepEqual(bench.ended.map(([n]) => n).toSorted(), range(101, 108));
  assert.equal(bench.taken().filter((n) => n <= 100).length, 1, "one met the limit");
  // A clock that is set back makes no limit longer.
  bench.clock.jump(-3_600_000);
  for (let ms = 0; ms < 89_000; ms += 1_000) await bench.pass(1_000);
  assert.deepEqual(bench.taken(), []);
  await bench.pass(1_000);
  assert.deepEqual(bench.taken().toSorted((a, b) => a - b), range(1, 100));
  assert.deepEqual(bench.states, [], "a limit is no outage");
});

Deno.test("429 whose limit holds nothing of its envelope → that one is put off, an hour at most", async () => {
  for (
    const [waitMs, pause] of [[-1_000, MIN_PAUSE_MS], [90_000, 90_000], [
      1e15,
      MAX_WAIT_MS,
    ]] as const
  ) {
    await using bench = await Bench.open();
    bench.answer = (n) => n === 1 ? limited(waitMs) : DELIVERED;
    await bench.put(1, 2);
    await bench.start();
    assert.deepEqual(bench.taken().toSorted(), [1, 2]);
    await bench.pass(pause - 1);
    assert.deepEqual(bench.taken(), [], `${waitMs} ms`);
    await bench.pass(POLL_MS);
    assert.deepEqual(bench.taken(), [1], `${waitMs} ms`);
  }
});

Deno.test("a delivery that throws → its envelope is put off", async () => {
  await using bench = await Bench.open();
  bench.answer = () => {
    throw new Error("no route");
  };
  await bench.put(1);
  await bench.start();
  assert.deepEqual(bench.taken(), [1]);
  bench.answer = () => DELIVERED;
  await bench.pass(FIRST_BACKOFF_MS);
  assert.deepEqual(bench.ended, [[1, "delivered"]]);
});

Deno.test("the spool is empty after an outage → that is reported once", async () => {
  await using bench = await Bench.open();
  bench.answer = () => BAD;
  await bench.put(...range(1, 50));
  await bench.start();
  for (let probe = 0; probe < 10; probe++) await bench.pass(MAX_PROBE_PAUSE_MS);
  assert.equal(bench.health(DSN).isDown, true);
  assert.deepEqual(bench.states, []);
  bench.answer = () => DELIVERED;
  for (let look = 0; look < 5; look++) await bench.pass(POLL_MS);
  assert.deepEqual(bench.states, [{ state: "recovered", origin: ORIGIN }]);
});
