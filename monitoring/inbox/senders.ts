import type { DatabaseSync, SQLTagStore } from "node:sqlite";
import { envelopeAt } from "../models/index/list_cursor.ts";
import { OWN_APPLICATION } from "../models/application_rows.ts";
import type { EnvelopeApplication } from "../models/application.ts";
import { KEYED_TABLES } from "./schema.ts";

/** Id instead of an application's: several applications may have sent the envelope, or none that is known. */
const NO_APPLICATION = 0;

/** The ids of an envelope's sender, application and release in the index. */
export interface Sender {
  readonly sender: number;
  readonly application: number;
  readonly release: number | null;
}

/** Only the senders that were heard last are compared. Each envelope of a check-in or a profile compares them. */
const MAX_COMPARED = 1_000;
/** Maximum number of senders without an application that are matched again when another sender gets one. */
const MAX_UNASSIGNED = 100;
/** Envelopes that are moved in one transaction, which blocks the server for some 20 ms, and characters of their entries. */
const MOVED_AT_ONCE = { envelopes: 500, size: 256 * 1024 };

/** How a sender's application is known (`senders.known`; 0: it is not). */
const FALLBACK = 1; // by its release or SDK
const SERVICE = 2; // by one service name
const SEVERAL = 3; // by several service names: ambiguous

/**
 * Assigns each envelope to an application. Not every item names one: a check-in, a profile or an error may have only a
 * release, or less.
 *
 * 1. A sender is everything with the same DSN key, SDK, side, release and environment. Its application is the one that
 *    any of its envelopes names; a service name is better than a release or an SDK.
 * 2. An envelope that names no application gets the only one with a sender that matches its facts. If none or several
 *    match, it has none.
 * 3. When a sender gets an application, the envelopes that had none and match it are moved to it, some at a time.
 */
export class Senders {
  readonly #sql: SQLTagStore;
  readonly #prepared: ReturnType<typeof prepare>;

  constructor(db: DatabaseSync) {
    this.#sql = db.createTagStore();
    this.#prepared = prepare(db);
  }

