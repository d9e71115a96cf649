import { KEY_BYTES } from "./spool.ts";

/**
 * Times are milliseconds since 1970 by the server's clock, 0 for none.
 *
 * - `spool_dsns`: `turn` grows each time the DSN is served. Rows stay, so their ids can be kept in memory.
 * - `spool_entries`: `facts` is JSON of everything that no statement needs. Bodies are stored beside the rows
 *   uncompressed, because most are compressed already.
 * - `spool_totals`: changes of count and bytes, summed up when read and merged now and then. One row that every
 *   transaction updates would let one commit at a time.
 */
const VERSION_1 = `
  CREATE TABLE sightglass.spool_dsns (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    text text NOT NULL UNIQUE,
    turn bigint NOT NULL DEFAULT 0
  );
  CREATE SEQUENCE sightglass.spool_turns;
  CREATE SEQUENCE sightglass.spool_ids;
  CREATE TABLE sightglass.spool_entries (
    id bigint PRIMARY KEY,
    dsn integer NOT NULL,
    sequence text,
    not_before bigint NOT NULL DEFAULT 0,
    lease text,
    lease_until bigint NOT NULL DEFAULT 0,
    received_at bigint NOT NULL,
    key bytea NOT NULL UNIQUE CHECK (length(key) = ${KEY_BYTES}),
    facts text NOT NULL,
    categories integer NOT NULL CHECK (categories <> 0),
    failures integer NOT NULL DEFAULT 0,
    bytes integer NOT NULL,
    body bytea NOT NULL
  );
  ALTER TABLE sightglass.spool_entries ALTER COLUMN body SET STORAGE EXTERNAL;
  CREATE INDEX ON sightglass.spool_entries (dsn, not_before, id);
  CREATE INDEX ON sightglass.spool_entries (dsn, sequence, id) WHERE sequence IS NOT NULL;
  CREATE INDEX ON sightglass.spool_entries (lease_until) WHERE lease_until > 0;
  CREATE INDEX ON sightglass.spool_entries (not_before) WHERE not_before > 0;
  CREATE INDEX ON sightglass.spool_entries (received_at);
  CREATE TABLE sightglass.spool_totals (
    dsn integer NOT NULL,
    pending bigint NOT NULL,
    bytes bigint NOT NULL
  );
`;

/** `spool_news`: duplicate keys, joined, and rate limits as JSON, which a process reported to the others. */
const VERSION_2 = `
  CREATE TABLE sightglass.spool_news (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reported_at bigint NOT NULL,
    keys bytea NOT NULL,
    limits text NOT NULL
  );
  ALTER TABLE sightglass.spool_news ALTER COLUMN keys SET STORAGE EXTERNAL;
`;

/** An index to find which sets of categories envelopes have, and the envelopes of each. */
const VERSION_3 = `
  CREATE INDEX ON sightglass.spool_entries (dsn, categories, not_before, id);
`;

/** Migrations of the spool's tables. */
export const POSTGRES_SPOOL_SCHEMA: readonly string[] = [VERSION_1, VERSION_2, VERSION_3];

/** DSNs of a request. `$1`, `$2`: their texts and wanted categories. */
const WANTED_DSNS = `
  SELECT id, text, turn, categories FROM sightglass.spool_dsns
  JOIN unnest($1::text[], $2::integer[]) AS given (text, categories) USING (text)`;

/** Sets of categories with a wanted one, of the envelopes of these DSNs. One index search finds the next set. */
const WANTED_SETS = `
  WITH RECURSIVE sets AS (
    SELECT id, text, turn, categories AS wanted, (
      SELECT min(categories) FROM sightglass.spool_entries WHERE dsn = dsns.id
    ) AS categories
    FROM (${WANTED_DSNS}) AS dsns
    UNION ALL
    SELECT id, text, turn, wanted, (
      SELECT min(categories) FROM sightglass.spool_entries AS entry
      WHERE dsn = sets.id AND entry.categories > sets.categories
    )
    FROM sets WHERE categories IS NOT NULL
  )
  SELECT id, text, turn, categories FROM sets WHERE categories & wanted <> 0`;

