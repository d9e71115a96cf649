import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Spool, SpoolUnavailableError } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { envelope, keyOf } from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { DatabaseOpenError } from "../../monitoring/storage/errors.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";

interface Subject {
  readonly folder: string;
  readonly path: string;
  readonly notices: string[];
  open(): Promise<Spool>;
}

/** Runs with the file of a closed spool that holds 50 envelopes. */
async function withFile(work: (subject: Subject) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const path = join(folder.path, "spool.sqlite");
  const notices: string[] = [];
  const opened: Spool[] = [];
  const open = async () => {
    const spool = await openSqliteSpool({
      path,
      maxBytes: 1e9,
      maxAgeHours: 1,
      lockTimeoutMs: 50,
      onNotice: (notice) => notices.push(notice),
    });
    opened.push(spool);
    return spool;
  };
  try {
    const spool = await open();
    const numbers = Array.from({ length: 50 }, (_, at) => 1 + at);
    await Promise.all(numbers.map((n) => spool.put(envelope(n, { bytes: 5_000 }))));
    await spool.close();
    await work({ folder: folder.path, path, notices, open });
  } finally {
    await Promise.all(opened.map((spool) => spool.close()));
  }
}

const filesSetAside = (folder: string) =>
  readdirSync(folder).filter((name) => /^spool\.sqlite\.corrupt-[^.]+\.\d+Z$/.test(name));

Deno.test("file found corrupt later → current puts are kept in the new file", async () => {
  await withFile(async ({ folder, path, notices, open }) => {
    // The first page stays intact: opening finds no damage.
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 4_096);
    writeFileSync(path, bytes);
    const spool = await open();
    assert.deepEqual(notices, []);
    const put = await Promise.all([101, 102, 103].map((n) => spool.put(envelope(n))));
    assert.deepEqual(put, ["kept", "kept", "kept"]);
    assert.equal(notices.length, 1);
    assert.equal(filesSetAside(folder).length, 1);
    assert.deepEqual(
      await Promise.all([1, 101, 102, 103].map((n) => spool.has(keyOf(n)))),
      [false, true, true, true],
    );
  });
});

Deno.test("folder or file not writable → one line that names DATA_DIR", async () => {
  await withFile(async ({ folder, path: file }) => {
    const directory = join(folder, "a-directory");
    mkdirSync(directory);
    const readOnly = join(folder, "read-only");
    mkdirSync(readOnly);
    chmodSync(readOnly, 0o500);
    // Below a file; a directory in place of the file; a folder that no user may write to.
    const paths = [join(file, "spool.sqlite"), directory, "/proc/spool/spool.sqlite"];
    // Root may write to a read-only folder.
    if (Deno.uid() !== 0) paths.push(join(readOnly, "spool.sqlite"));
    for (const path of paths) {
      const opening = openSqliteSpool({ path, maxBytes: 1, maxAgeHours: 1 });
      await assert.rejects(opening, (error) => {
        assert.ok(error instanceof DatabaseOpenError, `${error}`);
        assert.ok(error.message.startsWith(`Cannot open the spool: ${path} cannot be used (`));
        assert.match(error.message, /^[^\n]*DATA_DIR[^\n]*$/);
        return true;
      });
    }
  });
});

Deno.test("locked by another process → calls rejected after the timeout, works afterwards", async () => {
  await withFile(async ({ path, open }) => {
    const spool = await open();
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const start = performance.now();
    const numbers = Array.from({ length: 200 }, (_, n) => 60 + n);
    const puts = await Promise.allSettled(numbers.map((n) => spool.put(envelope(n))));
    for (const put of puts) {
      assert.ok(put.status === "rejected" && put.reason instanceof SpoolUnavailableError);
      assert.match(put.reason.message, /locked/);
    }
    // They share the waits of 50 ms: one for each call takes 10 s.
    assert.ok(performance.now() - start < 5_000);
    assert.equal(await spool.has(keyOf(60)), false, "reading works meanwhile");
    other.exec("ROLLBACK");
    other.close();
    assert.equal(await spool.put(envelope(60)), "kept");
  });
});

Deno.test("disk hangs → calls rejected in time, works when the disk does again", async () => {
  await withFile(async ({ path }) => {
    // Waiting for a lock blocks the worker as a hanging disk does.
    const limits = { maxBytes: 1e9, maxAgeHours: 1, lockTimeoutMs: 60_000, stallMs: 50 };
    const spool = await openSqliteSpool({ path, ...limits });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const isStalled = (error: unknown) =>
      error instanceof SpoolUnavailableError && /does not answer/.test(error.message);
    const first = spool.put(envelope(60));
    await new Promise((resolve) => setTimeout(resolve, 0));
    const second = spool.put(envelope(61));
    await assert.rejects(first, isStalled);
    await assert.rejects(second, isStalled);
    await assert.rejects(spool.stats(), isStalled);
    other.exec("ROLLBACK");
    other.close();
    // On a busy machine any call may take longer than `stallMs`.
    const answered = async <T>(call: () => Promise<T>): Promise<T> => {
      let results: T[] = [];
      await until("the disk works again", async () => {
        results = await call().then((result) => [result], (error) => {
          assert.ok(isStalled(error));
          return [];
        });
        return results.length > 0;
      });
      return results[0]!;
    };
    const result = await answered(() => spool.put(envelope(60)));
    assert.equal(result, "duplicate", "kept after the disk worked again");
    assert.equal(await answered(() => spool.has(keyOf(61))), false);
    await spool.close();
  });
});
