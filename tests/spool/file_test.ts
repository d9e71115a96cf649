import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SQLITE_SPOOL_SCHEMA } from "../../monitoring/relay/spool/schema.ts";
import { type Spool, SpoolUnavailableError } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import {
  BOTH_DSNS,
  DSN,
  envelope,
  keyOf,
  NOON,
} from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { DatabaseFileError, DatabaseVersionError } from "../../monitoring/storage/errors.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";

const MIB = 1024 * 1024;

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
    await putAll(spool, 1, 50, 5_000);
    await spool.close();
    await work({ folder: folder.path, path, notices, open });
  } finally {
    await Promise.all(opened.map((spool) => spool.close()));
  }
}

async function putAll(spool: Spool, first: number, last: number, bytes: number): Promise<void> {
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  await Promise.all(numbers.map((n) => spool.put(envelope(n, { bytes }))));
}

async function drainAll(spool: Spool): Promise<number> {
  for (let count = 0;;) {
    const leased = await spool.lease({
      now: NOON,
      limit: 100,
      maxBytes: 64 * MIB,
      dsns: BOTH_DSNS,
    });
    if (leased.length === 0) return count;
    count += leased.length;
    await Promise.all(leased.map((held) => spool.complete(held)));
  }
}

const filesSetAside = (folder: string) =>
  readdirSync(folder).filter((name) => /^spool\.sqlite\.corrupt-[^.]+\.\d+Z$/.test(name));

Deno.test("corrupt file at start → set aside with a notice, replaced by an empty one", async () => {
  await withFile(async ({ folder, path, notices, open }) => {
    writeFileSync(path, "rubbish ".repeat(2_000));
    const spool = await open();
    assert.equal((await spool.stats()).pending, 0);
    assert.equal(await spool.put(envelope(1)), "kept");
    const [aside = "", ...more] = filesSetAside(folder);
    assert.deepEqual(more, []);
    assert.match(readFileSync(join(folder, aside), "utf8"), /^rubbish/);
    assert.deepEqual(notices, [
      `The spool ${path} was corrupt: it was renamed to ${
        join(folder, aside)
      } and replaced by an empty one.`,
    ]);
  });
});

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

Deno.test("another process set the file aside → later puts go to the new file", async () => {
  await withFile(async ({ path, folder, open, notices }) => {
    const spool = await open();
    for (const suffix of ["-wal", "-shm", ""]) {
      Deno.renameSync(path + suffix, join(folder, `moved${suffix}`));
    }
    const other = await open();
    assert.equal(await other.put(envelope(60)), "kept");
    assert.equal(await spool.put(envelope(61)), "kept");
    assert.deepEqual([await other.has(keyOf(61)), await spool.has(keyOf(60))], [true, true]);
    assert.equal((await spool.stats()).pending, 2);
    assert.equal(notices.length, 1);
    assert.match(notices[0] ?? "", /^The spool .* was moved, deleted or replaced/);
  });
});

Deno.test("data folder deleted while running → created again, envelopes are kept", async () => {
  await withFile(async ({ path, folder, open }) => {
    const spool = await open();
    await spool.put(envelope(60));
    Deno.removeSync(folder, { recursive: true });
    assert.equal(await spool.put(envelope(61)), "kept");
    await spool.close();
    const again = await open();
    assert.deepEqual([await again.has(keyOf(60)), await again.has(keyOf(61))], [false, true]);
    assert.equal(statSync(path).isFile(), true);
  });
});

