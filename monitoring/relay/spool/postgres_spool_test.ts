import assert from "node:assert/strict";
import { parsePostgresUrl } from "../../storage/postgres_address.ts";
import {
  type PrivatePostgres,
  startPostgresBeforeAll,
} from "../../storage/testdata/private_postgres.ts";
import { largeReads } from "../../storage/testdata/rows_read.ts";
import { openPostgresSpool } from "./postgres_spool.ts";
import { MAX_AGE_HOURS, MAX_BYTES, spoolTests } from "./testdata/contract_suite.ts";
import {
  BOTH_DSNS,
  DSN,
  envelope,
  ERROR,
  keyOf,
  numberOf,
  TRANSACTION,
} from "./testdata/envelopes.ts";

/** A run takes some hundred transactions, each synced to disk; SQLite has more runs. */
const MODEL_RUNS = 4;

let postgres: PrivatePostgres;
/** Without server binaries the tests are listed as ignored. */
const ignore = startPostgresBeforeAll((started) => postgres = started);

const tests = spoolTests("PostgreSQL spool", () => {
  const address = parsePostgresUrl(postgres.url())!;
  return {
    open: () => openPostgresSpool({ address, maxBytes: MAX_BYTES, maxAgeHours: MAX_AGE_HOURS }),
    remove: async () => void await postgres.admin("DROP SCHEMA sightglass CASCADE", "spool"),
  };
}, MODEL_RUNS);

for (const test of tests) Deno.test({ ...test, ignore });

/** Enough that PostgreSQL chooses other plans than for an empty spool. */
const ENTRIES = 20_000;
const LAST = ENTRIES + 1;

Deno.test({
  name: "PostgreSQL spool fills before ANALYZE → no statement reads all entries, limited or not",
  ignore,
  async fn() {
    const address = parsePostgresUrl(postgres.url())!;
    const spool = await openPostgresSpool({ address, maxBytes: 1e9, maxAgeHours: MAX_AGE_HOURS });
    try {
      await postgres.admin(
        "ALTER TABLE sightglass.spool_entries SET (autovacuum_enabled = false)",
        "spool",
      );
      const now = Date.now();
      const put = (n: number) =>
        spool.put(
          envelope(n, { receivedAt: now, sequence: n % 10 === 5 ? `${n % 1_000}` : undefined }),
        );
      await Promise.all(Array.from({ length: ENTRIES }, (_, n) => put(n)));
      const reads = await largeReads(ENTRIES / 10, async () => {
        assert.deepEqual([await put(1), await put(ENTRIES)], ["duplicate", "kept"]);
        const request = { now, limit: 3, maxBytes: MAX_BYTES, dsns: BOTH_DSNS };
        const [first, second] = await spool.lease(request);
        assert.ok((await spool.lease({ ...request, newest: true })).length > 0);
        const dsns = [{ dsn: DSN, limited: ERROR }];
        for (const newest of [false, true]) {
          assert.deepEqual(await spool.lease({ ...request, dsns, newest }), []);
        }
        await spool.put(envelope(LAST, { receivedAt: now, categories: ERROR | TRANSACTION }));
        assert.deepEqual((await spool.lease({ ...request, dsns })).map(numberOf), [LAST]);
        await spool.renew([first!, second!], now);
        assert.ok(await spool.complete(first!));
        assert.ok(await spool.release(second!, now + 1_000, 1));
        assert.ok(await spool.has(keyOf(5)) && await spool.hasSequence(DSN, "5"));
        assert.deepEqual(await spool.expire(now), []);
        assert.equal((await spool.stats()).pending, LAST);
      });
      assert.deepEqual(reads, []);
    } finally {
      await spool.close();
      await postgres.admin("DROP SCHEMA sightglass CASCADE", "spool");
    }
  },
});
