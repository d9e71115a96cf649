/** The drain when ingests are down, limit rates, or always refuse an envelope. */
import assert from "node:assert/strict";
import { MAX_PROBE_PAUSE_MS } from "../send/circuit_breaker.ts";
import { BUSY_POLL_MS, FIRST_BACKOFF_MS, MAX_BACKOFF_MS, MAX_CONCURRENT } from "./drain.ts";
import { BAD, DELIVERED, DrainHarness, limited, range, SILENT } from "./testdata/drain_harness.ts";
import { DSN, envelope, NOON, OTHER_DSN } from "./testdata/envelopes.ts";

Deno.test("ingest down → one envelope at a time, the newest first, every third the oldest", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  await harness.put(...range(1, 6));
  await harness.start();
  // After each was tried once, they take turns.
  for (const n of [6, 5, 1, 4, 3, 2, 6, 5]) {
    assert.deepEqual(harness.attempts.map((attempt) => attempt.n), [n], "one probe");
    harness.attempts.pop()?.end(SILENT);
    await harness.quiet();
    assert.deepEqual(harness.taken(), [], "not before the backoff ends");
    await harness.pass(MAX_PROBE_PAUSE_MS);
  }
  assert.equal(harness.mostActive, 1);
});

Deno.test("ingest up again after a long outage → next probe delivers, then everything", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => BAD;
  await harness.put(...range(1, 40));
  await harness.start();
  for (let probe = 0; probe < 300; probe++) await harness.pass(MAX_PROBE_PAUSE_MS);
  assert.ok(harness.taken().length >= 300);
  assert.equal(harness.health(DSN).state, "half-open");
  harness.answer = () => DELIVERED;
  await harness.pass(MAX_PROBE_PAUSE_MS);
  await harness.pass(FIRST_BACKOFF_MS);
  await harness.pass(BUSY_POLL_MS);
  assert.equal(harness.decided.length, 40);
  assert.equal((await harness.spool.stats()).pending, 0);
  assert.deepEqual(harness.logged, []);
});

Deno.test("live traffic shows that the ingest is up → the spool drains at once", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => SILENT;
  harness.clock.chance = 0.999_999;
  await harness.put(...range(1, 40));
  await harness.start();
  for (let probe = 0; probe < 10; probe++) await harness.pass(MAX_PROBE_PAUSE_MS);
  harness.answer = () => DELIVERED;
  harness.health(DSN).decided(harness.clock.now());
  await harness.quiet();
  assert.ok(harness.decided.length >= 30, `${harness.decided.length}`);
});

Deno.test("envelope always gets 500 → its backoff doubles until it is too old", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => BAD;
  harness.clock.chance = 0.999_999;
  await harness.spool.put(envelope(1, { quantities: { error: 3 } }));
  harness.health(DSN).decided(NOON + 1);
  harness.clock.pass(2);
  await harness.start();
  const pauses: number[] = [];
  for (let ms = 0, last = 0; ms < 3_700_000; ms += BUSY_POLL_MS) {
    // The ingest accepts others meanwhile.
    harness.health(DSN).decided(harness.clock.now());
    if (harness.taken().length > 0) {
      pauses.push(Math.round((ms - last) / 1_000));
      last = ms;
    }
    await harness.pass(BUSY_POLL_MS);
  }
  const own = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, ...Array(2).fill(MAX_BACKOFF_MS / 1_000)];
  assert.equal(pauses.length, own.length + 1, `${pauses}`);
  for (const [at, most] of own.entries()) {
    assert.ok(Math.abs(pauses[at + 1]! - most) <= 1, `${pauses}`);
  }
  assert.equal(harness.reported.length, 1);
  assert.match(harness.reported[0]!, /"reason":"network_error","category":"error","quantity":3/);
});

Deno.test("ingest is up → limited number of concurrent deliveries", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  await harness.put(...range(1, 200));
  await harness.start();
  assert.equal(harness.active, 1, "its health is unknown");
  for (const at of range(0, 199)) {
    harness.attempts[at]?.end(DELIVERED);
    await harness.quiet();
  }
  assert.equal(harness.mostActive, MAX_CONCURRENT);
  assert.deepEqual(harness.taken(), [200, ...range(1, 199)]);
  assert.equal((await harness.spool.stats()).pending, 0);
});

Deno.test("all running deliveries fail → one probe immediately, then backoff", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => undefined;
  harness.clock.chance = 0.999_999;
  await harness.put(...range(1, 100));
  await harness.start();
  harness.attempts[0]?.end(DELIVERED);
  await harness.quiet();
  for (const attempt of harness.attempts.splice(0)) attempt.end(SILENT);
  await harness.quiet();
  assert.equal(harness.active, 1);
  assert.equal(harness.attempts.at(-1)?.n, 99, "the newest");
  harness.attempts.pop()?.end(SILENT);
  await harness.quiet();
  assert.equal(harness.active, 0);
  await harness.pass(MAX_PROBE_PAUSE_MS);
  assert.equal(harness.active, 1);
});

Deno.test("one ingest down → others still receive their envelopes", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = (_, { dsn }) => dsn === DSN ? SILENT : DELIVERED;
  for (const n of range(1, 50)) await harness.spool.put(envelope(n));
  for (const n of range(51, 100)) await harness.spool.put(envelope(n, { dsn: OTHER_DSN }));
  await harness.start();
  assert.deepEqual(harness.decided, [100, ...range(51, 99)]);
  assert.equal(harness.taken().filter((n) => n <= 50).length, 1);
});

Deno.test("429 with a limit that does not cover its envelope → delayed until the limit ends", async () => {
  await using harness = await DrainHarness.open();
  const waitMs = 90_000;
  harness.answer = (n) => n === 1 ? limited(waitMs) : DELIVERED;
  await harness.put(1, 2);
  await harness.start();
  assert.deepEqual(harness.taken().toSorted(), [1, 2]);
  await harness.pass(waitMs - 1);
  assert.deepEqual(harness.taken(), []);
  await harness.pass(BUSY_POLL_MS);
  assert.deepEqual(harness.taken(), [1]);
});

Deno.test("delivery throws → logged once, its envelope is delayed", async () => {
  await using harness = await DrainHarness.open();
  harness.answer = () => {
    throw new Error("no route");
  };
  await harness.put(1);
  await harness.start();
  await harness.pass(FIRST_BACKOFF_MS);
  assert.deepEqual(harness.taken(), [1, 1]);
  assert.deepEqual(harness.logged, ["Cannot deliver an envelope of the spool"]);
  harness.answer = () => DELIVERED;
  await harness.pass(2 * FIRST_BACKOFF_MS);
  assert.deepEqual(harness.decided, [1]);
});
