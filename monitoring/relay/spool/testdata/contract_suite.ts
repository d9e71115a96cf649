import assert from "node:assert/strict";
import { envelope, keyOf, NOON, numberOf, OTHER_DSN } from "./envelopes.ts";
import { lease, leaseTests, numbers } from "./lease_suite.ts";
import { checkModel } from "./spool_model.ts";
import { MAX_REMEMBERED, REMEMBERED_KEY_BYTES, REMEMBERED_MS } from "../../admit/duplicates.ts";
import {
  type GossipReport,
  LEASE_MS,
  MAX_WAIT_MS,
  type Spool,
  SpoolUnavailableError,
} from "../spool.ts";

/** The limits of the spools under test. */
export const MAX_BYTES = 1024 * 1024;
export const MAX_AGE_HOURS = 24;

const MAX_AGE_MS = MAX_AGE_HOURS * 3_600_000;

/** An empty spool with {@linkcode MAX_BYTES} and {@linkcode MAX_AGE_HOURS}. */
export interface SpoolUnderTest {
  /** Opens it. Called several times, as by several processes. */
  open(): Promise<Spool>;
  /** Deletes it. Every opened `Spool` is closed by then. */
  remove(): Promise<void> | void;
}

/**
 * The contract of spool.ts as tests. The test file of each backend passes them to `Deno.test`.
 *
 * @param name of the backend
 * @param make creates an empty spool for each test
 * @param modelRuns number of random sequences that are compared with the model
 */
