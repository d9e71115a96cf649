import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../../tests/harness/temporary_folder.ts";
import { SqliteDriver } from "../../storage/sqlite_driver.ts";
import { queryPlans, tableScans } from "../../storage/testdata/table_scans.ts";
import { SQLITE_SPOOL_SCHEMA } from "./schema.ts";
import { LEASE_MS } from "./spool.ts";
import { createSqlSpool } from "./sql_spool.ts";
import { BOTH_DSNS, DSN, envelope, keyOf, NOON, TRANSACTION } from "./testdata/envelopes.ts";

const MAX_AGE_MS = 86_400_000;
const NO_GOSSIP = { keys: new Uint8Array(), limits: [] };

/** A row for each DSN, and for each of its sets of categories; gossip of an hour, bounded by its bytes. */
const FEW_ROWS = ["dsns", "sets", "gossip"];

Deno.test("spool puts, leases, delivers, expires → no statement reads a whole table", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "spool.sqlite");
  const onNotice = (notice: string) => assert.fail(notice);
  const driver = new SqliteDriver({
    store: "spool",
    path,
    schema: SQLITE_SPOOL_SCHEMA,
    onNotice,
  });
  const spool = createSqlSpool(driver, { maxBytes: 1_000, maxAgeHours: 24 });
  try {
    const plans = await queryPlans(path, async () => {
      const results = await Promise.all(
        Array.from(
          { length: 11 },
          (_, n) => spool.put(envelope(n, { sequence: n % 2 ? "a" : undefined })),
        ),
      );
      assert.deepEqual([results[0], results[10]], ["kept", "full"]);
      assert.deepEqual([await spool.has(keyOf(0)), await spool.has(keyOf(10))], [true, false]);
      assert.ok(await spool.hasSequence(DSN, "a"));
      const request = { now: NOON, limit: 3, maxBytes: 1_000, dsns: BOTH_DSNS };
      const [first, second] = await spool.lease(request);
      assert.ok((await spool.lease({ ...request, limit: 1, newest: true })).length > 0);
      const limited = [{ dsn: DSN, limited: TRANSACTION }];
      assert.equal((await spool.lease({ ...request, dsns: limited, limit: 1 })).length, 1);
      assert.equal((await spool.renew([first!, second!], NOON)).length, 2);
      assert.equal(await spool.complete(first!), true);
      assert.equal(await spool.release(second!, NOON + 1_000, 1), true);
      await spool.exchange({ ...NO_GOSSIP, keys: Uint8Array.fromHex(keyOf(0)) }, NOON);
      assert.equal((await spool.stats()).pending, 9);
      // The clock was set back.
      await spool.lease({ ...request, now: NOON - 2 * MAX_AGE_MS, dsns: [] });
      const [dropped] = await spool.expire(NOON + MAX_AGE_MS + LEASE_MS + 1);
      assert.equal(dropped?.envelopes, 9);
    });
    assert.deepEqual(tableScans(plans, FEW_ROWS), []);
  } finally {
    await spool.close();
  }
});
