import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { createPrivate, prepareFiles, setAside } from "./database_files.ts";
import { isCorrupt } from "./errors.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const NAME = "x.db.corrupt-2026-01-01T00-00-00.000Z";

/** A test in a folder with a file `x.db`, its WAL and its index. */
function test(name: string, body: (path: string, files: () => readonly string[]) => void): void {
  Deno.test(name, () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "x.db");
    for (const suffix of ["", "-wal", "-shm"]) Deno.writeTextFileSync(path + suffix, suffix);
    body(path, () => [...Deno.readDirSync(folder.path)].map(({ name }) => name).toSorted());
  });
}

test("create a file → mode 0600 with any umask; an existing file or link is not opened", (path) => {
  const before = Deno.umask(0);
  try {
    using created = createPrivate(`${path}.new`);
    assert.equal(created!.statSync().mode! & 0o777, 0o600);
  } finally {
    Deno.umask(before);
  }
  const link = `${path}.link`;
  Deno.symlinkSync(`${path}.target`, link);
  assert.deepEqual([createPrivate(path), createPrivate(link)], [undefined, undefined]);
  assert.equal(existsSync(`${path}.target`), false);
});

for (const suffix of ["", "-wal", "-shm", "-journal", ".reserve"]) {
  test(`x.db${suffix} is a link → refused, the link is not followed`, (path) => {
    const target = `${path}.target`;
    if (existsSync(path + suffix)) Deno.removeSync(path + suffix);
    Deno.symlinkSync(target, path + suffix);
    assert.throws(
      () => prepareFiles("spool", path, assert.fail),
      { name: "DatabaseOpenError", message: new RegExp(`x\\.db${suffix} is a symbolic link`) },
    );
    assert.equal(existsSync(target), false);
  });
}

test(
  "set aside twice in a millisecond → names with the time, nothing is overwritten",
  (path, files) => {
    assert.equal(setAside(path, NOW), path.replace("x.db", NAME));
    assert.deepEqual(files(), [NAME, `${NAME}-shm`, `${NAME}-wal`]);
    Deno.writeTextFileSync(path, "another");
    assert.equal(setAside(path, NOW), path.replace("x.db", `${NAME}-2`));
    assert.deepEqual(files(), [NAME, `${NAME}-2`, `${NAME}-shm`, `${NAME}-wal`]);
  },
);

test("set aside fails half way → no WAL is left for the next file", (path, files) => {
  // A directory of that name cannot be replaced by a file.
  Deno.mkdirSync(path.replace("x.db", `${NAME}-wal`));
  assert.throws(() => setAside(path, NOW));
  assert.ok(files().includes("x.db"), "the file is where its WAL is");
});

test("no database, or damaged pages → corrupt; missing table or other error → not", (path) => {
  const read = (path: string, table: string) => () => {
    using database = new DatabaseSync(path);
    database.prepare(`SELECT * FROM ${table}`).all();
  };
  for (const suffix of ["-wal", "-shm"]) Deno.removeSync(path + suffix);
  Deno.writeTextFileSync(path, "no database ".repeat(100));
  assert.throws(read(path, "t"), isCorrupt);

  Deno.removeSync(path);
  using database = new DatabaseSync(path);
  database.exec("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000))");
  database.close();
  assert.throws(read(path, "nothing"), (error) => !isCorrupt(error));
  Deno.writeFileSync(path, Deno.readFileSync(path).fill(255, 4096, 5000));
  assert.throws(read(path, "t"), isCorrupt);
  assert.ok(!isCorrupt(new TypeError("no")) && !isCorrupt("malformed"));
});