Deno.test("unknown schema version → refused, file unchanged", async () => {
  await withFile(async ({ folder, path, open }) => {
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA user_version = ${SQLITE_SPOOL_SCHEMA.version + 1}`);
    db.close();
    const [before, files] = [readFileSync(path), readdirSync(folder)];
    await assert.rejects(
      open(),
      (error) =>
        error instanceof DatabaseVersionError && error.found === SQLITE_SPOOL_SCHEMA.version + 1 &&
        error.message.startsWith(`Cannot open the spool: ${path} has schema version `),
    );
    assert.ok(before.equals(readFileSync(path)));
    assert.deepEqual(readdirSync(folder), files);
  });
});

/** A file of version 3 with a leased envelope, two of a recording, and a report of gossip. */
const VERSION_3 = `
  CREATE TABLE dsns (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE,
    pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
    bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0), turn INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE entries (id INTEGER PRIMARY KEY AUTOINCREMENT, dsn INTEGER NOT NULL, sequence TEXT,
    ready INTEGER NOT NULL, not_before INTEGER NOT NULL DEFAULT 0, lease TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0, received_at INTEGER NOT NULL, bytes INTEGER NOT NULL,
    key BLOB NOT NULL UNIQUE CHECK (length(key) = 32), content_encoding TEXT, user_agent TEXT,
    address TEXT, event_id TEXT, quantities TEXT NOT NULL, client_hints TEXT,
    categories INTEGER NOT NULL DEFAULT 1 CHECK (categories <> 0),
    failures INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
  CREATE TABLE news (id INTEGER PRIMARY KEY AUTOINCREMENT, reported_at INTEGER NOT NULL,
    keys BLOB NOT NULL, limits TEXT NOT NULL) STRICT;
  CREATE INDEX sequences ON entries (dsn, sequence, id) WHERE sequence IS NOT NULL;
  CREATE INDEX leased_entries ON entries (lease_until) WHERE lease_until > 0;
  CREATE INDEX waiting_entries ON entries (not_before) WHERE not_before > 0;
  CREATE INDEX entries_by_age ON entries (received_at);
  CREATE INDEX ready_entries ON entries (dsn, not_before, id, categories) WHERE ready = 1;
  INSERT INTO dsns (id, text, pending, bytes) VALUES (1, '${DSN}', 3, 300);
  INSERT INTO entries (dsn, ready, lease, lease_until, received_at, bytes, key, content_encoding,
      user_agent, address, event_id, quantities, client_hints, categories, failures)
    VALUES (1, 1, 'x.1', ${NOON + 1_000}, ${NOON}, 100, :key1, 'gzip', 'Firefox', '192.0.2.1', 'e1',
      '{"transaction":1}', '{"sec-ch-ua-mobile":"?0"}', 4, 2);
  INSERT INTO entries (dsn, sequence, ready, not_before, received_at, bytes, key, quantities)
    VALUES (1, 'replay', 1, ${NOON + 2_000}, ${NOON}, 100, :key2, '{"replay":2}'),
      (1, 'replay', 0, 0, ${NOON}, 100, :key3, '{"replay":2}');
  INSERT INTO bodies VALUES (1, :body1), (2, :body2), (3, :body3);
  INSERT INTO news VALUES (7, ${NOON}, x'00112233445566778899aabbccddeeff', '[]');
  PRAGMA user_version = 3;
`;

Deno.test("file of version 3, opened twice at once → upgraded with its envelopes", async () => {
  await withFile(async ({ folder, path, open }) => {
    Deno.removeSync(path);
    const replay = { sequence: "replay", quantities: { replay: 2 }, categories: 1 };
    const all = [envelope(1), envelope(2, replay), envelope(3, replay)];
    const db = new DatabaseSync(path);
    db.exec("PRAGMA journal_mode = WAL");
    db.exec(VERSION_3.replaceAll(/:(key|body)(\d)/g, (_, what, n) => {
      const bytes = what === "key" ? keyOf(Number(n)) : all[Number(n) - 1]!.bytes;
      return `x'${bytes.toHex()}'`;
    }));
    db.close();
    const [spool, other] = await Promise.all([open(), open()]);
    assert.equal((await other.stats()).pending, 3);
    assert.equal(await other.put(envelope(1)), "duplicate");
    const nothing = { keys: new Uint8Array(), limits: [] };
    assert.equal((await other.exchange(nothing, NOON)).length, 1);
    const request = { limit: 10, maxBytes: 1e9, dsns: BOTH_DSNS };
    assert.deepEqual(await spool.lease({ ...request, now: NOON }), []);
    const leased = await spool.lease({ ...request, now: NOON + 2_000 });
    assert.deepEqual(leased.map(({ id: _, lease: __, ...sent }) => sent), [
      {
        ...all[0],
        contentEncoding: "gzip",
        userAgent: "Firefox",
        address: "192.0.2.1",
        clientHints: { "sec-ch-ua-mobile": "?0" },
        eventId: "e1",
        quantities: { transaction: 1 },
        categories: 4,
        failures: 2,
      },
      { ...all[1], failures: 0 },
    ]);
    for (const each of leased) assert.ok(await spool.complete(each));
    const [third] = await other.lease({ ...request, now: NOON });
    assert.deepEqual(third?.bytes, all[2]!.bytes);
    assert.equal(await other.put(envelope(4)), "kept");
    assert.equal(filesSetAside(folder).length, 0);
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
        assert.ok(error instanceof DatabaseFileError, `${error}`);
        assert.equal(error.file, path);
        assert.match(error.message, /^Cannot open the spool in [^\n]*DATA_DIR[^\n]*$/);
        return true;
      });
    }
  });
});

Deno.test("new folder and files → readable by their owner only", async () => {
  await withFile(async ({ folder }) => {
    const data = join(folder, "new", "data");
    const path = join(data, "spool.sqlite");
    const spool = await openSqliteSpool({ path, maxBytes: 1, maxAgeHours: 1 });
    const mode = (made: string) => statSync(made).mode & 0o777;
    assert.deepEqual([join(folder, "new"), data].map(mode), [0o700, 0o700]);
    const files = readdirSync(data);
    assert.equal(files.length, 4, "database, -wal, -shm, reserve");
    for (const name of files) assert.equal(mode(join(data, name)), 0o600, name);
    await spool.close();
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
    let result: string | undefined;
    await until("the disk works again", async () => {
      result = await spool.put(envelope(60)).catch((error) => void assert.ok(isStalled(error)));
      return result !== undefined;
    });
    assert.equal(result, "duplicate", "kept after the disk worked again");
    assert.equal(await spool.has(keyOf(61)), false);
    await spool.close();
  });
});

Deno.test("flood, then drain → the log stays small", async () => {
  await withFile(async ({ path, open }) => {
    const spool = await open();
    for (let n = 100; n < 1_100; n += 100) await putAll(spool, n, n + 99, 100_000);
    const size = (suffix: string) => statSync(path + suffix).size;
    assert.ok(size("") + size("-wal") > 95 * MIB);
    assert.ok(size("-wal") < 32 * MIB, `${size("-wal")}`);
    assert.equal(await drainAll(spool), 1_050);
    assert.ok(size("-wal") < 32 * MIB, `${size("-wal")}`);
  });
});
