import assert from "node:assert/strict";
import { join } from "node:path";
import { BOTH_DSNS, numberOf } from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { mountSmallDisk, needsSmallDisk } from "../harness/small_disk.ts";
import { readAll, startChild } from "./_start_child.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

/** Limits files to 24 MiB (in blocks of 512 bytes). Ignoring SIGXFSZ makes writes fail as on a full disk. */
const SMALL_FILES = `trap '' XFSZ; ulimit -f 49152`;

Deno.test("file size limit reached → put rejected as unavailable, earlier envelopes are intact", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "spool.sqlite");
  const [kept, error, has] = await readAll(startChild("fill", file, { before: SMALL_FILES }));
  assert.match(error ?? "", /^SpoolUnavailableError: Cannot use the spool: [^\n]+\.$/);
  assert.equal(has, "false");
  const count = Number(kept);
  assert.ok(count > 100, kept);
  // A process without the limit.
  const spool = await openSqliteSpool({ path: file, maxBytes: 1e9, maxAgeHours: 1 });
  const request = { now: Date.now(), limit: 10_000, maxBytes: 1e9, dsns: BOTH_DSNS };
  const leased = await spool.lease(request);
  assert.deepEqual(leased.map(numberOf), Array.from({ length: count }, (_, n) => n));
  await spool.close();
});

Deno.test({
  ...await needsSmallDisk("disk full of envelopes → they can be deleted, then new ones are kept"),
  async fn() {
    await using disk = await mountSmallDisk(40);
    assert.ok(disk);
    const { path, before } = disk;
    const child = startChild("refill", join(path, "spool.sqlite"), { before });
    const [kept, error, has, left, again] = await readAll(child);
    assert.ok(Number(kept) > 100, kept);
    assert.match(error ?? "", /^SpoolUnavailableError: /);
    assert.deepEqual([has, left, again], ["false", "0", "kept"]);
    assert.equal((await child.process.status).success, true);
  },
});
