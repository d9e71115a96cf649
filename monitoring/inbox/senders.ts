import type { DatabaseSync } from "node:sqlite";
import { PLACES } from "../models/index/list_cursor.ts";
import { OWN_SOURCE } from "../models/rows.ts";
import type { EnvelopeSource } from "../models/source.ts";

/** The tables of the index that name the source, and whether they name the release. */
export const INDEX_TABLES: readonly (readonly [table: string, hasRelease: boolean])[] = [
  ["trace_entries", true],
  ["error_entries", true],
  ["log_entries", true],
  ["vital_entries", true],
  ["recording_entries", true],
  ["span_names", false],
];

/** Instead of the id of a source: the envelope may be of several applications, or of none that is known. */
export const NO_SOURCE = 0;

/** Who sent an envelope, as the index has it. */
export interface Sender {
  readonly sender: number;
  readonly source: number;
  readonly release: number | null;
}

/** How well the application of a sender is known: not; by its release or SDK; by a service name; by several. */
const [FALLBACK, SERVICE, SEVERAL] = [1, 2, 3];

/**
 * Finds the application of each envelope. Not every item names it: a check-in, a profile or an error may have only a
 * release or less. A sender is what has the same DSN key, SDK, release and environment; its application is the one that
 * any of its envelopes names. An envelope without own facts belongs to the only application whose senders fit what it
 * has. What arrived before its application was named is moved to it.
 */
export class Senders {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db);
  }

  /** Call it in the transaction that writes the entries of the envelope. */
  of(envelope: number, facts: EnvelopeSource): Sender {
    const { release, namedBy } = facts;
    if (facts.key === OWN_SOURCE.key) {
      return { sender: 0, ...this.#filed(this.#applicationOf(envelope, facts), release, envelope) };
    }
    const { dsnKey, sdk, environment } = facts;
    const sender = this.#sql.upsertSender.get(
      ...[dsnKey, sdk, release, environment].map((fact) => fact ?? ""),
      envelope,
    ) as { id: number; source: number; known: number };
    const source = namedBy === "none"
      ? this.#onlyFitting(sender.id)
      : namedBy !== "service" && sender.known === SERVICE
      ? sender.source
      : this.#applicationOf(envelope, facts);
    if (namedBy !== "none") this.#learn(sender, source, namedBy === "service");
    this.#sql.see.run(envelope, source);
    return { sender: sender.id, ...this.#filed(source, release, envelope) };
  }

  #filed(source: number, release: string | null, envelope: number): Omit<Sender, "sender"> {
    if (release === null || source === NO_SOURCE) return { source, release: null };
    return {
      source,
      release: idOf(this.#sql.upsertRelease.get(source, release, envelope, envelope)),
    };
  }

  #applicationOf(envelope: number, { key, name, environment, side }: EnvelopeSource): number {
    return idOf(this.#sql.upsertSource.get(key, name, environment, side, envelope));
  }

  #learn(
    { id, source: before, known }: { readonly id: number; source: number; known: number },
    source: number,
    isService: boolean,
  ): void {
    if (known === SEVERAL || (known === SERVICE && source === before)) return;
    if (known === SERVICE) return void this.#sql.learn.run(before, SEVERAL, id);
    if (known === FALLBACK && !isService) return;
    this.#sql.learn.run(source, isService ? SERVICE : FALLBACK, id);
    if (known === FALLBACK) this.#move(id, before, source);
    for (const pending of this.#sql.unfiled.all()) {
      const fitting = this.#onlyFitting(idOf(pending));
      if (fitting !== NO_SOURCE) this.#move(idOf(pending), NO_SOURCE, fitting);
    }
  }

  /** The application of all senders that fit the facts of a sender. */
  #onlyFitting(sender: number): number {
    const [fitting, another] = this.#sql.fitting.all(sender);
    return fitting === undefined || another !== undefined ? NO_SOURCE : idOf(fitting);
  }

  /** Moves the envelopes of a sender from one application to another. */
  #move(sender: number, from: number, to: number): void {
    if (from === to) return;
    const { release, newest, oldest } = this.#sql.range.get(sender, from) as {
      release: string;
      newest: number | null;
      oldest: number;
    };
    if (newest === null) return;
    const filed = release === ""
      ? null
      : idOf(this.#sql.upsertRelease.get(to, release, newest, oldest));
    for (const { statement, hasRelease } of this.#sql.move) {
      statement.run(...hasRelease ? [to, filed] : [to], from, sender, from);
    }
    this.#sql.moveEnvelopes.run(to, filed, sender, from);
    this.#sql.see.run(newest, to);
    for (const statement of this.#sql.forget) statement.run(from);
    this.#sql.seeLast.run(from);
  }
}

