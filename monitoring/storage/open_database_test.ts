import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "./open_database.ts";
import type { Schema } from "./schema.ts";

const SCHEMA: Schema = { version: 1, create: "CREATE TABLE one (x)" };

function withFolder(work: (folder: string) => void): void {
  const folder = Deno.makeTempDirSync({ prefix: "sqlite-" });
  try {
    work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("link replaces the file after the check → refused, nothing written", () =>
  withFolder((folder) => {
    const path = join(folder, "x.sqlite");
    const target = join(folder, "target.sqlite");
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
  }));

for (const suffix of ["-wal", "-shm", "-journal"]) {
  Deno.test(`${suffix} file is a link → SQLite refuses to open the database`, () =>
    withFolder((folder) => {
      const target = join(folder, "target");
      Deno.writeTextFileSync(target, "");
      Deno.symlinkSync(target, join(folder, `x.sqlite${suffix}`));
      // `openDatabase` relies on this for links that appear while the database is open.
      using db = new DatabaseSync(join(folder, "x.sqlite"));
      const mode = suffix === "-journal" ? "DELETE" : "WAL";
      assert.throws(
        () => db.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (x)`),
        /unable to open database file/,
      );
      assert.equal(Deno.statSync(target).size, 0);
    }));
}

Deno.test("file of an older version → upgraded with its content", () =>
  withFolder((folder) => {
    const path = join(folder, "x.sqlite");
    const open = (schema: Schema) =>
      openDatabase({ store: "spool", path, schema, onNotice: assert.fail });
    using first = open(SCHEMA);
    first.exec("INSERT INTO one VALUES (1)");
    first.close();
    const next: Schema = {
      version: 3,
      create: "CREATE TABLE one (x, y, z)",
      upgrades: {
        1: "ALTER TABLE one ADD COLUMN y DEFAULT 2",
        2: "ALTER TABLE one ADD COLUMN z DEFAULT 3",
      },
    };
    using second = open(next);
    assert.deepEqual({ ...second.prepare("SELECT * FROM one").get() }, { x: 1, y: 2, z: 3 });
    assert.throws(
      () => open(SCHEMA),
      /^DatabaseOpenError: Cannot open the spool: .* has schema version 3, known is 1/,
    );
  }));

Deno.test("file of a version that cannot be upgraded → refused", () =>
  withFolder((folder) => {
    const path = join(folder, "x.sqlite");
    const options = { store: "spool", path, onNotice: assert.fail } as const;
    openDatabase({ ...options, schema: SCHEMA }).close();
    assert.throws(
      () => openDatabase({ ...options, schema: { ...SCHEMA, version: 3, upgrades: { 2: "" } } }),
      /has schema version 1, known is 3/,
    );
  }));