/** Envelopes that are free, and the oldest of their sequence. `$3`: now; `$4`: limit for each row of `wanted`. */
const free = (wanted: string, condition: string, order: string) => `
  SELECT wanted.text AS dsn, wanted.turn::float8 AS turn, entry.id::float8 AS id, entry.bytes
  FROM (${wanted}) AS wanted
  CROSS JOIN LATERAL (
    SELECT id, not_before, bytes FROM sightglass.spool_entries AS entry
    WHERE dsn = wanted.id AND lease_until <= $3 AND ${condition} AND NOT EXISTS (
      SELECT FROM sightglass.spool_entries AS older
      WHERE older.dsn = entry.dsn AND older.sequence = entry.sequence AND older.id < entry.id
    )
    ORDER BY ${order} LIMIT $4 FOR UPDATE SKIP LOCKED
  ) AS entry
  ORDER BY wanted.turn, wanted.id, ${order}`;

/**
 * Two searches with the same order. `bySet` reads no envelope that is rate-limited, however many wait. `byDsn` ignores
 * rate limits, and reads fewer rows where there are none.
 */
const freeStatements = (condition: string, order: string) => ({
  byDsn: free(WANTED_DSNS, condition, order),
  bySet: free(WANTED_SETS, `entry.categories = wanted.categories AND ${condition}`, order),
});

/** `DELETE` of some envelopes that returns them and keeps the totals. */
const remove = (condition: string) => `
  WITH gone AS (
    DELETE FROM sightglass.spool_entries AS entry ${condition}
    RETURNING entry.id, entry.dsn, entry.bytes, entry.facts
  ), counted AS (
    INSERT INTO sightglass.spool_totals
    SELECT dsn, -count(*), -sum(bytes) FROM gone GROUP BY dsn
  )
  SELECT gone.id::float8 AS id, text AS dsn, facts
  FROM gone JOIN sightglass.spool_dsns AS dsns ON dsns.id = gone.dsn`;

/**
 * All statements of the spool. Rows that several processes may change at a time are taken with SKIP LOCKED, so that
 * none waits for another.
 */