export function spoolTests(
  name: string,
  make: () => Promise<SpoolUnderTest> | SpoolUnderTest,
  // Few runs of many steps, because opening a spool costs more than a step.
  modelRuns = 10,
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

  test("put, then lease → the same envelope", async (open) => {
    const spool = await open();
    const whole = {
      ...envelope(1, { bytes: 70_000 }),
      format: "otlp-logs-protobuf" as const,
      contentEncoding: "gzip" as const,
      userAgent: "Mozilla/5.0",
      address: "192.0.2.1",
      clientHints: { "sec-ch-ua": '"Chromium";v="149"', "sec-ch-ua-mobile": "?0" },
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

  test("bytes are a part of a larger buffer → they alone are kept", async (open) => {
    const spool = await open();
    const buffer = new Uint8Array(300).fill(9);
    await spool.put({ ...envelope(1), bytes: buffer.subarray(100, 200) });
    assert.equal(buffer.byteLength, 300);
    assert.deepEqual((await lease(spool, {}))[0]?.bytes, new Uint8Array(100).fill(9));
  });

  test("same key again → duplicate while the first is in the spool", async (open) => {
    const [spool, other] = [await open(), await open()];
    const [first, second] = await Promise.all([spool.put(envelope(1)), spool.put(envelope(1))]);
    assert.deepEqual([first, second], ["kept", "duplicate"]);
    assert.equal(await other.put(envelope(1)), "duplicate");
    assert.equal(await other.has(keyOf(1)), true);
    assert.equal(await other.has(keyOf(2)), false);
    const [held] = await lease(spool, {});
    assert.equal(await other.put(envelope(1)), "duplicate", "while it is leased");
    assert.ok(held && await spool.complete(held));
    assert.equal(await other.has(keyOf(1)), false);
    assert.equal(await other.put(envelope(1)), "kept");
  });

  test("hasSequence → true while an envelope of the sequence is in the spool", async (open) => {
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
    assert.equal(await has(dsn, "a"), true, "while it is leased");
    for (const each of held) await spool.complete(each);
    assert.equal(await has(dsn, "a"), false);
  });

  test("byte limit reached → full, until an envelope is completed", async (open) => {
    const spool = await open();
    assert.equal(await spool.put(envelope(1, { bytes: MAX_BYTES - 100 })), "kept");
    assert.equal(await spool.put(envelope(2, { bytes: 101 })), "full");
    assert.equal(await spool.has(keyOf(2)), false);
    assert.equal(await spool.put(envelope(1, { bytes: MAX_BYTES })), "duplicate");
    assert.equal(await spool.put(envelope(3, { bytes: 100 })), "kept");
    assert.equal(await spool.put(envelope(4, { bytes: 1 })), "full");
    const [first] = await lease(spool, {});
    assert.ok(first && await spool.complete(first));
    assert.equal(await spool.put(envelope(4)), "kept");
  });

  test("full for one put of a batch → the others are kept", async (open) => {
    const spool = await open();
    const results = await Promise.all([
      spool.put(envelope(1)),
      spool.put(envelope(2, { bytes: MAX_BYTES })),
      spool.put(envelope(3)),
    ]);
    assert.deepEqual(results, ["kept", "full", "kept"]);
    assert.equal((await spool.stats()).pending, 2);
  });

  leaseTests(test);

  test("envelopes too old → dropped and reported once, summed by DSN", async (open) => {
    const [spool, other] = [await open(), await open()];
    const puts = Array.from({ length: 600 }, (_, n) => [
      spool.put(envelope(1 + n, { quantities: { error: 1, replay: 2 } })),
      spool.put(envelope(1_001 + n, { dsn: OTHER_DSN })),
    ]);
    await Promise.all([...puts.flat(), spool.put(envelope(2_000, { receivedAt: NOON + 1 }))]);
    assert.deepEqual(await spool.expire(NOON + MAX_AGE_MS), [], "none is too old yet");
    const reported =
      (await Promise.all([spool, other, spool].map((by) => by.expire(NOON + MAX_AGE_MS + 1))))
        .flat();
    const sum = (dsn: string) => ({
      envelopes: total(reported.filter((by) => by.dsn === dsn), "envelopes"),
      ...["error", "replay"].reduce((sums, category) => ({
        ...sums,
        [category]: reported.filter((by) => by.dsn === dsn)
          .reduce((all, { quantities }) => all + (quantities[category] ?? 0), 0),
      }), {}),
    });
    assert.deepEqual(sum(envelope(0).dsn), { envelopes: 600, error: 600, replay: 1_200 });
    assert.deepEqual(sum(OTHER_DSN), { envelopes: 600, error: 600, replay: 0 });
    assert.equal((await spool.stats()).pending, 1);
    assert.equal(await spool.has(keyOf(1)), false);
  });

  test("leased and too old → kept until the lease ends; then its sequence continues", async (open) => {
    const spool = await open();
    await spool.put(envelope(1, { sequence: "a", receivedAt: NOON - MAX_AGE_MS }));
    await spool.put(envelope(2, { sequence: "a" }));
    const [held] = await lease(spool, { now: NOON - 1 });
    assert.ok(held);
    assert.deepEqual(await spool.expire(NOON + 1), []);
    const over = NOON + LEASE_MS;
    assert.equal((await spool.expire(over)).length, 1);
    assert.equal(await spool.complete(held), false);
    assert.deepEqual(numbers(await lease(spool, { now: over })), [2]);
  });

  test("clock set back → leases, waits and ages are bounded from then", async (open) => {
    const [spool, other] = [await open(), await open()];
    const back = NOON - 2 * MAX_WAIT_MS;
    for (const n of [1, 2]) await spool.put(envelope(n));
    const [, two] = await lease(spool, {});
    assert.ok(two);
    await spool.release(two, NOON + 10_000);

    assert.deepEqual(await lease(other, { now: back }), []);
    const [one, ...more] = await lease(other, { now: back + LEASE_MS });
    assert.deepEqual([one && numberOf(one), more], [1, []]);
    assert.ok(one && await other.release(one, back + LEASE_MS + 3 * MAX_WAIT_MS));
    assert.deepEqual(await lease(other, { now: back + MAX_WAIT_MS - 1 }), []);
    assert.deepEqual(numbers(await lease(other, { now: back + MAX_WAIT_MS })), [2]);
    assert.deepEqual(numbers(await lease(other, { now: back + 2 * MAX_WAIT_MS - 1 })), [2, 1]);
    assert.equal((await spool.stats()).oldestAt, back);
    const over = back + MAX_AGE_MS + 1;
    assert.equal(total(await spool.expire(over), "envelopes"), 2);
  });

  test("close and reopen → envelopes and leases are still there", async (open) => {
    const spool = await open();
    for (const n of [1, 2, 3]) await spool.put(envelope(n));
    const [one] = await lease(spool, { limit: 1 });
    await spool.close();
    const again = await open();
    assert.deepEqual(numbers(await lease(again, {})), [2, 3]);
    assert.ok(one && await again.complete(one), "the lease is still valid");
    assert.equal((await again.stats()).pending, 2);
  });

  test("stats → count, bytes, age and DSNs of the envelopes", async (open) => {
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
    for (const each of held) await spool.complete(each);
    assert.deepEqual(await spool.stats(), empty);
  });

  test("close → earlier calls finish, later ones are rejected", async (open) => {
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
    name: `${name}: random operations → same results as a simple model`,
    fn: () => checkModel(make, { maxBytes: MAX_BYTES, maxAgeMs: MAX_AGE_MS }, modelRuns),
  });

  /** The first bytes of keys, joined, as they are reported. */
  const keysOf = (...ns: number[]) =>
    Uint8Array.fromHex(ns.map((n) => keyOf(n).slice(0, 2 * REMEMBERED_KEY_BYTES)).join(""));
  const NO_GOSSIP = { keys: new Uint8Array(), limits: [] };

  test("gossip → each process reads each report once, in order, with its age", async (open) => {
    const [one, two] = [await open(), await open()];
    const limits = [{ dsn: OTHER_DSN, category: "", endsInMs: 60_000, rest: "key" }];
    /** Ages in seconds: a database's clock is known to some milliseconds. */
    const exchange = async (spool: Spool, report: GossipReport, now: number) =>
      (await spool.exchange(report, now)).map(({ ageMs, ...read }) => ({
        ...read,
        age: Math.round(ageMs / 1_000),
      }));
    assert.deepEqual(await exchange(two, NO_GOSSIP, NOON), []);
    const first = { keys: keysOf(1, 2), limits: [] };
    const second = { keys: keysOf(), limits };
    assert.deepEqual(await exchange(one, first, NOON), []);
    assert.deepEqual(await exchange(one, second, NOON + 1_000), []);
    const expected = [{ ...first, age: 3 }, { ...second, age: 2 }];
    assert.deepEqual(await exchange(two, NO_GOSSIP, NOON + 3_000), expected);
    assert.deepEqual(await exchange(two, NO_GOSSIP, NOON + 3_000), []);
    const third = { keys: keysOf(3), limits: [] };
    assert.deepEqual(await exchange(two, third, NOON + 3_000), []);
    assert.deepEqual(await exchange(one, NO_GOSSIP, NOON + 3_000), [{ ...third, age: 0 }]);
    assert.deepEqual(
      await exchange(await open(), NO_GOSSIP, NOON + 3_000),
      [...expected, { ...third, age: 0 }],
    );
  });

  test("gossip older than an hour, or too many keys → deleted, the newest stay", async (open) => {
    const spool = await open();
    for (const [n, at] of [[1, NOON], [2, NOON + 1_000], [3, NOON + 2_000]] as const) {
      await spool.exchange({ keys: keysOf(n), limits: [] }, at);
    }
    await spool.expire(NOON + REMEMBERED_MS + 500);
    const kept = async (now: number) =>
      (await (await open()).exchange(NO_GOSSIP, now)).map(({ keys }) => keys);
    assert.deepEqual(await kept(NOON + REMEMBERED_MS), [keysOf(2), keysOf(3)]);

    const many = new Uint8Array((MAX_REMEMBERED - 2) * REMEMBERED_KEY_BYTES);
    await spool.exchange({ keys: many, limits: [] }, NOON + 3_000);
    await spool.exchange({ keys: keysOf(4), limits: [] }, NOON + 4_000);
    await spool.expire(NOON + 5_000);
    const counts = (await kept(NOON + 5_000)).map(({ length }) => length / REMEMBERED_KEY_BYTES);
    assert.deepEqual(counts, [1, MAX_REMEMBERED - 2, 1]);
  });

  return tests;
}

function total<K extends string>(rows: readonly Record<K, number>[], of: K): number {
  return rows.reduce((sum, row) => sum + row[of], 0);
}
