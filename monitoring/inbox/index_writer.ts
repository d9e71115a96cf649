import type { DatabaseSync, SQLTagStore, StatementSync } from "node:sqlite";
import {
  type EnvelopeIndex,
  type IndexEntries,
  summarizeBody,
} from "../models/index/index_entries.ts";
import { KEYS_PER_ENVELOPE, rowKeyOf } from "../models/index/list_cursor.ts";
import { severityOf } from "../protocol/log_levels.ts";
import { type GroupAlert, UNKNOWN_NAME } from "../models/rows.ts";
import { groupTitle, hashTitle, TITLE_PARTS } from "../models/error/group_title.ts";
import type { ErrorEntry } from "../models/error/error_entry.ts";
import { idsOfSameException } from "../models/otlp/otlp_exception.ts";
import { isOpenTelemetry } from "../models/side.ts";
import type { GroupStates } from "./group_states.ts";
import { VARYING } from "./list_builder.ts";
import { WORD_TABLES } from "./query_sql.ts";
import { KEYED_TABLES } from "./schema.ts";
import { Senders } from "./senders.ts";
import { spanColumns } from "../models/trace/span_entry.ts";
import { PAGE_VITALS } from "../models/trace/page_vitals.ts";
import { NO_ROOT_ORDER, rootOrder } from "../models/trace/trace_root.ts";
import { TraceNames } from "./trace_names.ts";
import {
  envelopeWords,
  indexed,
  recordingWords,
  searchedError,
  searchedLog,
  searchedSpan,
} from "../models/query/searched.ts";

type SqlValue = string | number | null;

const errorWords = (error: ErrorEntry) => indexed(searchedError(error));

/** Writes index entries. Its methods must be called in the transaction that changes the envelopes. */
export class IndexWriter {
  readonly #sql: SQLTagStore;
  readonly #prepared: ReturnType<typeof prepare>;
  readonly #groups: GroupStates;
  readonly #names: TraceNames;
  readonly senders: Senders;

  constructor(db: DatabaseSync, groups: GroupStates) {
    this.#sql = db.createTagStore();
    this.#prepared = prepare(db);
    this.#groups = groups;
    this.#names = new TraceNames(db);
    this.senders = new Senders(db);
  }

