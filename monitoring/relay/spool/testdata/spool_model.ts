import assert from "node:assert/strict";
import fc from "fast-check";
import type { SpoolUnderTest } from "./contract_suite.ts";
import { envelope, keyOf, NOON, numberOf } from "./envelopes.ts";
import {
  type Dropped,
  type Lease,
  LEASE_MS,
  type LeasedEnvelope,
  type LeaseRequest,
  MAX_WAIT_MS,
  type Spool,
} from "../spool.ts";

/** An envelope of the model, which keeps them in order of arrival. */
interface Entry {
  readonly n: number;
  /** Of its arrival among all. */
  readonly order: number;
  /** Known since it was leased first. */
  id: number | undefined;
  readonly dsn: string;
  readonly sequence: string | undefined;
  readonly bytes: number;
  readonly categories: number;
  failures: number;
  receivedAt: number;
  notBefore: number;
  lease: string | undefined;
  leaseUntil: number;
}

interface Bounds {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** The contract of spool.ts in memory, as simple as possible. */
class SpoolModel {
  entries: Entry[] = [];
  /** When each DSN was served last, as a count. */
  readonly #served = new Map<string, number>();
  #count = 0;

  constructor(readonly bounds: Bounds) {}

  put(entry: Entry): "kept" | "duplicate" | "full" {
    if (this.entries.some(({ n }) => n === entry.n)) return "duplicate";
    if (this.bytes + entry.bytes > this.bounds.maxBytes) return "full";
    this.entries.push(entry);
    return "kept";
  }