export const SQL = {
  addDsns:
    "INSERT INTO sightglass.spool_dsns (text) SELECT unnest($1::text[]) ON CONFLICT (text) DO NOTHING",
  dsnIds: "SELECT id, text FROM sightglass.spool_dsns WHERE text = ANY($1::text[])",
  bytes: "SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM sightglass.spool_totals",
  known: "SELECT encode(key, 'hex') AS key FROM sightglass.spool_entries" +
    " WHERE key IN (SELECT decode(hex, 'hex') FROM unnest($1::text[]) AS hex)",
  /**
   * `$1`: rows as JSON, `$2`: all bodies joined. Ids are given in the rows' order, but rows are inserted in the order of
   * their keys: two transactions with the same keys would otherwise wait for each other.
   */
  insert: `
    WITH given AS MATERIALIZED (
      SELECT nextval('sightglass.spool_ids') AS id, given.* FROM json_to_recordset($1::json) AS given (
        dsn integer, sequence text, received_at bigint, key text, facts text, categories integer,
        start integer, bytes integer
      )
    ), kept AS (
      INSERT INTO sightglass.spool_entries
        (id, dsn, sequence, received_at, key, facts, categories, bytes, body)
      SELECT id, dsn, sequence, received_at, decode(key, 'hex'), facts, categories, bytes,
        substring($2::bytea FROM start FOR bytes)
      FROM given ORDER BY key
      ON CONFLICT (key) DO NOTHING RETURNING key, dsn, bytes
    ), counted AS (
      INSERT INTO sightglass.spool_totals SELECT dsn, count(*), sum(bytes) FROM kept GROUP BY dsn
    )
    SELECT encode(key, 'hex') AS key FROM kept`,
  hasSequence: `
    SELECT FROM sightglass.spool_entries
    WHERE dsn = (SELECT id FROM sightglass.spool_dsns WHERE text = $1) AND sequence = $2 LIMIT 1`,
  /**
   * `$1`: now, `$2`: latest end of a lease, `$3`: latest end of a wait. The latest times come from the ends of the
   * indexes: without statistics PostgreSQL would read all entries, at each lease.
   */
  limitTimes: `
    UPDATE sightglass.spool_entries SET received_at = least(received_at, $1),
      lease_until = least(lease_until, $2), not_before = least(not_before, $3)
    WHERE id IN (
      SELECT id FROM sightglass.spool_entries
      WHERE (received_at > $1 OR (lease_until > 0 AND lease_until > $2)
          OR (not_before > 0 AND not_before > $3))
        AND ((SELECT max(received_at) FROM sightglass.spool_entries) > $1
          OR (SELECT max(lease_until) FROM sightglass.spool_entries WHERE lease_until > 0) > $2
          OR (SELECT max(not_before) FROM sightglass.spool_entries WHERE not_before > 0) > $3)
      FOR UPDATE SKIP LOCKED
    )`,
  oldest: freeStatements("not_before <= $3", "entry.not_before, entry.id"),
  // As a range, and in the order of the index: without statistics PostgreSQL would sort all entries.
  newest: freeStatements("not_before <= 0", "entry.not_before DESC, entry.id DESC"),
  lease: `
    UPDATE sightglass.spool_entries AS entry SET lease = $2, lease_until = $3
    FROM sightglass.spool_dsns AS dsns
    WHERE entry.id = ANY($1::bigint[]) AND dsns.id = entry.dsn
    RETURNING entry.id::float8 AS id, lease, text AS dsn, sequence, received_at::float8 AS received_at,
      key, facts, categories, failures, body`,
  /** `$1`: DSNs in the order in which they were served. */
  serve: `
    UPDATE sightglass.spool_dsns AS dsns SET turn = served.turn
    FROM (SELECT text, nextval('sightglass.spool_turns') AS turn FROM unnest($1::text[]) AS text) AS served
    WHERE dsns.text = served.text AND dsns.id IN (
      SELECT id FROM sightglass.spool_dsns WHERE text = ANY($1::text[]) FOR UPDATE SKIP LOCKED
    )`,
  renew: `
    UPDATE sightglass.spool_entries AS entry SET lease_until = $3
    FROM unnest($1::bigint[], $2::text[]) AS held (id, lease)
    WHERE entry.id = held.id AND entry.lease = held.lease RETURNING entry.id::float8 AS id`,
  complete: remove(
    "USING unnest($1::bigint[], $2::text[]) AS held (id, lease)" +
      " WHERE entry.id = held.id AND entry.lease = held.lease",
  ),
  release: `
    UPDATE sightglass.spool_entries
    SET lease = NULL, lease_until = 0, not_before = $3, failures = coalesce($4, failures)
    WHERE id = $1 AND lease = $2 RETURNING id`,
  /** `$1`: received before, `$2`: now, `$3`: limit. */
  expire: remove(`WHERE id IN (
    SELECT id FROM sightglass.spool_entries WHERE received_at < $1 AND lease_until <= $2
    ORDER BY received_at LIMIT $3 FOR UPDATE SKIP LOCKED
  )`),
  stats: `
    SELECT (SELECT min(received_at) FROM sightglass.spool_entries)::float8 AS oldest,
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
      (SELECT count(*) FROM sightglass.spool_totals)::integer AS parts,
      (SELECT coalesce(json_agg(sums), '[]') FROM (
        SELECT text AS dsn, sum(pending) AS pending, sum(bytes) AS bytes
        FROM sightglass.spool_totals AS totals JOIN sightglass.spool_dsns AS dsns ON dsns.id = totals.dsn
        GROUP BY text HAVING sum(pending) > 0
      ) AS sums) AS dsns`,
  mergeTotals: `
    WITH taken AS (
      DELETE FROM sightglass.spool_totals
      WHERE ctid = ANY(ARRAY(SELECT ctid FROM sightglass.spool_totals FOR UPDATE SKIP LOCKED))
      RETURNING dsn, pending, bytes
    )
    INSERT INTO sightglass.spool_totals SELECT dsn, sum(pending), sum(bytes) FROM taken GROUP BY dsn`,
  /** After a lock, so that ids follow the order of commits: a reader never skips an id that is committed later. */
  report: `
    INSERT INTO sightglass.spool_news (reported_at, keys, limits) VALUES ($1, $2, $3)
    RETURNING id::float8 AS id`,
  reported: `
    SELECT id::float8 AS id, reported_at::float8 AS reported_at, keys, limits
    FROM sightglass.spool_news WHERE id > $1 AND id <> $2 ORDER BY id`,
  /** `$1`: now, `$2`: milliseconds, `$3`: bytes of the newest keys to keep. */
  forgetReports: `
    DELETE FROM sightglass.spool_news WHERE id IN (
      SELECT id FROM sightglass.spool_news WHERE id <= (
        SELECT max(id) FROM (
          SELECT id, reported_at, sum(length(keys)) OVER (ORDER BY id DESC) AS newer
          FROM sightglass.spool_news
        ) AS counted WHERE abs(reported_at - $1) > $2 OR newer > $3
      ) FOR UPDATE SKIP LOCKED
    )`,
} as const;
