import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { openDatabase, WAL_LIMIT_BYTES } from "./open_database.ts";
import { isIntact, OpenedFiles } from "./opened_files.ts";

const BYTES = 1024 * 1024;

Deno.test("WAL restarted, cut to its limit, emptied → no harm; VACUUM → nothing lost", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "x.sqlite");
  const schema = { version: 1, create: "CREATE TABLE t (x BLOB) STRICT" };
  const open = () => openDatabase({ store: "spool", path, schema, onNotice: assert.fail });
  using other = open();
  const db = open();
  const files = new OpenedFiles(db, path);
  const insert = (bytes: number) => db.exec(`INSERT INTO t VALUES (zeroblob(${bytes}))`);
  const walBytes = () => statSync(`${path}-wal`).size;
  const expectNoHarm = () => assert.deepEqual([files.harm(), files.harm()], [undefined, undefined]);

  insert(2 * WAL_LIMIT_BYTES);
  assert.ok(walBytes() > WAL_LIMIT_BYTES);
  expectNoHarm();
  insert(BYTES);
  assert.equal(walBytes(), WAL_LIMIT_BYTES);
  expectNoHarm();
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  assert.equal(walBytes(), 0);
  expectNoHarm();
  insert(BYTES);
  expectNoHarm();
  other.exec("DELETE FROM t; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  insert(BYTES);
  assert.equal(files.harm(), "changed");
  assert.equal(files.closeHarmed("changed"), true);
  assert.equal(isIntact(path), true);
});
