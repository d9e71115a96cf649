import { ID_EPOCH_MS } from "../models/index/list_cursor.ts";
import type { Schema } from "../storage/schema_version.ts";

/**
 * - `inbox_log`: the changes of the inbox, in the order of commits. Rows that later ones make superfluous are deleted.
 *   `data` is a `Change` without its bytes, which are in `body`.
 * - `inbox_state`: one row. `log`: identity of the log. `last`: its highest id so far; ids begin with the time (`idOfTime`), so
 *   those of a new log are higher than all of an earlier one. `floor`: envelopes with lower ids are deleted. `bytes`: of all
 *   envelopes.
 */
const TABLES = `
  CREATE TABLE sightglass.inbox_log (
    id bigint PRIMARY KEY,
    kind text NOT NULL,
    data json NOT NULL,
    bytes integer NOT NULL,
    body bytea
  );
  ALTER TABLE sightglass.inbox_log ALTER COLUMN body SET STORAGE EXTERNAL;
  CREATE INDEX ON sightglass.inbox_log (id) WHERE kind = 'envelope';
  CREATE INDEX ON sightglass.inbox_log (((data->>'receivedAt')::bigint), bytes) WHERE kind = 'envelope';
  CREATE INDEX ON sightglass.inbox_log (kind, (data->>'key'), id) WHERE kind <> 'envelope';
  CREATE TABLE sightglass.inbox_state (
    log text NOT NULL,
    last bigint NOT NULL,
    floor bigint NOT NULL,
    bytes bigint NOT NULL
  );
  INSERT INTO sightglass.inbox_state
    SELECT gen_random_uuid()::text, now, now + 1, 0
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ${ID_EPOCH_MS} AS now) AS clock;
`;

export const POSTGRES_INBOX_SCHEMA: Schema = { version: 3, create: TABLES };

const LOG = "sightglass.inbox_log";

export const SQL = {
  /** Locks the log until the end of the transaction. */
  lock: "SELECT last::float8, bytes::float8 FROM sightglass.inbox_state FOR UPDATE",
  identity: "SELECT log FROM sightglass.inbox_state",
  /** `$1`: the last id, `$2`: bytes of all envelopes. */
  setState: `UPDATE sightglass.inbox_state SET last = $1::bigint, bytes = $2::bigint,
    floor = coalesce((SELECT min(id) FROM ${LOG} WHERE kind = 'envelope'), $1::bigint + 1)`,
  /** `$1`: rows as JSON, `$2`: all bodies joined. */
  insert: `
    INSERT INTO ${LOG}
    SELECT id, kind, data, bytes, CASE WHEN bytes > 0 THEN substring($2::bytea FROM start FOR bytes) END
    FROM json_to_recordset($1::json)
      AS given (id bigint, kind text, data json, bytes integer, start integer)`,
  /**
   * Rows after the id `$1`, at most `$2` of them and about `$3` bytes, with the state of the same moment. No rows: one
   * with nulls. `mark`: the newest envelope up to `$1`.
   */
  read: `
    SELECT state.log, state.last::float8, state.floor::float8, row.id::float8, kind, data, body, (
      SELECT json_build_object('id', id, 'receivedAt', data->'receivedAt')
      FROM ${LOG} WHERE kind = 'envelope' AND id <= $1 ORDER BY id DESC LIMIT 1
    ) AS mark
    FROM sightglass.inbox_state AS state LEFT JOIN (
      SELECT * FROM ${LOG} WHERE id > $1 AND id <= (
        SELECT max(id) FROM (
          SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before
          FROM ${LOG} WHERE id > $1 ORDER BY id LIMIT $2
        ) AS sizes WHERE before < $3
      )
    ) AS row ON true ORDER BY row.id`,
  /** `$1`: time, `$2`: bytes, `$3`: encoding, `$4`: the body. */
  same: `SELECT FROM ${LOG} WHERE kind = 'envelope' AND (data->>'receivedAt')::bigint = $1
    AND bytes = $2 AND data->>'contentEncoding' IS NOT DISTINCT FROM $3 AND body = $4`,
  /** The oldest is compared first: after many have expired PostgreSQL would read all rows until they are analyzed. */
  expire: `DELETE FROM ${LOG} WHERE kind = 'envelope' AND (data->>'receivedAt')::bigint < $1
    AND (SELECT min((data->>'receivedAt')::bigint) FROM ${LOG} WHERE kind = 'envelope') < $1
    RETURNING id::float8, bytes`,
  // `log.id`: alone, `id` is the result's, for which PostgreSQL would sort all rows.
  oldest: `SELECT id::float8, bytes FROM ${LOG} AS log WHERE kind = 'envelope'
    ORDER BY log.id LIMIT $1`,
  /** By single ids: with old statistics, `id <= $1` may read the whole table. */
  delete: `DELETE FROM ${LOG} WHERE id = ANY($1::bigint[])`,
  group: `SELECT data->'state' AS state FROM ${LOG} WHERE kind = 'group' AND data->>'key' = $1`,
  /** `$1`: kind, `$2`: key. */
  deleteKey: `DELETE FROM ${LOG} WHERE kind = $1 AND kind <> 'envelope' AND data->>'key' = $2`,
  /** `$1`: number of groups that stay. */
  forgetGroups: `DELETE FROM ${LOG} WHERE id IN (
    SELECT id FROM ${LOG} WHERE kind = 'group' ORDER BY id DESC OFFSET $1)`,
  /** `$1`: bytes of maps that stay, newest first. */
  evictMaps: `DELETE FROM ${LOG} WHERE id IN (
    SELECT id FROM (
      SELECT id, sum(bytes) OVER (ORDER BY id DESC) AS total FROM ${LOG} WHERE kind = 'map'
    ) AS sizes WHERE total > $1)`,
  clear: `TRUNCATE ${LOG}`,
} as const;