  get bytes(): number {
    return this.entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  bound(now: number): void {
    for (const entry of this.entries) {
      entry.receivedAt = Math.min(entry.receivedAt, now);
      entry.notBefore = Math.min(entry.notBefore, now + MAX_WAIT_MS);
      entry.leaseUntil = Math.min(entry.leaseUntil, now + LEASE_MS);
    }
  }

  /** Checks leased envelopes and marks them. If two DSNs were never served, either may be first. */
  leased(got: readonly LeasedEnvelope[], now: number, request: LeaseStep): void {
    const { limit, dsns, newest } = request;
    const isWanted = ({ dsn, categories }: Entry) =>
      dsns.some((wanted) => wanted.dsn === dsn && (categories & ~wanted.limited) !== 0);
    // DSNs with an envelope that was never delayed: `newest` leases no other of theirs.
    const fresh = new Set(
      this.#free(now).filter((entry) => isWanted(entry) && entry.notBefore === 0)
        .map(({ dsn }) => dsn),
    );
    const wanted = () => {
      const free = this.#free(now).filter(isWanted);
      if (!newest) return free;
      return free.filter(({ dsn, notBefore }) => !fresh.has(dsn) || notBefore === 0)
        .sort((a, b) =>
          a.notBefore - b.notBefore || (a.order - b.order) * (a.notBefore === 0 ? -1 : 1)
        );
    };
    for (const { id, lease, ...sent } of got) {
      const free = wanted();
      const turn = Math.min(...free.map(({ dsn }) => this.#served.get(dsn) ?? 0));
      const next = free.filter(({ dsn, n }) =>
        (this.#served.get(dsn) ?? 0) === turn && free.find((of) => of.dsn === dsn)?.n === n
      );
      const entry = next.find(({ n }) => n === numberOf(sent));
      assert.ok(entry, `leased ${numberOf(sent)}, next were ${next.map(({ n }) => n)}`);
      assert.equal(sent.receivedAt, entry.receivedAt);
      assert.deepEqual([sent.categories, sent.failures], [entry.categories, entry.failures]);
      Object.assign(entry, { id, lease, leaseUntil: now + LEASE_MS });
      this.#served.set(entry.dsn, ++this.#count);
    }
    assert.ok(got.length <= limit);
    if (got.length === limit) return;
    assert.deepEqual(wanted().map(({ n }) => n), [], "not leased");
  }

  leasedBy({ id, lease }: Lease): Entry | undefined {
    return this.entries.find((entry) => entry.id === id && entry.lease === lease);
  }

  expire(now: number): Dropped[] {
    this.bound(now);
    const isOver = (entry: Entry) =>
      entry.receivedAt < now - this.bounds.maxAgeMs && entry.leaseUntil <= now;
    const over = this.entries.filter(isOver);
    this.entries = this.entries.filter((entry) => !isOver(entry));
    return [...Map.groupBy(over, ({ dsn }) => dsn)].map(([dsn, lost]) => ({
      dsn,
      envelopes: lost.length,
      quantities: { error: lost.reduce((sum, { n }) => sum + n, 0) },
    }));
  }

  /** Envelopes that may be leased, in the order of leases within a DSN. */
  #free(now: number): Entry[] {
    return this.entries
      .filter((entry, at) =>
        entry.leaseUntil <= now && entry.notBefore <= now &&
        !this.entries.slice(0, at).some((older) =>
          entry.sequence !== undefined && older.sequence === entry.sequence &&
          older.dsn === entry.dsn
        )
      )
      .sort((a, b) => a.notBefore - b.notBefore);
  }
}

interface LeaseStep {
  readonly do: "lease";
  readonly limit: number;
  readonly dsns: LeaseRequest["dsns"];
  readonly newest: boolean;
}

type Step =
  | { readonly do: "put"; readonly n: number; readonly bytes: number; readonly sequence?: string }
  | LeaseStep
  /** `of`: index of the lease, counted back from the last one. */
  | { readonly do: "complete"; readonly of: number }
  | { readonly do: "renew"; readonly of: number }
  | {
    readonly do: "release";
    readonly of: number;
    readonly ms: number;
    readonly failures: number | undefined;
  }
  | { readonly do: "expire" | "reopen" }
  | { readonly do: "pass"; readonly ms: number };

const DSNS = ["a", "b", "c"].map((name) => `https://key@${name}.example/1`);

/** The DSN depends on `n`, so that the same `n` is a duplicate. */
const dsnOf = (n: number) => DSNS[n % DSNS.length] ?? "";

function steps(bounds: Bounds): fc.Arbitrary<Step> {
  const of = fc.nat({ max: 20 });
  const limited = fc.oneof(fc.constant(0), fc.integer({ min: -1, max: 7 }));
  const bytes = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 4, max: 5_000 }) },
    fc.integer({ min: Math.floor(bounds.maxBytes / 3), max: bounds.maxBytes }),
  );
  // Around the bounds, back by more than any of them, and far in both directions.
  const ms = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -1_000, max: LEASE_MS + 1_000 }) },
    { weight: 3, arbitrary: fc.constantFrom(LEASE_MS, MAX_WAIT_MS) },
    { weight: 3, arbitrary: fc.integer({ min: -10 * MAX_WAIT_MS, max: -MAX_WAIT_MS }) },
    fc.integer({ min: -2 * bounds.maxAgeMs, max: bounds.maxAgeMs + 1_000 }),
  );
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("put" as const),
        n: fc.nat({ max: 30 }),
        bytes,
        sequence: fc.constantFrom(undefined, "x", "y"),
      }, { requiredKeys: ["do", "n", "bytes"] }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("lease" as const),
        limit: fc.integer({ min: 1, max: 6 }),
        dsns: fc.subarray(DSNS, { minLength: 2 }).chain((dsns) =>
          fc.tuple(...dsns.map((dsn) => fc.record({ dsn: fc.constant(dsn), limited })))
        ),
        newest: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("complete" as const), of }) },
    fc.record({ do: fc.constant("renew" as const), of }),
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("release" as const),
        of,
        ms: fc.integer({ min: 0, max: 2 * MAX_WAIT_MS }),
        failures: fc.constantFrom(undefined, 0, 1, 9),
      }),
    },
    fc.record({ do: fc.constantFrom("expire" as const, "reopen" as const) }),
    { weight: 3, arbitrary: fc.record({ do: fc.constant("pass" as const), ms }) },
  );
}

