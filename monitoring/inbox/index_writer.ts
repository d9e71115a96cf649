import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { EnvelopeDescription, IndexEntries } from "../models/index/index_entries.ts";
import { placeOf } from "../models/index/list_cursor.ts";
import { LOG_LEVELS } from "../models/rows.ts";
import { envelopeText, errorText, logText, traceText } from "../models/index/search_text.ts";

type SqlValue = string | number | null;

/** Writes index entries. Call it in the transaction that changes the envelopes. */
export class IndexWriter {
  readonly #sql: ReturnType<typeof prepare>;
  #weight = 0;

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db);
  }

  insert(envelope: number, description: EnvelopeDescription, entries: IndexEntries): void {
    this.#weight = 0;
    entries.traces.forEach((trace, index) => {
      const { root } = trace;
      this.#insert(
        this.#sql.insertTrace,
        placeOf(envelope, index),
        trace.trace_id,
        trace.spans,
        trace.errors,
        trace.logs,
        trace.started_at,
        trace.ended_at,
        trace.seen_at,
        root?.rank ?? null,
        root?.started_at ?? null,
        root?.name ?? null,
        root?.op ?? null,
        trace.replay_id,
        traceText(trace),
      );
    });
    entries.errors.forEach((error, index) =>
      this.#insert(
        this.#sql.insertError,
        placeOf(envelope, index),
        error.group,
        error.trace_id,
        error.at,
        errorText(error),
        JSON.stringify(error),
      )
    );
    entries.logs.forEach((log, index) =>
      this.#insert(
        this.#sql.insertLog,
        placeOf(envelope, index),
        LOG_LEVELS.indexOf(log.level),
        log.trace_id,
        logText(log),
        JSON.stringify(log),
      )
    );
    const text = envelopeText(description, entries);
    const weight = this.#weight + text.length;
    this.#sql.insertText.run(envelope, weight, text);
    this.#sql.addWeight.run(weight);
  }

  /** Whether an envelope is indexed. */
  has(envelope: number): boolean {
    return this.#sql.has.get(envelope) !== undefined;
  }

  /** Characters of all entries. */
  weight(): number {
    return (this.#sql.weight.get() as { weight: number }).weight;
  }

  /** Deleting entries of envelopes up to this id frees at least `excess` characters. */
  oldestToFree(excess: number): number {
    let freed = 0;
    for (const row of this.#sql.oldest.iterate() as Iterable<unknown>) {
      const { envelope, weight } = row as { envelope: number; weight: number };
      freed += weight;
      if (freed >= excess) return envelope;
    }
    return 0;
  }

  deleteThrough(envelope: number): void {
    this.#sql.subtractThrough.run(envelope);
    this.#sql.deleteTexts.run(envelope);
    const end = placeOf(envelope + 1, 0);
    for (const table of this.#sql.deleteEntries) table.run(end);
  }

  deleteAll(): void {
    for (const table of this.#sql.deleteAll) table.run();
  }

  #insert(statement: StatementSync, ...values: readonly SqlValue[]): void {
    statement.run(...values);
    for (const value of values) if (typeof value === "string") this.#weight += value.length;
  }
}

const INDEX_TABLES = ["trace_entries", "error_entries", "log_entries"];

function prepare(db: DatabaseSync) {
  const insert = (table: string, columns: number) =>
    db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill("?").join(", ")})`);
  return {
    insertTrace: insert("trace_entries", 14),
    insertError: insert("error_entries", 6),
    insertLog: insert("log_entries", 5),
    insertText: insert("envelope_texts", 3),
    has: db.prepare("SELECT 1 FROM envelope_texts WHERE envelope = ?"),
    weight: db.prepare("SELECT weight FROM totals"),
    addWeight: db.prepare("UPDATE totals SET weight = weight + ?"),
    oldest: db.prepare("SELECT envelope, weight FROM envelope_texts ORDER BY envelope"),
    subtractThrough: db.prepare(
      "UPDATE totals SET weight = weight -" +
        " (SELECT coalesce(sum(weight), 0) FROM envelope_texts WHERE envelope <= ?)",
    ),
    deleteTexts: db.prepare("DELETE FROM envelope_texts WHERE envelope <= ?"),
    deleteEntries: INDEX_TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE place < ?`)),
    deleteAll: [
      ...[...INDEX_TABLES, "envelope_texts"].map((table) => db.prepare(`DELETE FROM ${table}`)),
      db.prepare("UPDATE totals SET weight = 0, backlog = 0"),
    ],
  };
}
