/** A spool's file that an earlier version of the server wrote: its envelopes are delivered. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteSpool } from "../../monitoring/spool/sqlite_spool.ts";
import { DSN, envelope, keyOf, NOON } from "../../monitoring/spool/testdata/envelopes.ts";

/** The tables as version 1 made them: a copy, because those files do not change with the schema. */
const VERSION_1 = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE dsns (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE,
    pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
    bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    turn INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dsn INTEGER NOT NULL,
    sequence TEXT,
    ready INTEGER NOT NULL,
    not_before INTEGER NOT NULL DEFAULT 0,
    lease TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    received_at INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
    content_encoding TEXT,
    user_agent TEXT,
    address TEXT,
    event_id TEXT,
    quantities TEXT NOT NULL
  ) STRICT;
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
  CREATE INDEX ready_entries ON entries (dsn, not_before, id) WHERE ready = 1;
  CREATE INDEX sequences ON entries (dsn, sequence, id) WHERE sequence IS NOT NULL;
  CREATE INDEX leased_entries ON entries (lease_until) WHERE lease_until > 0;
  CREATE INDEX waiting_entries ON entries (not_before) WHERE not_before > 0;
  CREATE INDEX entries_by_age ON entries (received_at);
  PRAGMA user_version = 1;
`;

Deno.test("a spool's file of version 1 → its envelopes come out, new ones keep their client hints", async () => {
  const folder = await Deno.makeTempDir({ prefix: "spool-" });
  const path = join(folder, "spool.sqlite");
  const old = { ...envelope(1), userAgent: "Mozilla/5.0", address: "192.0.2.1" };
  const bytes = old.bytes.slice();
  writeVersion1(path, old);
  const spool = await openSqliteSpool({ path, maxBytes: 1e6, maxAgeHours: 1 });
  try {
    assert.equal(await spool.has(keyOf(1)), true);
    const clientHints = { "sec-ch-ua-platform": '"Linux"' };
    assert.equal(await spool.put({ ...envelope(2), clientHints }), "kept");
    const [first, second] = await spool.lease({
      now: NOON,
      limit: 9,
      maxBytes: 1e6,
      dsns: [{ dsn: DSN, held: 0 }],
    });
    assert.deepEqual(
      [first?.bytes, first?.userAgent, first?.address, first?.clientHints],
      [bytes, "Mozilla/5.0", "192.0.2.1", undefined],
    );
    assert.deepEqual(second?.clientHints, clientHints);
  } finally {
    await spool.close();
    await Deno.remove(folder, { recursive: true });
  }
});

function writeVersion1(
  path: string,
  { dsn, bytes, key, receivedAt, userAgent, address }: ReturnType<typeof envelope> & {
    readonly address: string;
  },
): void {
  const db = new DatabaseSync(path);
  db.exec(VERSION_1);
  db.prepare("INSERT INTO dsns (text, pending, bytes) VALUES (?, 1, ?)").run(dsn, bytes.length);
  db.prepare(
    "INSERT INTO entries (dsn, ready, received_at, bytes, key, user_agent, address, quantities)" +
      " VALUES (1, 1, ?, ?, ?, ?, ?, '{}')",
  ).run(receivedAt, bytes.length, key, userAgent, address);
  db.prepare("INSERT INTO bodies (id, body) VALUES (1, ?)").run(bytes);
  db.close();
}
