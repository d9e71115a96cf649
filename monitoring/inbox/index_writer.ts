import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { EnvelopeDescription, IndexEntries } from "../models/index/index_entries.ts";
import type { EnvelopeSource } from "../models/source.ts";
import { placeOf } from "../models/index/list_cursor.ts";
import { severityOf } from "../protocol/log_levels.ts";
import { type GroupAlert, UNKNOWN_NAME } from "../models/rows.ts";
import type { GroupStates } from "./group_states.ts";
import { PAGE_VITALS } from "../models/trace/page_vitals.ts";
import {
  envelopeText,
  errorText,
  logText,
  recordingText,
  traceText,
} from "../models/index/search_text.ts";

type SqlValue = string | number | null;

/** Writes index entries. Call it in the transaction that changes the envelopes. */
export class IndexWriter {
  readonly #sql: ReturnType<typeof prepare>;
  readonly #groups: GroupStates;

  constructor(db: DatabaseSync, groups: GroupStates) {
    this.#sql = prepare(db);
    this.#groups = groups;
  }

  /**
   * @param receivedAt milliseconds since 1970
   * @returns the groups of errors that are new or have come back
   */
  insert(
    envelope: number,
    receivedAt: number,
    description: EnvelopeDescription,
    entries: IndexEntries,
  ): GroupAlert[] {
    const alerts: GroupAlert[] = [];
    const [source, release] = namesNoSender(description, entries)
      ? [this.#onlyApplication(envelope), null]
      : this.#writeSource(envelope, entries.source);
    let weight = 0;
    /** @param valuesOf its columns after the first three, which all tables have; undefined: it is not listed */
    const insertAll = <Entry>(
      into: StatementSync,
      all: readonly Entry[],
      valuesOf: (entry: Entry) => readonly SqlValue[] | undefined,
    ) =>
      all.forEach((entry, index) => {
        const values = valuesOf(entry);
        if (values === undefined) return;
        into.run(placeOf(envelope, index), source, release, ...values);
        for (const value of values) if (typeof value === "string") weight += value.length;
      });
    insertAll(this.#sql.insertTrace, entries.traces, (trace) => [
      trace.started_at ?? trace.seen_at,
      trace.trace_id,
      trace.spans,
      trace.errors,
      trace.logs,
      trace.started_at,
      trace.ended_at,
      trace.seen_at,
      trace.root?.rank ?? null,
      trace.root?.started_at ?? null,
      trace.root?.name ?? null,
      trace.root?.op ?? null,
      trace.replay_id,
      traceText(trace),
      Number(trace.failed),
      trace.http_status,
    ]);
    insertAll(this.#sql.insertError, entries.errors, (error) => {
      const { group, type, value: message } = error;
      const { release: version, environment, name } = entries.source;
      const arrival = this.#groups.arrive(group, { envelope, receivedAt, release: version });
      if (arrival === "deleted") return undefined;
      if (arrival !== "known") {
        alerts.push({
          kind: arrival,
          group,
          type,
          message,
          release: version,
          environment,
          source: name,
        });
      }
      return [
        error.at,
        error.group,
        error.trace_id,
        severityOf(error.level),
        error.handled === null ? null : Number(error.handled),
        errorText(error),
        JSON.stringify(error),
      ];
    });
    insertAll(this.#sql.insertLog, entries.logs, (log) => [
      log.at,
      severityOf(log.level),
      log.trace_id,
      logText(log),
      JSON.stringify(log),
    ]);
    insertAll(this.#sql.insertVitals, entries.vitals, (entry) => [
      entry.at,
      entry.trace_id,
      entry.page,
      Number(entry.is_load),
      ...PAGE_VITALS.map((name) => entry[name]),
    ]);
    insertAll(this.#sql.insertRecording, entries.recordings, (entry) => [
      entry.at,
      entry.replay_id,
      entry.kind,
      entry.segment,
      entry.started_at,
      entry.errors,
      entry.bytes,
      entry.page,
      recordingText(entry),
    ]);
    const text = envelopeText(description, entries);
    weight += text.length;
    this.#sql.insertText.run(envelope, source, release, receivedAt, weight, text);
    this.#sql.addWeight.run(weight);
    return alerts;
  }

  /** Whether an envelope is indexed. */
  has(envelope: number): boolean {
    return this.#sql.has.get(envelope) !== undefined;
  }

  /** Characters of all entries. */
  weight(): number {
    return (this.#sql.weight.get() as { weight: number }).weight;
  }

  /** Ids of envelopes and characters of their entries, oldest first. */
  sizes(): Iterable<{ readonly id: number; readonly size: number }> {
    return this.#sql.sizes.iterate() as Iterable<unknown> as ReturnType<IndexWriter["sizes"]>;
  }

  /** Deletes the entries of the envelopes from `first` to `last`. */
  delete(first: number, last: number): void {
    this.#sql.subtract.run(first, last);
    this.#sql.deleteTexts.run(first, last);
    const [start, end] = [placeOf(first, 0), placeOf(last + 1, 0)];
    for (const table of this.#sql.deleteEntries) table.run(start, end);
    for (const table of this.#sql.deleteUnused) table.run(last);
  }

  deleteAll(): void {
    for (const table of this.#sql.deleteAll) table.run();
  }

  /** Returns the ids of the source and of its release. */
  #writeSource(
    envelope: number,
    { key, name, environment, side, release }: EnvelopeSource,
  ): readonly [source: number, release: number | null] {
    const source = idOf(this.#sql.upsertSource.get(key, name, environment, side, envelope));
    if (release === null) return [source, null];
    return [source, idOf(this.#sql.upsertRelease.get(source, release, envelope, envelope))];
  }

  /** The source of a report that names none; {@linkcode NO_SOURCE} if it may be of several applications. */
  #onlyApplication(envelope: number): number {
    const [application, another] = this.#sql.applications.all();
    if (application === undefined || another !== undefined) return NO_SOURCE;
    const id = idOf(application);
    this.#sql.seeSource.run(envelope, id);
    return id;
  }
}

/** Instead of the id of a source. */
const NO_SOURCE = 0;

/** SDKs send client reports without their name and release. */
function namesNoSender({ items }: EnvelopeDescription, { source }: IndexEntries): boolean {
  return source.name === UNKNOWN_NAME && items.length > 0 &&
    items.every(({ type }) => type === "client_report");
}

const idOf = (row: unknown) => (row as { id: number }).id;

const INDEX_TABLES = [
  "trace_entries",
  "error_entries",
  "log_entries",
  "vital_entries",
  "recording_entries",
];

function prepare(db: DatabaseSync) {
  const insert = (table: string, columns: number) =>
    db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill("?").join(", ")})`);
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
    applications: db.prepare("SELECT id FROM sources WHERE id > 1 LIMIT 2"),
    seeSource: db.prepare("UPDATE sources SET newest = max(newest, ?) WHERE id = ?"),
    insertTrace: insert("trace_entries", 19),
    insertError: insert("error_entries", 10),
    insertLog: insert("log_entries", 8),
    insertVitals: insert("vital_entries", 12),
    insertRecording: insert("recording_entries", 12),
    insertText: insert("envelope_texts", 6),
    has: db.prepare("SELECT 1 FROM envelope_texts WHERE envelope = ?"),
    weight: db.prepare("SELECT weight FROM totals"),
    addWeight: db.prepare("UPDATE totals SET weight = weight + ?"),
    sizes: db.prepare(
      "SELECT envelope AS id, weight AS size FROM envelope_texts ORDER BY envelope",
    ),
    subtract: db.prepare(
      "UPDATE totals SET weight = weight -" +
        " (SELECT coalesce(sum(weight), 0) FROM envelope_texts WHERE envelope BETWEEN ? AND ?)",
    ),
    deleteTexts: db.prepare("DELETE FROM envelope_texts WHERE envelope BETWEEN ? AND ?"),
    deleteEntries: INDEX_TABLES.map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE place >= ? AND place < ?`)
    ),
    // Of an envelope that was deleted by its age, older ones may still be stored; those of later releases are not read.
    deleteUnused: [
      db.prepare(
        "DELETE FROM releases WHERE newest <= ? AND NOT EXISTS (SELECT 1 FROM envelope_texts AS e" +
          " WHERE e.source = releases.source AND e.envelope <= releases.newest" +
          " AND e.release = releases.id)",
      ),
      db.prepare(
        "DELETE FROM sources WHERE newest <= ? AND id > 1 AND NOT EXISTS" +
          " (SELECT 1 FROM envelope_texts AS e WHERE e.source = sources.id)",
      ),
    ],
    deleteAll: [
      ...[...INDEX_TABLES, "envelope_texts", "releases", "group_states"].map((table) =>
        db.prepare(`DELETE FROM ${table}`)
      ),
      db.prepare("DELETE FROM sources WHERE id > 1"),
      db.prepare("UPDATE totals SET weight = 0, backlog = 0"),
    ],
  };
}