const idOf = (row: unknown) => (row as { id: number }).id;

function prepare(db: DatabaseSync) {
  return {
    // The backlog is indexed from its newest envelope.
    upsertSource: db.prepare(
      "INSERT INTO sources (key, name, environment, side, newest) VALUES (?, ?, ?, ?, ?)" +
        " ON CONFLICT DO UPDATE SET newest = max(newest, excluded.newest) RETURNING id",
    ),
    upsertRelease: db.prepare(
      "INSERT INTO releases (source, release, newest, oldest) VALUES (?, ?, ?, ?) ON CONFLICT" +
        " DO UPDATE SET newest = max(newest, excluded.newest), oldest = min(oldest, excluded.oldest)" +
        " RETURNING id",
    ),
    upsertSender: db.prepare(
      "INSERT INTO senders (dsn_key, sdk, release, environment, newest) VALUES (?, ?, ?, ?, ?)" +
        " ON CONFLICT DO UPDATE SET newest = max(newest, excluded.newest)" +
        " RETURNING id, source, known",
    ),
    learn: db.prepare("UPDATE senders SET source = ?, known = ? WHERE id = ?"),
    // An imported envelope, or one of an earlier version, has no key.
    fitting: db.prepare(
      "SELECT DISTINCT other.source AS id FROM senders AS own, senders AS other WHERE own.id = ?" +
        ` AND other.known IN (${FALLBACK}, ${SERVICE})` +
        " AND (own.dsn_key = '' OR other.dsn_key IN ('', own.dsn_key))" +
        " AND own.sdk IN ('', other.sdk) AND own.release IN ('', other.release)" +
        " AND own.environment IN ('', other.environment) LIMIT 2",
    ),
    unfiled: db.prepare(
      `SELECT DISTINCT sender AS id FROM envelope_texts WHERE source = ${NO_SOURCE}`,
    ),
    range: db.prepare(
      "SELECT s.release, max(e.envelope) AS newest, min(e.envelope) AS oldest FROM senders AS s" +
        " LEFT JOIN envelope_texts AS e ON e.sender = s.id AND e.source = ?2 WHERE s.id = ?1",
    ),
    move: INDEX_TABLES.map(([table, hasRelease]) => ({
      hasRelease,
      statement: db.prepare(
        `UPDATE ${table} SET source = ?${hasRelease ? ", release = ?" : ""} WHERE source = ?` +
          ` AND place / ${PLACES} IN (SELECT envelope FROM envelope_texts WHERE sender = ? AND source = ?)`,
      ),
    })),
    moveEnvelopes: db.prepare(
      "UPDATE envelope_texts SET source = ?, release = ? WHERE sender = ? AND source = ?",
    ),
    see: db.prepare("UPDATE sources SET newest = max(newest, ?) WHERE id = ?"),
    seeLast: db.prepare(
      "UPDATE sources SET newest = (SELECT max(envelope) FROM envelope_texts WHERE source = sources.id)" +
        " WHERE id = ?",
    ),
    forget: [
      "DELETE FROM releases WHERE source = ?1 AND NOT EXISTS (SELECT 1 FROM envelope_texts" +
      " WHERE source = ?1 AND release = releases.id)",
      "DELETE FROM sources WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM envelope_texts" +
      " WHERE source = ?1)",
    ].map((sql) => db.prepare(sql)),
  };
}