/** Runs random steps on a spool that is opened twice and on the model, and compares all results. */
export async function checkModel(
  make: () => Promise<SpoolUnderTest> | SpoolUnderTest,
  bounds: Bounds,
  numRuns: number,
): Promise<void> {
  const step = fc.tuple(fc.boolean(), steps(bounds));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 80, maxLength: 180 }), async (sequence) => {
      const subject = await make();
      const run = new Run(subject, new SpoolModel(bounds), [
        await subject.open(),
        await subject.open(),
      ]);
      try {
        for (const [second, each] of sequence) await run.step(each, second ? 1 : 0);
      } finally {
        await Promise.all(run.spools.map((spool) => spool.close()));
        await subject.remove();
      }
    }),
    { numRuns },
  );
}

class Run {
  #now = NOON;
  #puts = 0;
  readonly #leases: Lease[] = [];

  constructor(
    readonly subject: SpoolUnderTest,
    readonly model: SpoolModel,
    readonly spools: [Spool, Spool],
  ) {}

  async step(step: Step, by: 0 | 1): Promise<void> {
    const spool = this.spools[by];
    switch (step.do) {
      case "put":
        await this.#put(spool, step);
        break;
      case "lease": {
        const { limit, dsns, newest } = step;
        const got = await spool.lease({ now: this.#now, limit, maxBytes: 1e9, dsns, newest });
        this.model.bound(this.#now);
        this.model.leased(got, this.#now, step);
        this.#leases.push(...got);
        break;
      }
      case "complete":
      case "release":
      case "renew":
        await this.#end(spool, step);
        break;
      case "expire": {
        const byDsn = (a: Dropped, b: Dropped) => a.dsn < b.dsn ? -1 : 1;
        const got = await spool.expire(this.#now);
        assert.deepEqual(got.toSorted(byDsn), this.model.expire(this.#now).toSorted(byDsn));
        break;
      }
      case "reopen":
        await spool.close();
        this.spools[by] = await this.subject.open();
        break;
      case "pass":
        this.#now += step.ms;
    }
    await this.#compareStats();
  }

  async #put(
    spool: Spool,
    { n, bytes, sequence }: Extract<Step, { do: "put" }>,
  ): Promise<void> {
    const dsn = dsnOf(n);
    const categories = 1 + n % 7;
    const facts = { dsn, receivedAt: this.#now, quantities: { error: n }, categories };
    const expected = this.model.put({
      n,
      id: undefined,
      dsn,
      sequence,
      bytes,
      categories,
      failures: 0,
      order: ++this.#puts,
      receivedAt: this.#now,
      notBefore: 0,
      lease: undefined,
      leaseUntil: -Infinity,
    });
    const put = spool.put(envelope(n, { ...facts, bytes, ...(sequence && { sequence }) }));
    assert.equal(await put, expected);
    assert.equal(await spool.has(keyOf(n)), expected !== "full");
  }

  async #end(
    spool: Spool,
    step: Extract<Step, { do: "complete" | "release" | "renew" }>,
  ): Promise<void> {
    const lease = this.#leases.at(-1 - step.of);
    if (!lease) return;
    const entry = this.model.leasedBy(lease);
    if (step.do === "renew") {
      assert.deepEqual(await spool.renew([lease], this.#now), entry ? [lease.id] : []);
      if (entry) entry.leaseUntil = this.#now + LEASE_MS;
    } else if (step.do === "complete") {
      assert.equal(await spool.complete(lease), entry !== undefined);
      this.model.entries = this.model.entries.filter((other) => other !== entry);
    } else {
      const notBefore = step.ms === 0 ? 0 : this.#now + step.ms;
      const { failures = entry?.failures } = step;
      assert.equal(await spool.release(lease, notBefore, step.failures), entry !== undefined);
      if (entry) {
        Object.assign(entry, { notBefore, failures, lease: undefined, leaseUntil: -Infinity });
      }
    }
  }

  async #compareStats(): Promise<void> {
    const { entries, bytes } = this.model;
    const byDsn: Record<string, number> = {};
    for (const { dsn } of entries) byDsn[dsn] = (byDsn[dsn] ?? 0) + 1;
    assert.deepEqual(await this.spools[0].stats(), {
      pending: entries.length,
      bytes,
      maxBytes: this.model.bounds.maxBytes,
      oldestAt: entries.length > 0
        ? Math.min(...entries.map(({ receivedAt }) => receivedAt))
        : undefined,
      byDsn,
    });
  }
}
