import type { DatabaseSync } from "node:sqlite";
import { PLACES } from "../models/index/list_cursor.ts";
import { OWN_APPLICATION } from "../models/rows.ts";
import type { EnvelopeApplication } from "../models/application.ts";
import { PLACE_TABLES } from "./schema.ts";

/** Id instead of an application's: several applications may have sent the envelope, or none that is known. */
const NO_APPLICATION = 0;

/** The ids of an envelope's sender, application and release in the index. */
export interface Sender {
  readonly sender: number;
  readonly application: number;
  readonly release: number | null;
}

/** Maximum number of senders without an application that are matched again when another sender gets one. */
const MAX_UNASSIGNED = 100;

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
 * 3. When a sender gets an application, the envelopes that had none and match it are moved to it.
 */
export class Senders {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db);
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
    const sender = this.#sql.upsertSender.get(
      ...[dsnKey, sdk, release, environment].map((fact) => fact ?? ""),
      side,
      envelope,
    ) as { id: number; application: number; known: number };
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
    if (namesItself) this.#setApplication(envelope, sender, application, namedBy === "service");
    this.#sql.touchApplication.run(envelope, application);
    return { sender: sender.id, ...this.#withRelease(application, release, envelope) };
  }

  #withRelease(
    application: number,
    release: string | null,
    envelope: number,
  ): Omit<Sender, "sender"> {
    if (release === null || application === NO_APPLICATION) return { application, release: null };
    return {
      application,
      release: idOf(this.#sql.upsertRelease.get(application, release, envelope)),
    };
  }

  #applicationOf(envelope: number, { key, name, environment, side }: EnvelopeApplication): number {
    return idOf(this.#sql.upsertApplication.get(key, name, environment, side, envelope));
  }

  #setApplication(
    envelope: number,
    { id, application: before, known }: { readonly id: number; application: number; known: number },
    application: number,
    isService: boolean,
  ): void {
    if (known === SEVERAL || (known === SERVICE && application === before)) return;
    if (known === SERVICE) return void this.#sql.setApplication.run(before, SEVERAL, id);
    if (known === FALLBACK && !isService) return;
    this.#sql.setApplication.run(application, isService ? SERVICE : FALLBACK, id);
    if (known === FALLBACK) this.#move(id, before, application);
    for (const pending of this.#sql.unassigned.all(id, MAX_UNASSIGNED)) {
      const only = onlyOne(this.#matching(idOf(pending)));
      if (only !== NO_APPLICATION) this.#move(idOf(pending), NO_APPLICATION, only);
    }
    this.forgetUnused(envelope - 1);
  }

  /** Up to two applications whose senders match the facts of a sender; -1 for a sender that has several. */
  #matching(sender: number): readonly number[] {
    return this.#sql.matching.all(sender).map(idOf);
  }

  /**
   * Deletes unused releases, senders and applications. Checks only those whose newest envelope had at most this id.
   * A sender of a deleted application has no application until an envelope of it names one again.
   */
  forgetUnused(last: number): void {
    for (const statement of this.#sql.forgetUnused) statement.run(last);
    this.#sql.resetOrphans.run();
  }

  /** Moves the envelopes of a sender from one application to another. */
  #move(sender: number, from: number, to: number): void {
    if (from === to) return;
    const { release, newest } = this.#sql.newest.get(sender, from) as {
      release: string;
      newest: number | null;
    };
    if (newest === null) return;
    const releaseId = release === ""
      ? null
      : idOf(this.#sql.upsertRelease.get(to, release, newest));
    for (const statement of this.#sql.move) statement.run(to, releaseId, sender, from);
    this.#sql.touchApplication.run(newest, to);
  }
}

const onlyOne = ([id = NO_APPLICATION, another]: readonly number[]) =>
  another === undefined && id > 0 ? id : NO_APPLICATION;

const idOf = (row: unknown) => (row as { id: number }).id;

