import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "../../../tests/harness/temporary_folder.ts";
import { STOP } from "../../protocol/stop_times.ts";
import { MAX_PROBE_PAUSE_MS } from "../send/circuit_breaker.ts";
import { LEASE_MS } from "./spool.ts";
import { MAX_CONCURRENT, POLL_MS, RENEW_EVERY_MS } from "./drain.ts";
import { DELIVERED, DrainHarness, range, SILENT } from "./testdata/drain_harness.ts";
import { BOTH_DSNS, DSN, envelope, NOON, numberOf } from "./testdata/envelopes.ts";

Deno.test("envelope put later → delivered on wake-up, else at the next poll", async () => {
  await using harness = await DrainHarness.open();
  await harness.start();
  await harness.put(1);
  assert.deepEqual(harness.taken(), [1]);
  await harness.spool.put(envelope(2));
  await harness.pass(POLL_MS - 1);
  assert.deepEqual(harness.taken(), []);
  await harness.pass(1);
  assert.deepEqual(harness.taken(), [2]);
});

Deno.test("empty spool → one poll every few seconds and nothing else", async () => {
  await using harness = await DrainHarness.open();
  await harness.start();
  assert.deepEqual(harness.clock.timers, [POLL_MS]);
  harness.calls.length = 0;
  for (let look = 0; look < 10; look++) await harness.pass(POLL_MS);
  assert.deepEqual(harness.clock.timers, [POLL_MS]);
  assert.equal(harness.calls.filter((name) => name === "stats").length, 10);
  assert.ok(harness.calls.length <= 20, `${harness.calls}`);
});

Deno.test("spool nearly full → logged once, and again only after it had room", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => SILENT;
  await harness.start();
  const fill = async (from: number) => {
    for (const n of range(from, from + 8)) await harness.spool.put(envelope(n, { bytes: 9_000 }));
    for (let look = 0; look < 5; look++) await harness.pass(POLL_MS);
  };
  await fill(1);
  const nearlyFull = () => harness.logged.filter((line) => line === "The spool is nearly full");
  assert.equal(nearlyFull().length, 1);
  harness.answer = () => DELIVERED;
  await harness.pass(MAX_PROBE_PAUSE_MS);
  await harness.pass(POLL_MS);
  harness.answer = () => SILENT;
  await fill(11);
  assert.equal(nearlyFull().length, 2);
});

Deno.test("delivery longer than a lease → the lease is renewed", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  await harness.put(1);
  await harness.start();
  for (let ms = 0; ms < 3 * LEASE_MS; ms += 2_000) await harness.pass(2_000);
  const other = { limit: 10, maxBytes: 1e9, dsns: BOTH_DSNS };
  assert.deepEqual(await harness.spool.lease({ now: harness.clock.now(), ...other }), []);
  harness.attempts[0]?.end(DELIVERED);
  await harness.quiet();
  assert.deepEqual(harness.taken(), [1]);
  assert.deepEqual(harness.decided, [1]);
  assert.equal((await harness.spool.stats()).pending, 0);
});

Deno.test("lease lost to another process → delivery is aborted", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  await harness.put(1);
  await harness.start();
  // As if this process had been suspended for longer than a lease.
  const [taken] = await harness.spool.lease({
    now: NOON + LEASE_MS,
    limit: 1,
    maxBytes: 1e9,
    dsns: BOTH_DSNS,
  });
  assert.ok(taken);
  await harness.pass(RENEW_EVERY_MS);
  assert.equal(harness.attempts[0]?.signal.aborted, true);
  harness.attempts[0]?.end(DELIVERED);
  await harness.quiet();
  assert.equal(await harness.spool.complete(taken), true, "still in the spool");
});

