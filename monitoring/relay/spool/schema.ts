import type { Schema } from "../../storage/schema_version.ts";
import { KEY_BYTES } from "./spool.ts";

/** `id`: grows with each insert and is never used again. */
type Dialect = Readonly<Record<"prefix" | "id" | "integer" | "blob" | "end", string>>;

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
  CREATE INDEX entries_by_categories ON ${prefix}entries (dsn, categories, not_before, id)
    WHERE ready = 1;
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
};

export const POSTGRES_PREFIX = "sightglass.spool_";

/** Bodies are stored uncompressed, because most are compressed already. */
const EXTERNAL = `
  ALTER TABLE sightglass.spool_bodies ALTER COLUMN body SET STORAGE EXTERNAL;
  ALTER TABLE sightglass.spool_gossip ALTER COLUMN keys SET STORAGE EXTERNAL;
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
};
