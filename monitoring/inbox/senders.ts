import type { DatabaseSync } from "node:sqlite";
import { PLACES } from "../models/index/list_cursor.ts";
import { OWN_SOURCE } from "../models/rows.ts";
import type { EnvelopeSource } from "../models/source.ts";

/** The tables of the index that name the source, and whether they name the release. */
export const INDEX_TABLES: readonly (readonly [table: string, hasRelease: boolean])[] = [
  ["envelope_entries", true],
  ["trace_entries", true],
  ["error_entries", true],
  ["log_entries", true],
  ["vital_entries", true],
  ["recording_entries", true],
  ["span_names", false],
];

/** Instead of the id of a source: the envelope may be of several applications, or of none that is known. */
const NO_SOURCE = 0;

/** Who sent an envelope, as the index has it. */
export interface Sender {
  readonly sender: number;
  readonly source: number;
  readonly release: number | null;
}

/** Senders of envelopes without an application that are looked at when another sender is named. */
const MAX_UNFILED = 100;

/** How well the application of a sender is known: not; by its release or SDK; by a service name; by several. */
const [FALLBACK, SERVICE, SEVERAL] = [1, 2, 3];

/**
 * Finds the application of each envelope. Not every item names it: a check-in, a profile or an error may have only a
 * release or less. A sender is what has the same DSN key, SDK, side, release and environment; its application is the one
 * that any of its envelopes names. An envelope without own facts belongs to the only application whose senders fit what it
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
    const { dsnKey, sdk, environment, side } = facts;
    const sender = this.#sql.upsertSender.get(
      ...[dsnKey, sdk, release, environment].map((fact) => fact ?? ""),
      side,
      envelope,
    ) as { id: number; source: number; known: number };
    const isOther = namedBy === "none" || namedBy === "other release";
    const fitting = isOther ? this.#fitting(sender.id) : [];
    // Without any other envelope of its sender, the release names it.
    const isFirst = namedBy === "other release" && side !== "unknown" && fitting.length === 0;
    const source = isOther && !isFirst
      ? onlyOne(fitting)
      : namedBy !== "service" && sender.known === SERVICE
      ? sender.source
      : this.#applicationOf(envelope, facts);
    if (!isOther || isFirst) this.#learn(envelope, sender, source, namedBy === "service");
    this.#sql.see.run(envelope, source);
    return { sender: sender.id, ...this.#filed(source, release, envelope) };
  }

  #filed(source: number, release: string | null, envelope: number): Omit<Sender, "sender"> {
    if (release === null || source === NO_SOURCE) return { source, release: null };
    return {
      source,
      release: idOf(this.#sql.upsertRelease.get(source, release, envelope)),
    };
  }

  #applicationOf(envelope: number, { key, name, environment, side }: EnvelopeSource): number {
    return idOf(this.#sql.upsertSource.get(key, name, environment, side, envelope));
  }

  #learn(
    envelope: number,
    { id, source: before, known }: { readonly id: number; source: number; known: number },
    source: number,
    isService: boolean,
  ): void {
    if (known === SEVERAL || (known === SERVICE && source === before)) return;
    if (known === SERVICE) return void this.#sql.learn.run(before, SEVERAL, id);
    if (known === FALLBACK && !isService) return;
    this.#sql.learn.run(source, isService ? SERVICE : FALLBACK, id);
    if (known === FALLBACK) this.#move(id, before, source);
    for (const pending of this.#sql.unfiled.all(id, MAX_UNFILED)) {
      const only = onlyOne(this.#fitting(idOf(pending)));
      if (only !== NO_SOURCE) this.#move(idOf(pending), NO_SOURCE, only);
    }
    this.forgetUnused(envelope - 1);
  }

  /** Up to two applications of senders that fit the facts of a sender; a negative number for several of one sender. */
  #fitting(sender: number): readonly number[] {
    return this.#sql.fitting.all(sender).map(idOf);
  }

  /**
   * Forgets what has no envelopes any more: releases, senders and applications whose newest had at most this id. Senders
   * of a forgotten application are named again by what they send.
   */
  forgetUnused(last: number): void {
    for (const statement of this.#sql.forgetUnused) statement.run(last);
    this.#sql.forgetSource.run();
  }

  /** Moves the envelopes of a sender from one application to another. */
  #move(sender: number, from: number, to: number): void {
    if (from === to) return;
    const { release, newest } = this.#sql.newest.get(sender, from) as {
      release: string;
      newest: number | null;
    };
    if (newest === null) return;
    const filed = release === "" ? null : idOf(this.#sql.upsertRelease.get(to, release, newest));
    for (const { statement, hasRelease } of this.#sql.move) {
      statement.run(...hasRelease ? [to, filed] : [to], sender, from);
    }
    this.#sql.see.run(newest, to);
  }
}