Deno.test("clock set forward during deliveries → none is delivered twice", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  await harness.put(1, 2, 3);
  await harness.start();
  harness.attempts[0]?.end(DELIVERED);
  await harness.quiet();
  assert.equal(harness.active, 2);
  harness.clock.jump(2 * LEASE_MS);
  await harness.put(4);
  assert.deepEqual(harness.attempts.map(({ n }) => n), [3, 1, 2, 4]);
  for (const attempt of harness.attempts) attempt.end(DELIVERED);
  await harness.quiet();
  assert.deepEqual(harness.taken(), [3, 1, 2, 4]);
  assert.equal((await harness.spool.stats()).pending, 0);
});

Deno.test("delivered while the drain leases the same envelope again → not delivered twice", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  await harness.put(1);
  await harness.start();
  harness.attempts[0]?.end(DELIVERED);
  await harness.put(2);
  assert.deepEqual(harness.attempts.map(({ n }) => n), [1, 2]);
  // The lease of 2 seems to be over and is made again before the drain knows.
  harness.clock.jump(2 * LEASE_MS);
  const { promise, resolve } = Promise.withResolvers<void>();
  harness.leaseResults = promise;
  await harness.put(3);
  harness.attempts[1]?.end(DELIVERED);
  await harness.quiet();
  resolve();
  await harness.quiet();
  harness.attempts[2]?.end(DELIVERED);
  await harness.quiet();
  assert.deepEqual(harness.taken(), [1, 2, 3]);
  assert.equal((await harness.spool.stats()).pending, 0);
});

Deno.test("delivered while the spool is locked → deleted later, not delivered again", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "spool.sqlite");
  await using harness = await DrainHarness.open(path);
  harness.answer = () => undefined;
  await harness.put(1);
  await harness.start();
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  harness.attempts[0]?.end(DELIVERED);
  await harness.quiet();
  assert.deepEqual(harness.decided, [1]);
  for (let look = 0; look < 3; look++) await harness.pass(POLL_MS);
  const failed = "The spool fails: none of its envelopes is delivered";
  assert.deepEqual(harness.logged, [failed], "logged once");
  other.exec("ROLLBACK");
  other.close();
  await harness.pass(POLL_MS);
  assert.deepEqual(harness.logged, [failed, "The spool works again"]);
  assert.equal((await harness.spool.stats()).pending, 0);
  assert.deepEqual(harness.taken(), [1]);
  assert.deepEqual(harness.decided, [1]);
});

Deno.test("stop → waits for running deliveries, starts no others", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  await harness.put(...range(1, 60));
  await harness.start();
  harness.attempts[0]?.end(DELIVERED);
  await harness.quiet();
  const stopped = harness.drain.stop();
  await harness.quiet();
  const under = harness.attempts.slice(1);
  assert.equal(under.length, MAX_CONCURRENT);
  assert.ok(under.every(({ signal }) => !signal.aborted));
  for (const attempt of under) attempt.end(DELIVERED);
  await stopped;
  assert.equal(harness.decided.length, 1 + MAX_CONCURRENT);
  const left = await harness.spool.lease({ now: NOON, limit: 100, maxBytes: 1e9, dsns: BOTH_DSNS });
  assert.deepEqual(left.map(numberOf), range(MAX_CONCURRENT + 1, 59));
  assert.deepEqual(harness.clock.timers, []);
});

Deno.test("stop with slow deliveries → aborted in time and released", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  await harness.put(1, 2);
  await harness.start();
  let over = false;
  const stopped = harness.drain.stop().then(() => over = true);
  await harness.quiet();
  await harness.pass(STOP.spoolDeliveries - 1);
  assert.equal(harness.attempts[0]?.signal.aborted, false);
  assert.equal(over, false);
  await harness.pass(1);
  assert.equal(harness.attempts[0]?.signal.aborted, true);
  await stopped;
  assert.deepEqual(harness.clock.timers, []);
  const left = await harness.spool.lease({ now: NOON, limit: 10, maxBytes: 1e9, dsns: BOTH_DSNS });
  assert.deepEqual(left.map(numberOf), [1, 2]);
  harness.drain.wake(DSN);
  await harness.pass(10 * POLL_MS);
  assert.deepEqual(harness.taken(), [2], "nothing after stop");
});
