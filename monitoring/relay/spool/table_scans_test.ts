import assert from "node:assert/strict";
import { join } from "node:path";
import { openDatabase } from "../../storage/open_database.ts";
import { tableScans } from "../../storage/testdata/table_scans.ts";
import { SPOOL_SCHEMA } from "./sql.ts";
import { LEASE_MS } from "./spool.ts";
import { SpoolFile } from "./spool_file.ts";
import { BOTH_DSNS, DSN, envelope, keyOf, NOON } from "./testdata/envelopes.ts";

const MAX_AGE_MS = 86_400_000;
const NO_GOSSIP = { keys: new Uint8Array(), limits: [] };

/** A row for each DSN; gossip of an hour, bounded by its bytes. */
const FEW_ROWS = ["dsns", "news"];

Deno.test("spool puts, leases, delivers, expires → no statement reads a whole table", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "spool-" });
  const path = join(folder, "spool.sqlite");
  const onNotice = (notice: string) => assert.fail(notice);
  const db = openDatabase({ store: "spool", path, schema: SPOOL_SCHEMA, onNotice });
  const file = new SpoolFile(db, { maxBytes: 1_000, maxAgeMs: MAX_AGE_MS });
  try {
    const scans = await tableScans(path, FEW_ROWS, () =>
      file.transaction(() => {
        const results = Array.from(
          { length: 11 },
          (_, n) => file.put(envelope(n, { sequence: n % 2 ? "a" : undefined })),
        );
        assert.deepEqual([results[0], results[10]], ["kept", "full"]);
        assert.ok(file.has(keyOf(0)) && file.hasSequence(DSN, "a"));
        const request = { now: NOON, limit: 3, maxBytes: 1_000, dsns: BOTH_DSNS };
        const [first, second] = file.lease(request, "1");
        assert.ok(file.lease({ ...request, newest: true }, "2").length > 0);
        assert.equal(file.renew([first!, second!], NOON).length, 2);
        assert.ok(file.complete(first!));
        assert.ok(file.release(second!, NOON + 1_000, 1));
        file.exchange({ ...NO_GOSSIP, keys: keyOf(0) }, NOON);
        assert.equal(file.stats().pending, 9);
        assert.equal(file.expire(NOON + MAX_AGE_MS + LEASE_MS + 1).dropped.length, 9);
      }));
    assert.deepEqual(scans, []);
  } finally {
    db.close();
    Deno.removeSync(folder, { recursive: true });
  }
});
