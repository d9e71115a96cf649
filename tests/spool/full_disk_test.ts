import assert from "node:assert/strict";
import { join } from "node:path";
import { mountSmallDisk, needsSmallDisk } from "../harness/small_disk.ts";
import { readAll, startChild } from "./_start_child.ts";

Deno.test({
  ...await needsSmallDisk("disk full of envelopes → they can be deleted, then new ones are kept"),
  async fn() {
    await using disk = await mountSmallDisk(40);
    assert.ok(disk);
    const { path, before } = disk;
    const child = startChild("refill", join(path, "spool.sqlite"), before);
    const [kept, error, has, left, again] = await readAll(child);
    assert.ok(Number(kept) > 100, kept);
    assert.match(error ?? "", /^SpoolUnavailableError: /);
    assert.deepEqual([has, left, again], ["false", "0", "kept"]);
    assert.equal((await child.process.status).success, true);
  },
});