/**
 * The application of `other` is known, and it has the same value for each fact that `own` has. Either may lack the DSN
 * key: imported envelopes and those of an earlier version have none.
 */
const MATCHES = "other.known > 0 AND (own.dsn_key = '' OR other.dsn_key IN ('', own.dsn_key))" +
  " AND own.sdk IN ('', other.sdk) AND own.side IN ('unknown', other.side)" +
  " AND own.release IN ('', other.release) AND own.environment IN ('', other.environment)";

/** Whether a stored envelope fulfils the condition. */
const isSent = (condition: string) =>
  `EXISTS (SELECT 1 FROM envelope_entries AS e WHERE ${condition})`;

function prepare(db: DatabaseSync) {
  return {
    upsertApplication: db.prepare(
      "INSERT INTO applications (key, name, environment, side, newest) VALUES (?, ?, ?, ?, ?)" +
        " ON CONFLICT DO UPDATE SET newest = excluded.newest RETURNING id",
    ),
    upsertRelease: db.prepare(
      "INSERT INTO releases (application, release, newest) VALUES (?, ?, ?) ON CONFLICT" +
        " DO UPDATE SET newest = max(newest, excluded.newest) RETURNING id",
    ),
    upsertSender: db.prepare(
      "INSERT INTO senders (dsn_key, sdk, release, environment, side, newest) VALUES (?, ?, ?, ?, ?, ?)" +
        " ON CONFLICT DO UPDATE SET newest = excluded.newest" +
        " RETURNING id, application, known",
    ),
    setApplication: db.prepare("UPDATE senders SET application = ?, known = ? WHERE id = ?"),
    matching: db.prepare(
      `SELECT DISTINCT iif(other.known = ${SEVERAL}, -1, other.application) AS id` +
        ` FROM senders AS own, senders AS other WHERE own.id = ? AND ${MATCHES} LIMIT 2`,
    ),
    unassigned: db.prepare(
      "SELECT own.id FROM senders AS other, senders AS own WHERE other.id = ? AND own.id IN" +
        ` (SELECT sender FROM envelope_entries WHERE application = ${NO_APPLICATION}) AND ${MATCHES} LIMIT ?`,
    ),
    newest: db.prepare(
      `SELECT s.release, max(e.place) / ${PLACES} AS newest FROM senders AS s` +
        " LEFT JOIN envelope_entries AS e ON e.sender = s.id AND e.application = ?2 WHERE s.id = ?1",
    ),
    // Envelopes are updated last: the other tables find their rows by them.
    move: PLACE_TABLES.toReversed().map((table) =>
      db.prepare(
        `UPDATE ${table} SET application = ?1${table === "span_names" ? "" : ", release = ?2"}` +
          ` WHERE rowid IN (SELECT t.rowid FROM envelope_entries AS e JOIN ${table} AS t` +
          ` ON t.place >= e.place AND t.place < e.place + ${PLACES}` +
          " WHERE e.sender = ?3 AND e.application = ?4)",
      )
    ),
    touchApplication: db.prepare("UPDATE applications SET newest = max(newest, ?) WHERE id = ?"),
    // Older envelopes than a deleted one may remain, so a row is deleted only if no envelope uses it.
    forgetUnused: [
      ["releases", isSent("e.application = releases.application AND e.release = releases.id")],
      ["senders", isSent("e.sender = senders.id")],
      ["applications", `id = 1 OR ${isSent("e.application = applications.id")}`],
    ].map(([table, isUsed]) =>
      db.prepare(`DELETE FROM ${table} WHERE newest <= ? AND NOT (${isUsed})`)
    ),
    resetOrphans: db.prepare(
      `UPDATE senders SET application = ${NO_APPLICATION}, known = 0 WHERE application <> ${NO_APPLICATION}` +
        " AND application NOT IN (SELECT id FROM applications)",
    ),
  };
}
