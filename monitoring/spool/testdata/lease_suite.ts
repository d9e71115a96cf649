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

/** The part of the contract suite that is about leases: which envelopes, in which order, for how long. */
export function leaseTests(
  test: (behaviour: string, body: (open: () => Promise<Spool>) => Promise<void>) => void,
): void {
  test("leases go oldest first, at most as many as asked, each to one holder", async (open) => {
    const [spool, other] = [await open(), await open()];
    // The order of arrival counts, not the time of a clock.
    for (const n of [1, 2, 3, 4, 5]) await spool.put(envelope(n, { receivedAt: NOON - n }));
    assert.deepEqual(numbers(await lease(spool, { limit: 2 })), [1, 2]);
    assert.deepEqual(numbers(await lease(other, { limit: 2 })), [3, 4]);
    assert.deepEqual(numbers(await lease(spool, {})), [5]);
    assert.deepEqual(await lease(other, {}), []);
  });

  test("bodies of one lease stay within its bytes, but for a single one", async (open) => {
    const spool = await open();
    for (const [n, bytes] of [[1, 5_000], [2, 400], [3, 500], [4, 101]] as const) {
      await spool.put(envelope(n, { bytes }));
    }
    assert.deepEqual(numbers(await lease(spool, { maxBytes: 1_000 })), [1]);
    assert.deepEqual(numbers(await lease(spool, { maxBytes: 1_000 })), [2, 3]);
    assert.deepEqual(numbers(await lease(spool, { maxBytes: 0 })), [4]);
  });

  test("a DSN that is not asked for → its envelopes stay", async (open) => {
    const spool = await open();
    await spool.put(envelope(1, { dsn: OTHER_DSN }));
    await spool.put(envelope(2));
    assert.deepEqual(numbers(await lease(spool, { dsns: [] })), []);
    assert.deepEqual(numbers(await lease(spool, { dsns: [{ dsn: DSN, held: 0 }] })), [2]);
    assert.deepEqual(numbers(await lease(spool, {})), [1]);
  });

  test("held categories → envelopes of which they cover all stay, others of the DSN go", async (open) => {
    const spool = await open();
    const categories = [TRANSACTION, ERROR, ERROR | TRANSACTION, OTHER, TRANSACTION | OTHER];
    for (const [n, each] of categories.entries()) {
      await spool.put(envelope(n, { categories: each }));
      await spool.put(envelope(10 + n, { categories: each, dsn: OTHER_DSN }));
    }
    const leased = async (held: number, newest: boolean) => {
      const dsns = [{ dsn: DSN, held }, { dsn: OTHER_DSN, held: -1 }];
      const got = await lease(spool, { dsns, newest });
      for (const each of got) await spool.giveBack(each, 0);
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

  test("thousands held in front of one that is not → it is leased", async (open) => {
    const spool = await open();
    const held = Array.from({ length: 3_000 }, (_, n) => n);
    // As many different sets, none with errors.
    await Promise.all(held.map((n) => spool.put(envelope(n, { categories: 4 * (1 + n) }))));
    await spool.put(envelope(3_000, { categories: ERROR | TRANSACTION }));
    const dsns = [{ dsn: DSN, held: ~ERROR }];
    assert.deepEqual(numbers(await lease(spool, { dsns })), [3_000]);
  });

  test("newest asked for → newest first of those never put off, else as usual", async (open) => {
    const spool = await open();
    for (const n of [1, 2, 3, 4]) await spool.put(envelope(n));
    const one = async () => {
      const [leased] = await lease(spool, { limit: 1, newest: true });
      assert.ok(leased);
      return leased;
    };
    const first = await one();
    assert.equal(numberOf(first), 4);
    await spool.giveBack(first, NOON);
    const others = [await one(), await one(), await one()];
    assert.deepEqual(numbers(others), [3, 2, 1]);
    for (const [at, each] of others.entries()) await spool.giveBack(each, NOON - 1 - at);
    assert.deepEqual(numbers([await one(), await one(), await one(), await one()]), [1, 2, 3, 4]);
  });

  test("failures given with an envelope → kept with it, also where none are given later", async (open) => {
    const spool = await open();
    await spool.put(envelope(1));
    const failures: number[] = [];
    for (const given of [undefined, 1, undefined, 7, undefined]) {
      const [leased] = await lease(spool, {});
      assert.ok(leased);
      failures.push(leased.failures);
      await spool.giveBack(leased, 0, given);
    }
    await spool.close();
    const [again] = await lease(await open(), {});
    assert.deepEqual([...failures, again?.failures], [0, 0, 1, 1, 7, 7]);
  });

  test("DSNs take turns, however much waits of one of them", async (open) => {
    const spool = await open();
    for (const n of [1, 2, 3, 4, 5]) await spool.put(envelope(n));
    for (const n of [6, 7]) await spool.put(envelope(n, { dsn: OTHER_DSN }));
    const one = async () => numbers(await lease(spool, { limit: 1 }))[0];
    assert.deepEqual([await one(), await one(), await one()], [1, 6, 2]);
    assert.deepEqual(numbers(await lease(spool, { limit: 3 })), [7, 3, 4]);
  });

  test("of a sequence there is one envelope out at a time, in order of arrival", async (open) => {
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
    await spool.giveBack(first, NOON + 1_000);
    assert.deepEqual(await lease(other, {}), [], "not past the one that waits");
    const [again] = await lease(other, { now: NOON + 1_000 });
    assert.ok(again && numberOf(again) === 1);
    assert.equal(await other.done(again), true);
    assert.deepEqual(numbers(await lease(other, { now: NOON + 1_000 })), [2]);
  });

  test("what is given back waits as long as asked, behind what was never put off", async (open) => {
    const spool = await open();
    for (const n of [1, 2, 3]) await spool.put(envelope(n));
    const [one, two] = await lease(spool, { limit: 2 });
    assert.ok(one && two);
    assert.equal(await spool.giveBack(one, NOON + 500), true);
    assert.equal(await spool.giveBack(two, 0), true, "without a wait: at its old place");
    assert.equal(await spool.giveBack(two, 0), false, "its lease is over");
    assert.deepEqual(numbers(await lease(spool, { now: NOON + 499, limit: 1 })), [2]);
    assert.deepEqual(numbers(await lease(spool, { now: NOON + 500 })), [3, 1]);
  });

  test("lease not renewed → runs out, and its holder learns so", async (open) => {
    const [spool, other] = [await open(), await open()];
    for (const n of [1, 2, 3]) await spool.put(envelope(n));
    const [one, two, three] = await lease(spool, {});
    assert.ok(one && two && three);
    assert.deepEqual(await spool.renew([two], NOON + 10_000), [two.id]);
    assert.deepEqual(await lease(other, { now: NOON + LEASE_MS - 1 }), []);
    const taken = await lease(other, { now: NOON + LEASE_MS, limit: 1 });
    assert.deepEqual(numbers(taken), [1]);
    assert.deepEqual(await spool.renew([one, two], NOON + LEASE_MS), [two.id]);
    assert.equal(await spool.done(one), false);
    assert.equal(await spool.giveBack(one, 0), false);
    assert.equal(await spool.done(three), true, "it ran out, but has no other holder");
    assert.ok(taken[0] && await other.done(taken[0]));
    assert.equal(await spool.done(one), false);
    assert.equal((await spool.stats()).pending, 1);
  });
}

/** Leases at noon, all that may be, unless asked otherwise. */
export function lease(spool: Spool, request: Partial<LeaseRequest>): Promise<LeasedEnvelope[]> {
  return spool.lease({ now: NOON, limit: 100, maxBytes: 1e9, dsns: BOTH_DSNS, ...request });
}

/** The texts of the bodies. */
export const numbers = (envelopes: readonly LeasedEnvelope[]) => envelopes.map(numberOf);
