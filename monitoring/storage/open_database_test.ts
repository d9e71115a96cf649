import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { openDatabase } from "./open_database.ts";
import type { Schema } from "./schema_version.ts";

const SCHEMA: Schema = { version: 1, create: "CREATE TABLE one (x)" };

Deno.test("link replaces the file after the check → refused, nothing written", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "x.sqlite");
  const target = join(folder.path, "target.sqlite");
  Deno.writeTextFileSync(path, "");
  Deno.writeTextFileSync(target, "");
  Deno.chmodSync(path, 0o644);
  // Called for the wide permissions: after the check for links, before SQLite opens the file.
  const onNotice = () => {
    Deno.removeSync(path);
    Deno.symlinkSync(target, path);
  };
  assert.throws(
    () => openDatabase({ store: "inbox", path, schema: SCHEMA, onNotice }),
    /is a symbolic link/,
  );
  assert.equal(Deno.statSync(target).size, 0);
});

for (const suffix of ["-wal", "-shm", "-journal"]) {
  Deno.test(`${suffix} file is a link → SQLite refuses to open the database`, () => {
    using folder = temporaryFolder();
    const target = join(folder.path, "target");
    Deno.writeTextFileSync(target, "");
    Deno.symlinkSync(target, join(folder.path, `x.sqlite${suffix}`));
    // `openDatabase` relies on this for links that appear while the database is open.
    using db = new DatabaseSync(join(folder.path, "x.sqlite"));
    const mode = suffix === "-journal" ? "DELETE" : "WAL";
    assert.throws(
      () => db.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (x)`),
      /unable to open database file/,
    );
    assert.equal(Deno.statSync(target).size, 0);
  });
}

Deno.test("file of an older version → upgraded with its content, or refused", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "x.sqlite");
  const open = (schema: Schema) =>
    openDatabase({ store: "spool", path, schema, onNotice: assert.fail });
  using first = open(SCHEMA);
  first.exec("INSERT INTO one VALUES (1)");
  first.close();
  const upgrades = {
    1: "ALTER TABLE one ADD COLUMN y DEFAULT 2",
    2: "ALTER TABLE one ADD COLUMN z DEFAULT 3",
  };
  const next: Schema = { version: 3, create: "CREATE TABLE one (x, y, z)", upgrades };
  const { 1: _, ...notFromFirst } = upgrades;
  assert.throws(
    () => open({ ...next, upgrades: notFromFirst }),
    /has schema version 1, known is 3/,
  );
  using second = open(next);
  assert.deepEqual({ ...second.prepare("SELECT * FROM one").get() }, { x: 1, y: 2, z: 3 });
  assert.throws(
    () => open(SCHEMA),
    /^DatabaseOpenError: Cannot open the spool: .* has schema version 3, known is 1/,
  );
});
