import assert from "node:assert/strict";
import { closeSync, existsSync, fstatSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createPrivate, prepareFiles, setAside } from "./database_files.ts";
import { DatabaseOpenError, isCorrupt } from "./errors.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const NAME = "x.db.corrupt-2026-01-01T00-00-00.000Z";

/** Runs in a directory with a file `x.db` and its log. */
function withFile(test: (path: string, files: () => readonly string[]) => void): void {
  const directory = Deno.makeTempDirSync();
  try {
    const path = `${directory}/x.db`;
    for (const suffix of ["", "-wal", "-shm"]) Deno.writeTextFileSync(path + suffix, suffix);
    test(path, () => [...Deno.readDirSync(directory)].map(({ name }) => name).toSorted());
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

Deno.test("create a file → mode 0600 from the start, with any umask", () =>
  withFile((path) => {
    const before = Deno.umask(0);
    try {
      const created = createPrivate(`${path}.new`);
      assert.equal(fstatSync(created!).mode & 0o777, 0o600);
      closeSync(created!);
    } finally {
      Deno.umask(before);
    }
  }));

Deno.test("file or link with the name exists → not opened", () =>
  withFile((path) => {
    const link = `${path}.link`;
    Deno.symlinkSync(`${path}.target`, link);
    assert.deepEqual([createPrivate(path), createPrivate(link)], [undefined, undefined]);
    assert.equal(Deno.lstatSync(link).isSymlink, true);
    assert.throws(() => Deno.statSync(`${path}.target`), Deno.errors.NotFound);
  }));

for (const suffix of ["", "-wal", "-shm", "-journal", ".reserve"]) {
  Deno.test(`x.db${suffix} is a link → refused, the link is not followed`, () =>
    withFile((path) => {
      const target = `${path}.target`;
      if (existsSync(path + suffix)) Deno.removeSync(path + suffix);
      Deno.symlinkSync(target, path + suffix);
      assert.throws(
        () => prepareFiles("spool", path, assert.fail),
        (error) =>
          error instanceof DatabaseOpenError &&
          error.message.includes(`${path}${suffix} is a symbolic link`),
      );
      assert.equal(existsSync(target), false);
    }));
}

Deno.test("set aside → file and log get names with the time", () =>
  withFile((path, files) => {
    assert.equal(setAside(path, NOW), path.replace("x.db", NAME));
    assert.deepEqual(files(), [NAME, `${NAME}-shm`, `${NAME}-wal`]);
  }));

Deno.test("set aside twice in a millisecond → nothing is overwritten", () =>
  withFile((path, files) => {
    setAside(path, NOW);
    Deno.writeTextFileSync(path, "another");
    assert.equal(setAside(path, NOW), path.replace("x.db", `${NAME}-2`));
    assert.deepEqual(files(), [NAME, `${NAME}-2`, `${NAME}-shm`, `${NAME}-wal`]);
  }));

Deno.test("set aside fails half way → no log is left for the next file", () =>
  withFile((path, files) => {
    // A directory of that name cannot be replaced by a file.
    Deno.mkdirSync(path.replace("x.db", `${NAME}-wal`));
    assert.throws(() => setAside(path, NOW));
    assert.ok(files().includes("x.db"), "the file is where its log is");
  }));

Deno.test("no database, or damaged pages → isCorrupt", () =>
  withFile((path) => {
    Deno.removeSync(`${path}-wal`);
    Deno.removeSync(`${path}-shm`);
    Deno.writeTextFileSync(path, "no database ".repeat(100));
    assert.ok(isCorrupt(errorOf(() => readFrom(path))));

    Deno.removeSync(path);
    using database = new DatabaseSync(path);
    database.exec("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000))");
    database.close();
    const torn = Deno.readFileSync(path).fill(255, 4096, 5000);
    Deno.writeFileSync(path, torn);
    assert.ok(isCorrupt(errorOf(() => readFrom(path))));
  }));

Deno.test("missing table or other error → not isCorrupt", () => {
  using database = new DatabaseSync(":memory:");
  assert.ok(!isCorrupt(errorOf(() => database.prepare("SELECT * FROM nothing"))));
  assert.ok(!isCorrupt(new TypeError("no")));
  assert.ok(!isCorrupt("malformed"));
});

function readFrom(path: string): void {
  using database = new DatabaseSync(path);
  database.prepare("SELECT * FROM t").all();
}

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  assert.fail("It did not fail.");
}