  /** Returns the groups of errors that are new or have come back. */
  insert(envelope: number, receivedAt: number, index: EnvelopeIndex): GroupAlert[] {
    const summary = JSON.stringify(summarizeBody(index));
    const alerts = index.resources.flatMap((entries, n) =>
      this.#insert(envelope, receivedAt, entries, n === 0 ? summary : "")
    );
    this.#prepared.words.envelope_words.run(rowKeyOf(envelope, 0), envelopeWords(index));
    return alerts.map((alert) => ({ ...alert, ...this.#titleOf(alert.group) }));
  }

  #insert(
    envelope: number,
    receivedAt: number,
    entries: IndexEntries,
    summary: string,
  ): Omit<GroupAlert, "type" | "message">[] {
    const alerts: Omit<GroupAlert, "type" | "message">[] = [];
    const { sender, application, release } = this.senders.assign(envelope, entries.application);
    const rowKey = rowKeyOf(envelope, entries.first);
    const { span_words, error_words, log_words, recording_words } = this.#prepared.words;
    const again = new Set(this.#sentAgain(entries));
    const againByTrace = Map.groupBy(again, ({ trace_id }) => trace_id);
    let size = 0;
    /** @param valuesOf the values after the columns of {@linkcode rowKeyOf}, application and release; undefined: not listed */
    const insertAll = <Entry>(
      into: StatementSync,
      all: readonly Entry[],
      valuesOf: (entry: Entry) => readonly SqlValue[] | undefined,
      words?: { readonly into: StatementSync; of(entry: Entry): string },
    ) =>
      all.forEach((entry, index) => {
        const values = valuesOf(entry);
        if (values === undefined) return;
        into.run(rowKey + index, application, release, ...values);
        words?.into.run(rowKey + index, words.of(entry));
        for (const value of values) if (typeof value === "string") size += value.length;
      });
    insertAll(this.#prepared.insertTrace, entries.traces, (trace) => [
      trace.root?.started_at ?? trace.seen_at,
      trace.trace_id,
      trace.spans,
      trace.errors - (againByTrace.get(trace.trace_id)?.length ?? 0),
      trace.logs,
      trace.seen_at,
      trace.root === null ? NO_ROOT_ORDER : rootOrder(trace.root),
      trace.root?.name ?? null,
      trace.root?.op ?? null,
      trace.root?.started_at ?? null,
      trace.root?.ended_at ?? null,
      trace.replay_id,
      Number(trace.failed),
      trace.http_status,
      Number(trace.preflight),
    ]);
    insertAll(this.#prepared.insertSpan, entries.spans, (span) => {
      const { at, duration, entry } = spanColumns(span, receivedAt);
      return [
        at,
        span.trace_id,
        span.span_id,
        span.parent_span_id,
        span.op,
        span.name,
        duration,
        Number(span.failed),
        Number(span.is_segment),
        entry,
      ];
    }, { into: span_words, of: (span) => indexed(searchedSpan(span, null)) });
    insertAll(this.#prepared.insertError, entries.errors, (error) => {
      if (again.has(error)) return undefined;
      const { group } = error;
      const { release: version, environment } = entries.application;
      const arrival = this.#groups.arrive(error, { envelope, receivedAt, release: version });
      if (arrival === "deleted") return undefined;
      if (arrival !== "known") {
        alerts.push({
          kind: arrival,
          group,
          release: version,
          environment,
          application: this.#nameOf(application),
        });
      }
      return [
        error.at,
        error.group,
        error.trace_id,
        error.replay_id,
        severityOf(error.level),
        error.handled === null ? null : Number(error.handled),
        JSON.stringify(error),
        error.former ?? null,
        ...hashTitle(error),
      ];
    }, { into: error_words, of: errorWords });
    insertAll(this.#prepared.insertLog, entries.logs, ({ sequence = 0, ...log }) => [
      log.at,
      sequence,
      severityOf(log.level),
      log.trace_id,
      log.replay_id,
      JSON.stringify(log),
    ], { into: log_words, of: (log) => indexed(searchedLog(log)) });
    insertAll(this.#prepared.insertVitals, entries.vitals, (entry) => [
      entry.at,
      entry.trace_id,
      entry.page,
      entry.op,
      ...PAGE_VITALS.map((name) => entry[name]),
    ]);
    insertAll(this.#prepared.insertRecording, entries.recordings, (entry) => [
      entry.at,
      entry.replay_id,
      entry.kind,
      entry.segment,
      entry.started_at,
      Number(entry.playable),
      entry.bytes,
      entry.page,
    ], { into: recording_words, of: recordingWords });
    this.#insertUnmapped(envelope, entries);
    for (const debugId of entries.unmapped) size += debugId.length;
    this.#prepared.insertEnvelope.run(
      rowKey,
      application,
      release,
      receivedAt,
      sender,
      entries.keys,
      entries.application.processStart,
      size,
      summary,
    );
    this.#sql.run`UPDATE totals SET size = size + ${size}`;
    this.#names.update(rowKey, receivedAt, entries.spans);
    return alerts;
  }

  /** The errors that are stored already: exceptions may be sent as an event of a span and as a log record. */
  #sentAgain({ application, errors }: IndexEntries): readonly ErrorEntry[] {
    if (!isOpenTelemetry(application.sdk)) return [];
    return errors.filter(({ event_id, trace_id }) => {
      if (event_id === null || trace_id === null) return false;
      const [first, last] = idsOfSameException(event_id);
      return this.#sql.get`SELECT 1 FROM error_entries
        WHERE entry ->> 'event_id' BETWEEN ${first} AND ${last} LIMIT 1` !== undefined;
    });
  }

  #nameOf(application: number): string {
    const row = this.#sql.get`SELECT name FROM applications WHERE id = ${application}`;
    return row?.name as string | undefined ?? UNKNOWN_NAME;
  }

  #titleOf(group: string): Pick<GroupAlert, "type" | "message"> {
    const { entry, varying } = this.#prepared.title.get(group) as Record<
      "entry" | "varying",
      string
    >;
    const { type, value: message } = groupTitle(JSON.parse(entry), JSON.parse(varying));
    return { type, message };
  }

  /** Groups the errors of an envelope again, because the source map of this script has arrived. */
  regroup(envelope: number, resources: readonly IndexEntries[], debugId: string): void {
    for (const { first, errors } of resources) {
      errors.forEach((error, index) => {
        const rowKey = rowKeyOf(envelope, first + index);
        const before = this.#sql.get`SELECT group_key FROM error_entries WHERE row_key = ${rowKey}`
          ?.group_key as string | undefined;
        // Undefined: the error was deleted.
        if (before === undefined || before === error.group) return;
        this.#groups.inherit(error.group, before);
        this.#sql.run`UPDATE error_entries SET group_key = ${error.group},
          former_key = ${error.former ?? null}, entry = ${JSON.stringify(error)}
          WHERE row_key = ${rowKey}`;
        this.#prepared.words.error_words.run(rowKey, errorWords(error));
      });
    }
    this.#sql
      .run`DELETE FROM unmapped_scripts WHERE debug_id = ${debugId} AND envelope = ${envelope}`;
    for (const one of resources) this.#insertUnmapped(envelope, one);
  }

  #insertUnmapped(envelope: number, { unmapped }: IndexEntries): void {
    for (const debugId of unmapped) {
      this.#sql.run`INSERT OR IGNORE INTO unmapped_scripts VALUES (${debugId}, ${envelope})`;
    }
  }

  has(envelope: number): boolean {
    return this.#sql.get`SELECT 1 FROM envelope_entries WHERE row_key = ${
      rowKeyOf(envelope, 0)
    }` !==
      undefined;
  }

  /** The ids of the indexed envelopes, and characters of their entries, oldest first. */
  sizes(): Iterable<unknown> {
    return this.#prepared.sizes.iterate();
  }

  delete(first: number, last: number): void {
    const [start, end] = [rowKeyOf(first, 0), rowKeyOf(last + 1, 0)];
    this.#sql
      .run`UPDATE totals SET size = size - (SELECT coalesce(sum(size), 0) FROM envelope_entries
      WHERE row_key >= ${start} AND row_key < ${end})`;
    const used = this.senders.used(start, end);
    for (const table of this.#prepared.deleteEntries) table.run(start, end);
    this.#sql.run`DELETE FROM unmapped_scripts WHERE envelope BETWEEN ${first} AND ${last}`;
    for (const one of used) this.senders.forget(one);
  }
}

function prepare(db: DatabaseSync) {
  const insert = (table: string, columns: number) =>
    db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill("?").join(", ")})`);
  return {
    insertTrace: insert("trace_entries", 18),
    insertError: insert("error_entries", 11 + TITLE_PARTS),
    insertLog: insert("log_entries", 9),
    insertVitals: insert("vital_entries", 12),
    insertRecording: insert("recording_entries", 11),
    insertSpan: insert("spans", 13),
    insertEnvelope: insert("envelope_entries", 9),
    title: db.prepare(
      `SELECT entry, ${VARYING} AS varying FROM error_entries AS e WHERE group_key = ?` +
        " ORDER BY row_key DESC LIMIT 1",
    ),
    sizes: db.prepare(
      `SELECT row_key / ${KEYS_PER_ENVELOPE} AS id, size FROM envelope_entries ORDER BY row_key`,
    ),
    deleteEntries: [
      ...KEYED_TABLES.map((table) => `DELETE FROM ${table} WHERE row_key >= ? AND row_key < ?`),
      // For a range of its own keys FTS5 reads them all.
      ...WORD_TABLES.map((table) =>
        `DELETE FROM ${table} WHERE rowid IN (SELECT id FROM ${table}_docsize WHERE id >= ? AND id < ?)`
      ),
    ].map((sql) => db.prepare(sql)),
    words: Object.fromEntries(WORD_TABLES.map((table) => [
      table,
      db.prepare(`INSERT OR REPLACE INTO ${table} (rowid, words) VALUES (?, ?)`),
    ])) as Record<typeof WORD_TABLES[number], StatementSync>,
  };
}
