import type { Schema } from "../../storage/schema_version.ts";
import { KEY_BYTES } from "./spool.ts";

interface Dialect {
  readonly prefix: string;
  /** An id that grows with each insert and is never used again. */
  readonly id: string;
  readonly integer: string;
  readonly blob: string;
  readonly end: string;
}

/**
 * Times are milliseconds since 1970 by the database's clock, 0 for none.
 *
 * - `dsns`: one row for each DSN that was ever spooled, with the count and bytes of its envelopes. `turn` grows each
 *   time the DSN is served.
 * - `entries`: everything but the body, so that a lease rewrites a short row. `ready`: it is the oldest of its sequence.
 *   `facts`: JSON of what no statement needs.
 * - `bodies`: by the same id.
 * - `gossip`: duplicate keys, joined, and rate limits as JSON, which a process reported to the others and to its
 *   successors.
 */
const create = ({ prefix, id, integer, blob, end }: Dialect) => `
  CREATE TABLE ${prefix}dsns (
    id ${id},
    text TEXT NOT NULL UNIQUE,
    pending ${integer} NOT NULL CHECK (pending >= 0),
    bytes ${integer} NOT NULL CHECK (bytes >= 0),
    turn ${integer} NOT NULL DEFAULT 0
  )${end};
  CREATE TABLE ${prefix}entries (
    id ${id},
    dsn ${integer} NOT NULL,
    sequence TEXT,
    ready ${integer} NOT NULL,
    not_before ${integer} NOT NULL DEFAULT 0,
    lease TEXT,
    lease_until ${integer} NOT NULL DEFAULT 0,
    received_at ${integer} NOT NULL,
    bytes ${integer} NOT NULL,
    key ${blob} NOT NULL UNIQUE CHECK (length(key) = ${KEY_BYTES}),
    facts TEXT NOT NULL,
    categories ${integer} NOT NULL CHECK (categories <> 0),
    failures ${integer} NOT NULL DEFAULT 0
  )${end};
  CREATE TABLE ${prefix}bodies (id ${integer} PRIMARY KEY, body ${blob} NOT NULL)${end};
  CREATE TABLE ${prefix}gossip (
    id ${id},
    reported_at ${integer} NOT NULL,
    keys ${blob} NOT NULL,
    limits TEXT NOT NULL
  )${end};
  CREATE INDEX sequences ON ${prefix}entries (dsn, sequence, id) WHERE sequence IS NOT NULL;
  CREATE INDEX leased_entries ON ${prefix}entries (lease_until) WHERE lease_until > 0;
  CREATE INDEX waiting_entries ON ${prefix}entries (not_before) WHERE not_before > 0;
  CREATE INDEX entries_by_age ON ${prefix}entries (received_at);
  CREATE INDEX ready_entries ON ${prefix}entries (dsn, not_before, id) WHERE ready = 1;
  ${categoriesIndex(prefix)}
`;

const categoriesIndex = (prefix: string) =>
  `CREATE INDEX entries_by_categories ON ${prefix}entries (dsn, categories, not_before, id)
    WHERE ready = 1;`;

/** Version 3 had a column for each of the facts. */
const SQLITE_UPGRADE_3 = `
  ALTER TABLE news RENAME TO gossip;
  ALTER TABLE entries ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';
  UPDATE entries SET facts = json_patch('{}', json_object(
    'contentEncoding', content_encoding, 'userAgent', user_agent, 'address', address,
    'clientHints', json(client_hints), 'quantities', json(quantities)
  ));
  ${categoriesIndex("")}
  ${
  ["content_encoding", "user_agent", "address", "client_hints", "event_id", "quantities"]
    .map((column) => `ALTER TABLE entries DROP COLUMN ${column};`).join("\n")
}
`;

export const SQLITE_SPOOL_SCHEMA: Schema = {
  version: 4,
  create: create({
    prefix: "",
    id: "INTEGER PRIMARY KEY AUTOINCREMENT",
    integer: "INTEGER",
    blob: "BLOB",
    end: " STRICT",
  }),
  upgrades: { 3: SQLITE_UPGRADE_3 },
};

export const POSTGRES_PREFIX = "sightglass.spool_";

/** Bodies are stored uncompressed, because most are compressed already. */
const EXTERNAL = `
  ALTER TABLE sightglass.spool_bodies ALTER COLUMN body SET STORAGE EXTERNAL;
  ALTER TABLE sightglass.spool_gossip ALTER COLUMN keys SET STORAGE EXTERNAL;
`;

/** Version 3 had bodies in `spool_entries`, changes of count and bytes in `spool_totals`, and no `ready`. */
const POSTGRES_UPGRADE_3 = `
  ALTER TABLE sightglass.spool_news RENAME TO spool_gossip;
  ALTER TABLE sightglass.spool_dsns ADD pending bigint NOT NULL DEFAULT 0 CHECK (pending >= 0),
    ADD bytes bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0);
  UPDATE sightglass.spool_dsns AS dsns SET pending = sums.pending, bytes = sums.bytes FROM (
    SELECT dsn, sum(pending) AS pending, sum(bytes) AS bytes FROM sightglass.spool_totals GROUP BY dsn
  ) AS sums WHERE dsns.id = sums.dsn;
  DROP TABLE sightglass.spool_totals;
  DROP SEQUENCE sightglass.spool_turns;
  CREATE TABLE sightglass.spool_bodies (id bigint PRIMARY KEY, body bytea NOT NULL);
  ${EXTERNAL}
  INSERT INTO sightglass.spool_bodies SELECT id, body FROM sightglass.spool_entries;
  ALTER TABLE sightglass.spool_entries DROP body, ADD ready bigint NOT NULL DEFAULT 1,
    ALTER id SET DEFAULT nextval('sightglass.spool_ids');
  UPDATE sightglass.spool_entries AS entry SET ready = 0 WHERE EXISTS (
    SELECT FROM sightglass.spool_entries AS older
    WHERE older.dsn = entry.dsn AND older.sequence = entry.sequence AND older.id < entry.id
  );
  DROP INDEX IF EXISTS sightglass.spool_entries_dsn_not_before_id_idx,
    sightglass.spool_entries_dsn_categories_not_before_id_idx;
  CREATE INDEX ready_entries ON sightglass.spool_entries (dsn, not_before, id) WHERE ready = 1;
  ${categoriesIndex(POSTGRES_PREFIX)}
`;

export const POSTGRES_SPOOL_SCHEMA: Schema = {
  version: 4,
  create: create({
    prefix: POSTGRES_PREFIX,
    id: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    integer: "bigint",
    blob: "bytea",
    end: "",
  }) + EXTERNAL,
  upgrades: { 3: POSTGRES_UPGRADE_3 },
};
