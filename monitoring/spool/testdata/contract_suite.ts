import assert from "node:assert/strict";
import { envelope, keyOf, NOON, numberOf, OTHER_DSN } from "./envelopes.ts";
import { lease, leaseTests, numbers } from "./lease_suite.ts";
import { checkModel } from "./spool_model.ts";
import {
  LEASE_MS,
  MAX_WAIT_MS,
  type Spool,
  SpoolFullError,
  SpoolUnavailableError,
} from "../spool.ts";

/** The bounds that the suite's spools have. */
export const MAX_BYTES = 1024 * 1024;
export const MAX_AGE_HOURS = 24;

const MAX_AGE_MS = MAX_AGE_HOURS * 3_600_000;

/** One empty spool, with {@linkcode MAX_BYTES} and {@linkcode MAX_AGE_HOURS}. */
export interface SpoolUnderTest {
  /** Opens it, each time as another process would. */
  open(): Promise<Spool>;
  /** Removes it. All that was opened is closed by then. */
  remove(): Promise<void> | void;
}

/**
 * What the spool's users rely on, as tests. A backend has a test file that hands each to `Deno.test`.
 *
 * @param make makes an empty spool for each test
 */
export function spoolTests(
  name: string,
  make: () => Promise<SpoolUnderTest> | SpoolUnderTest,
): readonly Deno.TestDefinition[] {
  const tests: Deno.TestDefinition[] = [];
  function test(behaviour: string, body: (open: () => Promise<Spool>) => Promise<void>): void {
    const fn = async () => {
      const subject = await make();
      const opened: Spool[] = [];
      try {
        await body(async () => {
          const spool = await subject.open();
          opened.push(spool);
          return spool;
        });
      } finally {
        await Promise.all(opened.map((spool) => spool.close()));
        await subject.remove();
      }
    };
    tests.push({ name: `${name}: ${behaviour}`, fn });
  }

  test("an envelope comes out as it went in", async (open) => {
    const spool = await open();
    const whole = {
      ...envelope(1, { bytes: 70_000 }),
      contentEncoding: "gzip",
      userAgent: "Mozilla/5.0",
      address: "192.0.2.1",
      clientHints: { "sec-ch-ua": '"Chromium";v="149"', "sec-ch-ua-mobile": "?0" },
      eventId: "a".repeat(32),
      sequence: "replay",
      quantities: { replay: 2, error: 1 },
      categories: 2 ** 30 + 1,
    };
    const bare = envelope(2, { quantities: {} });
    const expected = [whole, bare].map((sent) => ({ ...sent, bytes: sent.bytes.slice() }));
    assert.equal(await spool.put(whole), "kept");
    assert.equal(await spool.put(bare), "kept");
    const got = await lease(spool, {});
    assert.deepEqual(
      got.map(({ id: _, lease: __, ...sent }) => sent),
      expected.map((sent) => ({ ...sent, failures: 0 })),
    );
  });

  test("bytes that are a part of a larger buffer leave it as it is", async (open) => {
    const spool = await open();
    const buffer = new Uint8Array(300).fill(9);
    await spool.put({ ...envelope(1), bytes: buffer.subarray(100, 200) });
    assert.equal(buffer.byteLength, 300);
    assert.deepEqual((await lease(spool, {}))[0]?.bytes, new Uint8Array(100).fill(9));
  });

  test("the same bytes put twice: the second call is rejected, and no other with it", async (open) => {
    const spool = await open();
    const { bytes } = envelope(1);
    const results = await Promise.allSettled([
      spool.put({ ...envelope(1), bytes }),
      spool.put({ ...envelope(2), bytes }),
      spool.put(envelope(3)),
    ]);
    assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(numbers(await lease(spool, {})), [1, 3]);
  });

  test("a duplicate is told as long as the first is in the spool", async (open) => {
    const [spool, other] = [await open(), await open()];
    const [first, second] = await Promise.all([spool.put(envelope(1)), spool.put(envelope(1))]);
    assert.deepEqual([first, second], ["kept", "duplicate"]);
    assert.equal(await other.put(envelope(1)), "duplicate");
    assert.equal(await other.has(keyOf(1)), true);
    assert.equal(await other.has(keyOf(2)), false);
    const [held] = await lease(spool, {});
    assert.equal(await other.put(envelope(1)), "duplicate", "while it is under a lease");
    assert.ok(held && await spool.done(held));
    assert.equal(await other.has(keyOf(1)), false);
    assert.equal(await other.put(envelope(1)), "kept");
  });

  test("an envelope of a sequence is in the spool → the sequence is known", async (open) => {
    const [spool, other] = [await open(), await open()];
    assert.equal(await spool.hasSequence(envelope(1).dsn, "a"), false);
    await spool.put(envelope(1, { sequence: "a" }));
    await spool.put(envelope(2));
    const has = (dsn: string, sequence: string) => other.hasSequence(dsn, sequence);
    const { dsn } = envelope(1);
    assert.deepEqual(
      await Promise.all([has(dsn, "a"), has(dsn, "b"), has(OTHER_DSN, "a")]),
      [true, false, false],
    );
    const held = await lease(spool, {});
    assert.equal(await has(dsn, "a"), true, "while it is under a lease");
    for (const each of held) await spool.done(each);
    assert.equal(await has(dsn, "a"), false);
  });

  test("a put that cannot be kept takes no other with it", async (open) => {
    const spool = await open();
    const results = await Promise.allSettled([
      spool.put(envelope(1)),
      spool.put(envelope(2, { receivedAt: NaN })),
      spool.put(envelope(3, { key: new Uint8Array(31) })),
      spool.put(envelope(4)),
      spool.put(envelope(5, { categories: 0 })),
    ]);
    assert.deepEqual(results.map(({ status }) => status), [
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
      "rejected",
    ]);
    assert.deepEqual(numbers(await lease(spool, {})), [1, 4]);
  });

  test("over its bytes it is full, and has room again when something ended", async (open) => {
    const spool = await open();
    assert.equal(await spool.put(envelope(1, { bytes: MAX_BYTES - 100 })), "kept");
    const isFull = (error: unknown) =>
      error instanceof SpoolFullError && error.maxBytes === MAX_BYTES;
    await assert.rejects(spool.put(envelope(2, { bytes: 101 })), isFull);
    assert.equal(await spool.has(keyOf(2)), false);
    assert.equal(await spool.put(envelope(1, { bytes: MAX_BYTES })), "duplicate");
    assert.equal(await spool.put(envelope(3, { bytes: 100 })), "kept");
    await assert.rejects(spool.put(envelope(4, { bytes: 1 })), isFull);
    const [first] = await lease(spool, {});
    assert.ok(first && await spool.done(first));
    assert.equal(await spool.put(envelope(4)), "kept");
  });

  test("a full spool refuses what does not fit, and keeps what was put beside it", async (open) => {
    const spool = await open();
    const results = await Promise.allSettled([
      spool.put(envelope(1)),
      spool.put(envelope(2, { bytes: MAX_BYTES })),
      spool.put(envelope(3)),
    ]);
    assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.equal((await spool.stats()).pending, 2);
  });

  leaseTests(test);

  test("what is too old is given up and told once, added up by DSN", async (open) => {
    const [spool, other] = [await open(), await open()];
    for (let n = 1; n <= 600; n++) {
      await Promise.all([
        spool.put(envelope(n, { quantities: { error: 1, replay: 2 } })),
        spool.put(envelope(1_000 + n, { dsn: OTHER_DSN })),
      ]);
    }
    await spool.put(envelope(2_000, { receivedAt: NOON + 1 }));
    assert.deepEqual(await spool.expire(NOON + MAX_AGE_MS), [], "none is older yet");
    const told =
      (await Promise.all([spool, other, spool].map((by) => by.expire(NOON + MAX_AGE_MS + 1))))
        .flat();
    const sum = (dsn: string) => ({
      envelopes: total(told.filter((by) => by.dsn === dsn), "envelopes"),
      ...["error", "replay"].reduce((sums, category) => ({
        ...sums,
        [category]: told.filter((by) => by.dsn === dsn)
          .reduce((all, { quantities }) => all + (quantities[category] ?? 0), 0),
      }), {}),
    });
    assert.deepEqual(sum(envelope(0).dsn), { envelopes: 600, error: 600, replay: 1_200 });
    assert.deepEqual(sum(OTHER_DSN), { envelopes: 600, error: 600, replay: 0 });
    assert.equal((await spool.stats()).pending, 1);
    assert.equal(await spool.has(keyOf(1)), false);
  });

  test("what is in delivery is not given up; what it held back is free when it was", async (open) => {
    const spool = await open();
    await spool.put(envelope(1, { sequence: "a", receivedAt: NOON - MAX_AGE_MS }));
    await spool.put(envelope(2, { sequence: "a" }));
    const [held] = await lease(spool, { now: NOON - 1 });
    assert.ok(held);
    assert.deepEqual(await spool.expire(NOON + 1), []);
    const over = NOON + LEASE_MS;
    assert.equal((await spool.expire(over)).length, 1);
    assert.equal(await spool.done(held), false);
    assert.deepEqual(numbers(await lease(spool, { now: over })), [2]);
  });

  test("the clock is set back: leases, waits and ages last no longer than from then", async (open) => {
    const [spool, other] = [await open(), await open()];
    const back = NOON - 2 * MAX_WAIT_MS;
    for (const n of [1, 2]) await spool.put(envelope(n));
    const [, two] = await lease(spool, {});
    assert.ok(two);
    await spool.giveBack(two, NOON + 10_000);

    assert.deepEqual(await lease(other, { now: back }), []);
    const [one, ...more] = await lease(other, { now: back + LEASE_MS });
    assert.deepEqual([one && numberOf(one), more], [1, []]);
    assert.ok(one && await other.giveBack(one, back + LEASE_MS + 3 * MAX_WAIT_MS));
    assert.deepEqual(await lease(other, { now: back + MAX_WAIT_MS - 1 }), []);
    assert.deepEqual(numbers(await lease(other, { now: back + MAX_WAIT_MS })), [2]);
    assert.deepEqual(numbers(await lease(other, { now: back + 2 * MAX_WAIT_MS - 1 })), [2, 1]);
    assert.equal((await spool.stats()).oldestAt, back);
    const over = back + MAX_AGE_MS + 1;
    assert.equal(total(await spool.expire(over), "envelopes"), 2);
  });

  test("what was kept is there when the spool is opened again", async (open) => {
    const spool = await open();
    for (const n of [1, 2, 3]) await spool.put(envelope(n));
    const [one] = await lease(spool, { limit: 1 });
    await spool.close();
    const again = await open();
    assert.deepEqual(numbers(await lease(again, {})), [2, 3]);
    assert.ok(one && await again.done(one), "a lease is worth the same to whoever has it");
    assert.equal((await again.stats()).pending, 2);
  });

  test("numbers tell what waits", async (open) => {
    const spool = await open();
    const empty = { pending: 0, bytes: 0, maxBytes: MAX_BYTES, oldestAt: undefined, byDsn: {} };
    assert.deepEqual(await spool.stats(), empty);
    const { dsn } = envelope(1);
    await spool.put(envelope(1, { bytes: 10, receivedAt: NOON + 5 }));
    await spool.put(envelope(2, { bytes: 20, dsn: OTHER_DSN }));
    await spool.put(envelope(3, { bytes: 30, receivedAt: NOON + 9 }));
    const held = await lease(spool, { now: NOON + 9 });
    assert.deepEqual(await spool.stats(), {
      pending: 3,
      bytes: 60,
      maxBytes: MAX_BYTES,
      oldestAt: NOON,
      byDsn: { [dsn]: 2, [OTHER_DSN]: 1 },
    });
    for (const each of held) await spool.done(each);
    assert.deepEqual(await spool.stats(), empty);
  });

  test("closing ends what was asked before and refuses what is asked later", async (open) => {
    const spool = await open();
    const puts = Array.from({ length: 100 }, (_, n) => spool.put(envelope(n)));
    const closed = spool.close();
    await assert.rejects(spool.put(envelope(100)), SpoolUnavailableError);
    assert.deepEqual(new Set(await Promise.all(puts)), new Set(["kept"]));
    await closed;
    await spool.close();
    await assert.rejects(spool.stats(), SpoolUnavailableError);
    assert.equal((await (await open()).stats()).pending, 100);
  });

  tests.push({
    name: `${name}: whatever is done in whatever order, it does as a simple model does`,
    fn: () => checkModel(make, { maxBytes: MAX_BYTES, maxAgeMs: MAX_AGE_MS }),
  });
  return tests;
}

function total<K extends string>(rows: readonly Record<K, number>[], of: K): number {
  return rows.reduce((sum, row) => sum + row[of], 0);
}