  /** Assigns an envelope. Must be called in the transaction that writes its entries. */
  assign(envelope: number, facts: EnvelopeApplication): Sender {
    const { release, namedBy } = facts;
    if (facts.key === OWN_APPLICATION.key) {
      return {
        sender: 0,
        ...this.#withRelease(this.#applicationOf(envelope, facts), release, envelope),
      };
    }
    const { dsnKey, sdk, environment, side } = facts;
    const sender = this.#sql
      .get`INSERT INTO senders (dsn_key, sdk, release, environment, side, newest)
      VALUES (${dsnKey ?? ""}, ${sdk ?? ""}, ${release ?? ""}, ${
      environment ?? ""
    }, ${side}, ${envelope})
      ON CONFLICT DO UPDATE SET newest = excluded.newest RETURNING id, application, known` as {
      id: number;
      application: number;
      known: number;
    };
    const isUnnamed = namedBy === "none" || namedBy === "other release";
    const matching = isUnnamed ? this.#matching(sender.id) : [];
    // If no application matches, the package of its release is one.
    const namesItself = !isUnnamed ||
      namedBy === "other release" && side !== "unknown" && matching.length === 0;
    const application = !namesItself
      ? onlyOne(matching)
      : namedBy !== "service" && sender.known === SERVICE
      ? sender.application
      : this.#applicationOf(envelope, facts);
    if (namesItself) this.#setApplication(sender, application, namedBy === "service");
    this.#touch(application, envelope);
    return { sender: sender.id, ...this.#withRelease(application, release, envelope) };
  }

  #withRelease(application: number, release: string | null, envelope: number) {
    if (release === null || application === NO_APPLICATION) return { application, release: null };
    const row = this.#sql.get`INSERT INTO releases (application, release, newest)
      VALUES (${application}, ${release}, ${envelope})
      ON CONFLICT DO UPDATE SET newest = max(newest, excluded.newest) RETURNING id`;
    return { application, release: idOf(row) };
  }

  #touch(application: number, envelope: number): boolean {
    return this.#sql.run`UPDATE applications SET newest = max(newest, ${envelope})
      WHERE id = ${application}`.changes > 0;
  }

  #applicationOf(envelope: number, { key, name, environment, side }: EnvelopeApplication): number {
    return idOf(this.#sql.get`INSERT INTO applications (key, name, environment, side, newest)
      VALUES (${key}, ${name}, ${environment}, ${side}, ${envelope})
      ON CONFLICT DO UPDATE SET newest = excluded.newest RETURNING id`);
  }

  #setApplication(
    { id, application: before, known }: { readonly id: number; application: number; known: number },
    application: number,
    isService: boolean,
  ): void {
    if (known === SEVERAL || (known === SERVICE && application === before)) return;
    const set = (to: number, as: number) =>
      this.#sql.run`UPDATE senders SET application = ${to}, known = ${as} WHERE id = ${id}`;
    const move = (sender: number, from: number, to: number) =>
      this.#sql.run`INSERT INTO moves VALUES (${sender}, ${from}, ${to})`;
    if (known === SERVICE) return void set(before, SEVERAL);
    if (known === FALLBACK && !isService) return;
    set(application, isService ? SERVICE : FALLBACK);
    if (known === FALLBACK) move(id, before, application);
    for (const pending of this.#prepared.unassigned.all(id)) {
      const only = onlyOne(this.#matching(idOf(pending)));
      if (only !== NO_APPLICATION) move(idOf(pending), NO_APPLICATION, only);
    }
  }

  /** Up to two applications whose senders match the facts of a sender; -1 for a sender that has several. */
  #matching(sender: number): readonly number[] {
    return this.#prepared.matching.all(sender).map(idOf);
  }

  /** What uses the envelopes from one row key to before another: for {@linkcode forget} after they were deleted. */
  used(start: number, end: number): readonly Sender[] {
    return this.#sql.all`SELECT DISTINCT sender, application, release FROM envelope_entries
      WHERE row_key >= ${start} AND row_key < ${end}` as unknown as Sender[];
  }

  /**
   * Deletes the release, sender and application that had an envelope and have none any more. A sender of a deleted
   * application has no application until an envelope of it names one again.
   */
  forget({ sender, application, release }: Sender): void {
    this.#sql.run`DELETE FROM releases WHERE id = ${release} AND NOT EXISTS (SELECT 1
      FROM envelope_entries AS e WHERE e.application = ${application} AND e.release = ${release})`;
    this.#sql.run`DELETE FROM senders WHERE id = ${sender} AND NOT EXISTS
      (SELECT 1 FROM envelope_entries AS e WHERE e.sender = ${sender})`;
    const { changes } = this.#sql.run`DELETE FROM applications WHERE id = ${application} AND id > 1
      AND NOT EXISTS (SELECT 1 FROM envelope_entries AS e WHERE e.application = ${application})`;
    if (changes === 0) return;
    this.#sql.run`UPDATE senders SET application = ${NO_APPLICATION}, known = 0
      WHERE application = ${application}`;
  }

  hasMoves(): boolean {
    return this.#sql.get`SELECT 1 FROM moves LIMIT 1` !== undefined;
  }

  moveSome(): void {
    const move = this.#sql.get`SELECT m.rowid AS id, m.*, s.release AS version FROM moves AS m
      LEFT JOIN senders AS s ON s.id = m.sender ORDER BY m.rowid LIMIT 1` as
      | { id: number; sender: number; origin: number; target: number; version: string }
      | undefined;
    if (move === undefined) return;
    const { id, sender, origin, target, version } = move;
    let [envelopes, size, last] = [0, 0, 0];
    let release: number | null = null;
    const rows = this.#sql.iterate`SELECT row_key, size, release FROM envelope_entries
      WHERE sender = ${sender} AND application = ${origin} ORDER BY row_key`;
    for (const row of rows) {
      [last, release] = [row.row_key, row.release] as [number, number | null];
      size += row.size as number;
      if (++envelopes === MOVED_AT_ONCE.envelopes || size >= MOVED_AT_ONCE.size) break;
    }
    const newest = envelopeAt(last);
    // The application may have been deleted meanwhile, or was known by its fallback already.
    if (!this.#touch(target, newest) || envelopes === 0 || origin === target) {
      this.#sql.run`DELETE FROM moves WHERE rowid = ${id}`;
      return;
    }
    const moved = this.#withRelease(target, version || null, newest);
    for (const statement of this.#prepared.move) {
      statement.run(target, moved.release, sender, origin, last);
    }
    this.forget({ sender, application: origin, release });
  }
}

const onlyOne = ([id = NO_APPLICATION, another]: readonly number[]) =>
  another === undefined && id > 0 ? id : NO_APPLICATION;

const idOf = (row: unknown) => (row as { id: number }).id;

/** The application of `other` is known, and it has the same value for each fact that `own` has. */
const MATCHES = "other.known > 0 AND own.dsn_key IN ('', other.dsn_key)" +
  " AND own.sdk IN ('', other.sdk) AND own.side IN ('unknown', other.side)" +
  " AND own.release IN ('', other.release) AND own.environment IN ('', other.environment)";

const RECENT = `(SELECT * FROM senders ORDER BY newest DESC LIMIT ${MAX_COMPARED})`;

function prepare(db: DatabaseSync) {
  return {
    matching: db.prepare(
      `SELECT DISTINCT iif(other.known = ${SEVERAL}, -1, other.application) AS id` +
        ` FROM senders AS own, ${RECENT} AS other WHERE own.id = ? AND ${MATCHES} LIMIT 2`,
    ),
    unassigned: db.prepare(
      `SELECT own.id FROM senders AS other, ${RECENT} AS own WHERE other.id = ? AND ${MATCHES}` +
        " AND EXISTS (SELECT 1 FROM envelope_entries AS e WHERE e.sender = own.id" +
        ` AND e.application = ${NO_APPLICATION}) LIMIT ${MAX_UNASSIGNED}`,
    ),
    // Envelopes are updated last: the other tables find their rows by them.
    move: KEYED_TABLES.toReversed().map((table) =>
      db.prepare(
        `UPDATE ${table} SET application = ?1, release = ?2` +
          ` WHERE rowid IN (SELECT t.rowid FROM envelope_entries AS e JOIN ${table} AS t` +
          " ON t.row_key >= e.row_key AND t.row_key < e.row_key + e.keys" +
          " WHERE e.sender = ?3 AND e.application = ?4 AND e.row_key <= ?5)",
      )
    ),
  };
}
