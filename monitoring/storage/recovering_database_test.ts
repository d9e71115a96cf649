import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { HarmedFilesError } from "./errors.ts";
import { RecoveringDatabase } from "./recovering_database.ts";

for (const kind of ["at once", "as a promise"]) {
  Deno.test(`file deleted while work is repeated, result ${kind} → rejected`, async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "x.sqlite");
    const database = new RecoveringDatabase({
      store: "spool",
      path,
      schema: { version: 1, create: "CREATE TABLE t (x)" },
      onNotice: () => {},
      createStore: (db) => db,
    });
    let attempts = 0;
    const work = () => {
      if (++attempts === 1) throw new Error("database disk image is malformed");
      rmSync(path);
      return "kept";
    };
    const later = () => Promise.resolve().then(work);
    const run = async () => kind === "at once" ? database.run(work) : await database.run(later);
    try {
      await assert.rejects(run, HarmedFilesError);
      assert.equal(attempts, 2);
    } finally {
      database.close();
    }
  });
}
