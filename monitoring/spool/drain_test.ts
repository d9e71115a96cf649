import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { MAX_PROBE_PAUSE_MS } from "../relay/ingest_health.ts";
import { LEASE_MS } from "./spool.ts";
import {
  CONCURRENT,
  EXPIRE_EVERY_MS,
  POLL_MS,
  RENEW_EVERY_MS,
  STOP_GRACE_MS,
} from "./spool_drain.ts";
import { Bench, DELIVERED, MAX_BYTES, range, SILENT } from "./testdata/drain_bench.ts";
import { BOTH_DSNS, DSN, envelope, NOON, numberOf } from "./testdata/envelopes.ts";

Deno.test("what waits at the start is delivered, after one probe oldest first, and leaves the spool", async () => {
  await using bench = await Bench.open();
  await bench.put(...range(1, 40));
  await bench.start();
  assert.deepEqual(bench.taken(), [40, ...range(1, 39)]);
  assert.deepEqual(bench.ended, [40, ...range(1, 39)].map((n) => [n, "delivered"]));
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
  assert.equal(bench.calls.filter((name) => name === "stats").length, 10);
  assert.ok(bench.calls.length <= 20, `${bench.calls}`);
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
  await bench.pass(MAX_PROBE_PAUSE_MS);
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
  const other = { limit: 10, maxBytes: 1e9, dsns: BOTH_DSNS };
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
    dsns: BOTH_DSNS,
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
  assert.deepEqual(bench.attempts.map(({ n }) => n), [3, 1, 2, 4]);
  for (const attempt of bench.attempts) attempt.end(DELIVERED);
  await bench.quiet();
  assert.deepEqual(bench.taken(), [3, 1, 2, 4]);
  assert.equal((await bench.spool.stats()).pending, 0);
});

Deno.test("delivered while the drain leases the same envelope anew → not delivered twice", async () => {
  await using bench = await Bench.open();
  bench.answer = () => undefined;
  await bench.put(1);
  await bench.start();
  bench.attempts[0]?.end(DELIVERED);
  await bench.put(2);
  assert.deepEqual(bench.attempts.map(({ n }) => n), [1, 2]);
  // The lease of 2 seems to be over, and is given again before the drain knows.
  bench.clock.jump(2 * LEASE_MS);
  const { promise, resolve } = Promise.withResolvers<void>();
  bench.leaseResults = promise;
  await bench.put(3);
  bench.attempts[1]?.end(DELIVERED);
  await bench.quiet();
  resolve();
  await bench.quiet();
  bench.attempts[2]?.end(DELIVERED);
  await bench.quiet();
  assert.deepEqual(bench.taken(), [1, 2, 3]);
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
  assert.deepEqual(bench.reportedStates(), ["spool unavailable"], "reported once");
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
  const left = await bench.spool.lease({ now: NOON, limit: 100, maxBytes: 1e9, dsns: BOTH_DSNS });
  assert.deepEqual(left.map(numberOf), range(CONCURRENT + 1, 59));
  assert.deepEqual(bench.clock.timers, []);
});

Deno.test("stopping ends in time: what takes longer is aborted and given back", async () => {
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
  await stopped;
  assert.deepEqual(bench.clock.timers, []);
  const left = await bench.spool.lease({ now: NOON, limit: 10, maxBytes: 1e9, dsns: BOTH_DSNS });
  assert.deepEqual(left.map(numberOf), [1, 2]);
  bench.drain.wake(DSN);
  await bench.pass(10 * POLL_MS);
  assert.deepEqual(bench.taken(), [2], "nothing after the end");
});
