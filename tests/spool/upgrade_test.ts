/** Spools of the previous version of tables, made by undoing what the upgrade does. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openPostgresSpool } from "../../monitoring/relay/spool/postgres_spool.ts";
import type { Spool } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { BOTH_DSNS, envelope, numberOf } from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { parsePostgresUrl } from "../../monitoring/storage/postgres_address.ts";
import {
  postgresBinaries,
  startPostgres,
} from "../../monitoring/storage/testdata/private_postgres.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const LIMITS = { maxBytes: 1e9, maxAgeHours: 1 };

const SQLITE_3 = `
  ALTER TABLE gossip RENAME TO news;
  DROP INDEX entries_by_categories;
  ALTER TABLE entries ADD content_encoding TEXT;
  ALTER TABLE entries ADD user_agent TEXT;
  ALTER TABLE entries ADD address TEXT;
  ALTER TABLE entries ADD event_id TEXT;
  ALTER TABLE entries ADD quantities TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE entries ADD client_hints TEXT;
  UPDATE entries SET content_encoding = facts ->> 'contentEncoding',
    user_agent = facts ->> 'userAgent', address = facts ->> 'address',
    event_id = 'e1', quantities = facts -> 'quantities',
    client_hints = facts -> 'clientHints';
  ALTER TABLE entries DROP COLUMN facts;
  PRAGMA user_version = 3;
`;

const POSTGRES_3 = `
  SET search_path = sightglass;
  ALTER TABLE spool_gossip RENAME TO spool_news;
  DROP INDEX ready_entries, entries_by_categories;
  CREATE INDEX ON spool_entries (dsn, not_before, id);
  CREATE INDEX ON spool_entries (dsn, categories, not_before, id);
  CREATE TABLE spool_totals (dsn integer NOT NULL, pending bigint NOT NULL, bytes bigint NOT NULL);
  INSERT INTO spool_totals SELECT id, pending + 1, bytes + 100 FROM spool_dsns;
  INSERT INTO spool_totals SELECT id, -1, -100 FROM spool_dsns;
  ALTER TABLE spool_dsns DROP pending, DROP bytes;
  CREATE SEQUENCE spool_turns;
  CREATE SEQUENCE spool_ids START 10;
  ALTER TABLE spool_entries ADD body bytea, DROP ready, ALTER id DROP IDENTITY;
  UPDATE spool_entries AS entry SET body = (SELECT body FROM spool_bodies WHERE id = entry.id);
  DROP TABLE spool_bodies;
  UPDATE versions SET version = 3;
`;

Deno.test("SQLite file of version 3, opened twice at once → upgraded with its envelopes", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "spool.sqlite");
  await expectUpgraded(() => openSqliteSpool({ path, onNotice: assert.fail, ...LIMITS }), () => {
    using db = new DatabaseSync(path);
    db.exec(SQLITE_3);
  });
});

Deno.test({
  name: "PostgreSQL tables of version 3, opened twice at once → upgraded with their envelopes",
  ignore: postgresBinaries === undefined,
  async fn() {
    await using postgres = await startPostgres();
    const address = parsePostgresUrl(postgres.url())!;
    await expectUpgraded(
      () => openPostgresSpool({ address, ...LIMITS }),
      () => postgres.admin(POSTGRES_3, "spool"),
    );
  },
});

async function expectUpgraded(open: () => Promise<Spool>, downgrade: () => unknown): Promise<void> {
  const now = Date.now();
  const replay = { receivedAt: now, sequence: "replay", quantities: { replay: 2 }, categories: 4 };
  const whole = {
    receivedAt: now,
    contentEncoding: "gzip" as const,
    userAgent: "Firefox",
    address: "192.0.2.1",
    clientHints: { "sec-ch-ua-mobile": "?0" },
  };
  const all = () => [envelope(1, whole), envelope(2, replay), envelope(3, replay)];
  const old = await open();
  for (const each of all()) await old.put(each);
  await old.exchange({ keys: new Uint8Array(16), limits: [] }, now);
  await old.close();
  await downgrade();

  const [spool, other] = await Promise.all([open(), open()]);
  const { pending, bytes } = await spool.stats();
  assert.deepEqual([pending, bytes], [3, 300]);
  assert.equal(await other.put(envelope(1, whole)), "duplicate");
  assert.equal((await other.exchange({ keys: new Uint8Array(), limits: [] }, now)).length, 1);
  const request = { now, limit: 10, maxBytes: 1e9, dsns: BOTH_DSNS };
  const leased = await spool.lease(request);
  assert.deepEqual(
    leased.map(({ id: _, lease: __, failures: ___, ...sent }) => ({
      ...sent,
      // A database's clock is known to some milliseconds.
      receivedAt: Math.abs(sent.receivedAt - now) < 1_000 ? now : sent.receivedAt,
    })),
    all().slice(0, 2),
    "the third is later in its sequence",
  );
  for (const each of leased) assert.ok(await spool.complete(each));
  assert.equal(await other.put(envelope(4, { receivedAt: now })), "kept");
  assert.deepEqual((await other.lease(request)).map(numberOf), [3, 4]);
  await Promise.all([spool.close(), other.close()]);
}
