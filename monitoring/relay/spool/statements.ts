interface EntryRow {
  readonly id: number;
  readonly dsn: number;
  readonly sequence: string | null;
  readonly bytes: number;
  readonly not_before: number;
}
export type RemovableRow = Omit<EntryRow, "not_before">;
export type FreeRow = Omit<EntryRow, "sequence">;

export interface LeasedRow {
  readonly id: number;
  readonly lease: string;
  readonly dsn: string;
  readonly sequence: string | null;
  readonly received_at: number;
  readonly key: Uint8Array;
  readonly facts: string;
  readonly categories: number;
  readonly failures: number;
  readonly body: Uint8Array;
}

export interface ReportRow {
  readonly id: number;
  readonly reported_at: number;
  readonly keys: Uint8Array;
  readonly limits: string;
}

/**
 * All statements of the spool, the same for SQLite and PostgreSQL. Conditions on `ready`, `lease_until > 0` and
 * `not_before > 0` let them use the partial indexes. `p` is before the name of each table.
 */
export function spoolStatements(p: string) {
  /** The first free envelopes of a DSN, or those with one set of categories. */
  const free = (order: string) => {
    const search = (set: string) =>
      `SELECT id, dsn, bytes, not_before FROM ${p}entries
        WHERE ready = 1 AND dsn = ? ${set} AND not_before <= ? AND lease_until <= ?
        ORDER BY ${order} LIMIT ?`;
    return { byDsn: search(""), bySet: search("AND categories = ?") };
  };
  return {
    known: (count: number) => `SELECT key FROM ${p}entries WHERE key IN (${marks(count)})`,
    hasSequence: `SELECT 1 FROM ${p}entries
      WHERE dsn = (SELECT id FROM ${p}dsns WHERE text = ?) AND sequence = ? LIMIT 1`,
    totalBytes: `SELECT CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes FROM ${p}dsns`,
    addToDsn: `INSERT INTO ${p}dsns AS dsns (text, pending, bytes) VALUES (?, ?, ?)
      ON CONFLICT (text) DO UPDATE SET pending = dsns.pending + excluded.pending,
        bytes = dsns.bytes + excluded.bytes RETURNING id`,
    insert: (count: number) =>
      `INSERT INTO ${p}entries
        (dsn, sequence, ready, received_at, bytes, key, facts, categories)
      VALUES ${rows(count, 8)} RETURNING id, key`,
    insertBodies: (count: number) => `INSERT INTO ${p}bodies (id, body) VALUES ${rows(count, 2)}`,
    setOldestReady: `UPDATE ${p}entries SET ready = 1 WHERE id = (
      SELECT min(id) FROM ${p}entries WHERE dsn = ? AND sequence = ?
    )`,
    waitingDsns: `SELECT id, text FROM ${p}dsns WHERE pending > 0 ORDER BY turn, id`,
    /** The sets of categories of a DSN's envelopes. One index search finds the next set. */
    categorySets: `
      WITH RECURSIVE sets (dsn, categories) AS (
        SELECT id, (SELECT min(categories) FROM ${p}entries WHERE dsn = dsns.id AND ready = 1)
        FROM ${p}dsns AS dsns WHERE id = ?
        UNION ALL
        SELECT dsn, (
          SELECT min(categories) FROM ${p}entries AS entry
          WHERE entry.dsn = sets.dsn AND ready = 1 AND entry.categories > sets.categories
        ) FROM sets WHERE categories IS NOT NULL
      )
      SELECT categories FROM sets WHERE categories IS NOT NULL`,
    oldest: free("not_before, id"),
    /** With 0 for `not_before`: those never delayed, in the order of the index. */
    newest: free("not_before DESC, id DESC"),
    serve: `UPDATE ${p}dsns SET turn = (SELECT max(turn) + 1 FROM ${p}dsns) WHERE id = ?`,
    lease: (count: number) =>
      `UPDATE ${p}entries SET lease = ?, lease_until = ? WHERE id IN (${marks(count)})`,
    leased: (count: number) =>
      `SELECT entries.id, lease, text AS dsn, sequence, received_at, key, facts, categories,
        failures, body
      FROM ${p}entries AS entries JOIN ${p}dsns AS dsns ON dsns.id = dsn
      JOIN ${p}bodies AS bodies ON bodies.id = entries.id
      WHERE entries.id IN (${marks(count)})`,
    leases: (count: number) =>
      `SELECT id, lease, dsn, sequence, bytes FROM ${p}entries WHERE id IN (${marks(count)})`,
    renew: (count: number) =>
      `UPDATE ${p}entries SET lease_until = ? WHERE id IN (${marks(count)})`,
    release: `UPDATE ${p}entries SET lease = NULL, lease_until = 0, not_before = ?,
      failures = coalesce(?, failures) WHERE id = ? AND lease = ? RETURNING id`,
    deleteEntries: (count: number) => `DELETE FROM ${p}entries WHERE id IN (${marks(count)})`,
    deleteBodies: (count: number) => `DELETE FROM ${p}bodies WHERE id IN (${marks(count)})`,
    removeFromDsn: `UPDATE ${p}dsns SET pending = pending - ?, bytes = bytes - ? WHERE id = ?`,
    limitArrivals: `UPDATE ${p}entries SET received_at = ? WHERE received_at > ?`,
    limitLeases: `UPDATE ${p}entries SET lease_until = ?
      WHERE lease_until > ? AND lease_until > 0`,
    limitWaits: `UPDATE ${p}entries SET not_before = ? WHERE not_before > ? AND not_before > 0`,
    expired: `SELECT entries.id, dsn, sequence, entries.bytes, text, facts
      FROM ${p}entries AS entries JOIN ${p}dsns AS dsns ON dsns.id = dsn
      WHERE received_at < ? AND lease_until <= ? ORDER BY received_at LIMIT ?`,
    stats: `SELECT text, pending, bytes, (SELECT min(received_at) FROM ${p}entries) AS oldest
      FROM ${p}dsns WHERE pending > 0`,
    report: `INSERT INTO ${p}gossip (reported_at, keys, limits) VALUES (?, ?, ?) RETURNING id`,
    reported: `SELECT id, reported_at, keys, limits FROM ${p}gossip
      WHERE id > ? AND id <> ? ORDER BY id`,
    /** Deletes reports that are too old, and all but those of the newest keys. */
    forgetReports: `DELETE FROM ${p}gossip WHERE id <= (
      SELECT max(id) FROM (
        SELECT id, reported_at, sum(length(keys)) OVER (ORDER BY id DESC) AS newer FROM ${p}gossip
      ) AS counted WHERE abs(reported_at - ?) > ? OR newer > ?
    )`,
  } as const;
}

export type SpoolStatements = ReturnType<typeof spoolStatements>;

const repeat = (count: number, text: string) => Array(count).fill(text).join(", ");

const marks = (count: number) => repeat(count, "?");

const rows = (count: number, columns: number) => repeat(count, `(${marks(columns)})`);