const onlyOne = ([id = NO_SOURCE, another]: readonly number[]) =>
  another === undefined && id > 0 ? id : NO_SOURCE;

const idOf = (row: unknown) => (row as { id: number }).id;

/** What is known of `own` fits `other`. An imported envelope, or one of an earlier version, has no key. */
const FITS = "other.known > 0 AND (own.dsn_key = '' OR other.dsn_key IN ('', own.dsn_key))" +
  " AND own.sdk IN ('', other.sdk) AND own.side IN ('unknown', other.side)" +
  " AND own.release IN ('', other.release) AND own.environment IN ('', other.environment)";

/** Whether an envelope is stored for which the condition holds. */
const isSent = (condition: string) =>
  `EXISTS (SELECT 1 FROM envelope_entries AS e WHERE ${condition})`;

function prepare(db: DatabaseSync) {
  return {
    upsertSource: db.prepare(
      "INSERT INTO sources (key, name, environment, side, newest) VALUES (?, ?, ?, ?, ?)" +
        " ON CONFLICT DO UPDATE SET newest = excluded.newest RETURNING id",
    ),
    upsertRelease: db.prepare(
      "INSERT INTO releases (source, release, newest) VALUES (?, ?, ?) ON CONFLICT" +
        " DO UPDATE SET newest = max(newest, excluded.newest) RETURNING id",
    ),
    upsertSender: db.prepare(
      "INSERT INTO senders (dsn_key, sdk, release, environment, side, newest) VALUES (?, ?, ?, ?, ?, ?)" +
        " ON CONFLICT DO UPDATE SET newest = excluded.newest" +
        " RETURNING id, source, known",
    ),
    learn: db.prepare("UPDATE senders SET source = ?, known = ? WHERE id = ?"),
    fitting: db.prepare(
      `SELECT DISTINCT iif(other.known = ${SEVERAL}, -1, other.source) AS id` +
        ` FROM senders AS own, senders AS other WHERE own.id = ? AND ${FITS} LIMIT 2`,
    ),
    unfiled: db.prepare(
      "SELECT own.id FROM senders AS other, senders AS own WHERE other.id = ? AND own.id IN" +
        ` (SELECT sender FROM envelope_entries WHERE source = ${NO_SOURCE}) AND ${FITS} LIMIT ?`,
    ),
    newest: db.prepare(
      `SELECT s.release, max(e.place) / ${PLACES} AS newest FROM senders AS s` +
        " LEFT JOIN envelope_entries AS e ON e.sender = s.id AND e.source = ?2 WHERE s.id = ?1",
    ),
    // The envelopes last: they find the others.
    move: INDEX_TABLES.toReversed().map(([table, hasRelease]) => ({
      hasRelease,
      statement: db.prepare(
        `UPDATE ${table} SET source = ?${hasRelease ? ", release = ?" : ""} WHERE rowid IN` +
          ` (SELECT t.rowid FROM envelope_entries AS e JOIN ${table} AS t` +
          ` ON t.place >= e.place AND t.place < e.place + ${PLACES}` +
          " WHERE e.sender = ? AND e.source = ?)",
      ),
    })),
    see: db.prepare("UPDATE sources SET newest = max(newest, ?) WHERE id = ?"),
    // Of an envelope that was deleted by its age, older ones may still be stored; those of later releases are not read.
    forgetUnused: [
      ["releases", isSent("e.source = releases.source AND e.release = releases.id")],
      ["senders", isSent("e.sender = senders.id")],
      ["sources", `id = 1 OR ${isSent("e.source = sources.id")}`],
    ].map(([table, isUsed]) =>
      db.prepare(`DELETE FROM ${table} WHERE newest <= ? AND NOT (${isUsed})`)
    ),
    forgetSource: db.prepare(
      `UPDATE senders SET source = ${NO_SOURCE}, known = 0 WHERE source <> ${NO_SOURCE}` +
        " AND source NOT IN (SELECT id FROM sources)",
    ),
  };
}
