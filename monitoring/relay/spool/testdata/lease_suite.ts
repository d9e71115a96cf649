import assert from "node:assert/strict";
import {
  BOTH_DSNS,
  DSN,
  envelope,
  ERROR,
  NOON,
  numberOf,
  OTHER,
  OTHER_DSN,
  TRANSACTION,
} from "./envelopes.ts";
import { LEASE_MS, type LeasedEnvelope, type LeaseRequest, type Spool } from "../spool.ts";

/** The contract suite's tests of leases: which envelopes, in which order, for how long. */
export function leaseTests(
  test: (behaviour: string, body: (open: () => Promise<Spool>) => Promise<void>) => void,
): void {
  test("lease → oldest first, at most the limit, each envelope to one process", async (open) => {
    const [spool, other] = [await open(), await open()];
    // The order of arrival counts, not the time of a clock.
    for (const n of [1, 2, 3, 4, 5]) await spool.put(envelope(n, { receivedAt: NOON - n }));
    assert.deepEqual(numbers(await lease(spool, { limit: 2 })), [1, 2]);
    assert.deepEqual(numbers(await lease(other, { limit: 2 })), [3, 4]);
    assert.deepEqual(numbers(await lease(spool, {})), [5]);
    assert.deepEqual(await lease(other, {}), []);
  });

  test("lease with a byte limit → bodies within it, or a single larger one", async (open) => {
    const spool = await open();
    for (const [n, bytes] of [[1, 5_000], [2, 400], [3, 500], [4, 101]] as const) {
      await spool.put(envelope(n, { bytes }));
    }
    assert.deepEqual(numbers(await lease(spool, { maxBytes: 1_000 })), [1]);
    assert.deepEqual(numbers(await lease(spool, { maxBytes: 1_000 })), [2, 3]);
    assert.deepEqual(numbers(await lease(spool, { maxBytes: 0 })), [4]);
  });

  test("DSN not requested → its envelopes are not leased", async (open) => {
    const spool = await open();
    await spool.put(envelope(1, { dsn: OTHER_DSN }));
    await spool.put(envelope(2));
    assert.deepEqual(numbers(await lease(spool, { dsns: [] })), []);
    assert.deepEqual(numbers(await lease(spool, { dsns: [{ dsn: DSN, limited: 0 }] })), [2]);
    assert.deepEqual(numbers(await lease(spool, {})), [1]);
  });

  test("limited categories → only envelopes with another category are leased", async (open) => {
    const spool = await open();
    const categories = [TRANSACTION, ERROR, ERROR | TRANSACTION, OTHER, TRANSACTION | OTHER];
    for (const [n, each] of categories.entries()) {
      await spool.put(envelope(n, { categories: each }));
      await spool.put(envelope(10 + n, { categories: each, dsn: OTHER_DSN }));
    }
    const leased = async (limited: number, newest: boolean) => {
      const dsns = [{ dsn: DSN, limited }, { dsn: OTHER_DSN, limited: -1 }];
      const got = await lease(spool, { dsns, newest });
      for (const each of got) await spool.release(each, 0);
      return numbers(got).toSorted((a, b) => a - b);
    };
    for (const newest of [false, true]) {
      assert.deepEqual(await leased(0, newest), [0, 1, 2, 3, 4]);
      assert.deepEqual(await leased(TRANSACTION, newest), [1, 2, 3, 4]);
      assert.deepEqual(await leased(TRANSACTION | ERROR, newest), [3, 4]);
      assert.deepEqual(await leased(TRANSACTION | OTHER, newest), [1, 2]);
      assert.deepEqual(await leased(-1, newest), []);
    }
  });

  test("one category limited → the others in order of arrival, sequences too", async (open) => {
    const spool = await open();
    const sets = [ERROR | TRANSACTION, OTHER, TRANSACTION, ERROR, OTHER, ERROR | TRANSACTION];
    for (const [n, categories] of sets.entries()) await spool.put(envelope(n, { categories }));
    await spool.put(envelope(6, { categories: TRANSACTION, sequence: "a" }));
    await spool.put(envelope(7, { categories: ERROR, sequence: "a" }));
    await spool.put(envelope(8, { categories: OTHER, dsn: OTHER_DSN }));
    const dsns = [{ dsn: DSN, limited: TRANSACTION }, { dsn: OTHER_DSN, limited: 0 }];
    const newest = await lease(spool, { dsns, limit: 2, newest: true });
    assert.deepEqual(numbers(newest).sort(), [5, 8]);
    assert.deepEqual(numbers(await lease(spool, { dsns, limit: 3 })), [0, 1, 3]);
    assert.deepEqual(numbers(await lease(spool, { dsns })), [4], "7 waits for 6");
  });

  test("thousands of limited envelopes before an unlimited one → it is leased", async (open) => {
    const spool = await open();
    const numbersOfLimited = Array.from({ length: 3_000 }, (_, n) => n);
    // As many different bit sets, none with errors.
    await Promise.all(
      numbersOfLimited.map((n) => spool.put(envelope(n, { categories: 4 * (1 + n) }))),
    );
    await spool.put(envelope(3_000, { categories: ERROR | TRANSACTION }));
    const dsns = [{ dsn: DSN, limited: ~ERROR }];
    assert.deepEqual(numbers(await lease(spool, { dsns })), [3_000]);
  });

  test("newest requested → newest first of those never delayed, else as usual", async (open) => {
    const spool = await open();
    for (const n of [1, 2, 3, 4]) await spool.put(envelope(n));
    const one = async () => {
      const [leased] = await lease(spool, { limit: 1, newest: true });
      assert.ok(leased);
      return leased;
    };
    const first = await one();
    assert.equal(numberOf(first), 4);
    await spool.release(first, NOON);
    const others = [await one(), await one(), await one()];
    assert.deepEqual(numbers(others), [3, 2, 1]);
    for (const [at, each] of others.entries()) await spool.release(each, NOON - 1 - at);
    assert.deepEqual(numbers([await one(), await one(), await one(), await one()]), [1, 2, 3, 4]);
  });

  test("failures set at release → stored, and unchanged when not set later", async (open) => {
    const spool = await open();
    await spool.put(envelope(1));
    const failures: number[] = [];
    for (const given of [undefined, 1, undefined, 7, undefined]) {
      const [leased] = await lease(spool, {});
      assert.ok(leased);
      failures.push(leased.failures);
      await spool.release(leased, 0, given);
    }
    await spool.close();
    const [again] = await lease(await open(), {});
    assert.deepEqual([...failures, again?.failures], [0, 0, 1, 1, 7, 7]);
  });

  test("one DSN has many envelopes → DSNs still take turns", async (open) => {
    const spool = await open();
    for (const n of [1, 2, 3, 4, 5]) await spool.put(envelope(n));
    for (const n of [6, 7]) await spool.put(envelope(n, { dsn: OTHER_DSN }));
    const one = async () => numbers(await lease(spool, { limit: 1 }))[0];
    assert.deepEqual([await one(), await one(), await one()], [1, 6, 2]);
    assert.deepEqual(numbers(await lease(spool, { limit: 3 })), [7, 3, 4]);
  });

  test("sequence → one envelope leased at a time, in order of arrival", async (open) => {
    const [spool, other] = [await open(), await open()];
    for (const n of [1, 2, 3]) await spool.put(envelope(n, { sequence: "a" }));
    await spool.put(envelope(4, { sequence: "b" }));
    // The same name at another DSN is another sequence.
    await spool.put(envelope(5, { sequence: "a", dsn: OTHER_DSN }));
    const out = await lease(spool, {});
    assert.deepEqual(numbers(out).sort(), [1, 4, 5]);
    assert.deepEqual(await lease(other, {}), []);
    const first = out.find((held) => numberOf(held) === 1);
    assert.ok(first);
    await spool.release(first, NOON + 1_000);
    assert.deepEqual(await lease(other, {}), [], "not past the delayed one");
    const [again] = await lease(other, { now: NOON + 1_000 });
    assert.ok(again && numberOf(again) === 1);
    assert.equal(await other.complete(again), true);
    assert.deepEqual(numbers(await lease(other, { now: NOON + 1_000 })), [2]);
  });

  test("release with a wait → leased after it, and after envelopes never delayed", async (open) => {
    const spool = await open();
    for (const n of [1, 2, 3]) await spool.put(envelope(n));
    const [one, two] = await lease(spool, { limit: 2 });
    assert.ok(one && two);
    assert.equal(await spool.release(one, NOON + 500), true);
    assert.equal(await spool.release(two, 0), true, "no wait: at its old place");
    assert.equal(await spool.release(two, 0), false, "its lease has ended");
    assert.deepEqual(numbers(await lease(spool, { now: NOON + 499, limit: 1 })), [2]);
    assert.deepEqual(numbers(await lease(spool, { now: NOON + 500 })), [3, 1]);
  });

  test("lease not renewed → runs out, and later calls with it return false", async (open) => {
    const [spool, other] = [await open(), await open()];
    for (const n of [1, 2, 3]) await spool.put(envelope(n));
    const [one, two, three] = await lease(spool, {});
    assert.ok(one && two && three);
    assert.deepEqual(await spool.renew([two], NOON + 10_000), [two.id]);
    assert.deepEqual(await lease(other, { now: NOON + LEASE_MS - 1 }), []);
    const taken = await lease(other, { now: NOON + LEASE_MS, limit: 1 });
    assert.deepEqual(numbers(taken), [1]);
    assert.deepEqual(await spool.renew([one, two], NOON + LEASE_MS), [two.id]);
    assert.equal(await spool.complete(one), false);
    assert.equal(await spool.release(one, 0), false);
    assert.equal(await spool.complete(three), true, "ran out, but not leased by another");
    assert.ok(taken[0] && await other.complete(taken[0]));
    assert.equal(await spool.complete(one), false);
    assert.equal((await spool.stats()).pending, 1);
  });
}

/** Leases at noon, without limits unless given. */
export function lease(spool: Spool, request: Partial<LeaseRequest>): Promise<LeasedEnvelope[]> {
  return spool.lease({ now: NOON, limit: 100, maxBytes: 1e9, dsns: BOTH_DSNS, ...request });
}

/** The numbers of test envelopes. */
export const numbers = (envelopes: readonly LeasedEnvelope[]) => envelopes.map(numberOf);
