import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type EnvelopeIndex,
  type IndexEntries,
  summarizeBody,
} from "../models/index/index_entries.ts";
import { rowKeyOf } from "../models/index/list_cursor.ts";
import { severityOf } from "../protocol/log_levels.ts";
import { type GroupAlert, UNKNOWN_NAME } from "../models/rows.ts";
import { groupTitle, hashTitle, TITLE_PARTS } from "../models/error/group_title.ts";
import type { ErrorEntry } from "../models/error/error_entry.ts";
import { idsOfSameException } from "../models/otlp/otlp_exception.ts";
import { isOpenTelemetry } from "../models/side.ts";
import type { GroupStates } from "./group_states.ts";
import { VARYING } from "./list_builder.ts";
import { KEYED_TABLES } from "./schema.ts";
import { Senders } from "./senders.ts";
import { spanColumns, type SpanEntry, spanOfRow } from "../models/trace/span_entry.ts";
import { PAGE_VITALS } from "../models/trace/page_vitals.ts";
import { rootOf } from "../models/trace/trace_entry.ts";
import { NO_ROOT_ORDER, ROOT_RANK, rootOrder } from "../models/trace/trace_root.ts";
import { NO_NAME } from "../models/trace/trace_span.ts";
import { SPAN_COLUMNS } from "./trace_reader.ts";
import {
  envelopeText,
  errorText,
  logText,
  recordingText,
  traceText,
} from "../models/index/search_text.ts";

/** From the order of a trace that is named for a span with children to before that of one without spans. */
const NAMED_FOR_SPAN = [ROOT_RANK.parent, ROOT_RANK.error].map((rank) =>
  rootOrder({ rank, started_at: 0 })
);

type SqlValue = string | number | null;

/** Text and summary of a body are in the row of its first resource, which the list of envelopes shows. */
const OTHER_RESOURCE = { text: "", summary: "" };

/** Writes index entries. Its methods must be called in the transaction that changes the envelopes. */
export class IndexWriter {
  readonly #sql: ReturnType<typeof prepare>;
  readonly #groups: GroupStates;
  readonly #senders: Senders;

  constructor(db: DatabaseSync, groups: GroupStates) {
    this.#senders = new Senders(db);
    this.#sql = prepare(db);
    this.#groups = groups;
  }

  /**
   * @param receivedAt milliseconds since 1970
   * @returns the groups of errors that are new or have come back
   */
  insert(envelope: number, receivedAt: number, index: EnvelopeIndex): GroupAlert[] {
    const summary = JSON.stringify(summarizeBody(index));
    const text = envelopeText(index);
    const alerts = index.resources.flatMap((entries, n) =>
      this.#insert(envelope, receivedAt, entries, n === 0 ? { text, summary } : OTHER_RESOURCE)
    );
    return alerts.map((alert) => ({ ...alert, ...this.#titleOf(alert.group) }));
  }

  #insert(
    envelope: number,
    receivedAt: number,
    entries: IndexEntries,
    { text, summary }: { readonly text: string; readonly summary: string },
  ): Omit<GroupAlert, "type" | "message">[] {
    const alerts: Omit<GroupAlert, "type" | "message">[] = [];
    const { sender, application, release } = this.#senders.assign(envelope, entries.application);
    const rowKey = rowKeyOf(envelope, entries.first);
    const again = new Set(this.#sentAgain(entries));
    const againByTrace = Map.groupBy(again, ({ trace_id }) => trace_id);
    let size = text.length;
    /** @param valuesOf the values after the columns of {@linkcode rowKeyOf}, application and release; undefined: not listed */
    const insertAll = <Entry>(
      into: StatementSync,
      all: readonly Entry[],
      valuesOf: (entry: Entry) => readonly SqlValue[] | undefined,
    ) =>
      all.forEach((entry, index) => {
        const values = valuesOf(entry);
        if (values === undefined) return;
        into.run(rowKey + index, application, release, ...values);
        for (const value of values) if (typeof value === "string") size += value.length;
      });
    insertAll(this.#sql.insertTrace, entries.traces, (trace) => [
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
      traceText(trace),
      Number(trace.failed),
      trace.http_status,
      Number(trace.preflight),
    ]);
    insertAll(this.#sql.insertSpan, entries.spans, (span) => {
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
    });
    insertAll(this.#sql.insertError, entries.errors, (error) => {
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
          application: this.#sql.applicationName.get(application)?.name as string ?? UNKNOWN_NAME,
        });
      }
      return [
        error.at,
        error.group,
        error.trace_id,
        error.replay_id,
        severityOf(error.level),
        error.handled === null ? null : Number(error.handled),
        errorText(error),
        JSON.stringify(error),
        error.former ?? null,
        ...hashTitle(error),
      ];
    });
    insertAll(this.#sql.insertLog, entries.logs, ({ sequence = 0, ...log }) => [
      log.at,
      sequence,
      severityOf(log.level),
      log.trace_id,
      log.replay_id,
      logText(log),
      JSON.stringify(log),
    ]);
    insertAll(this.#sql.insertVitals, entries.vitals, (entry) => [
      entry.at,
      entry.trace_id,
      entry.page,
      entry.op,
      ...PAGE_VITALS.map((name) => entry[name]),
    ]);
    insertAll(this.#sql.insertRecording, entries.recordings, (entry) => [
      entry.at,
      entry.replay_id,
      entry.kind,
      entry.segment,
      entry.started_at,
      Number(entry.playable),
      entry.bytes,
      entry.page,
      recordingText(entry),
    ]);
    for (const debugId of entries.unmapped) {
      this.#sql.insertUnmapped.run(debugId, envelope);
      size += debugId.length;
    }
    this.#sql.insertEnvelope.run(
      rowKey,
      application,
      release,
      receivedAt,
      sender,
      entries.keys,
      entries.application.processStart,
      size,
      text,
      summary,
    );
    this.#sql.addSize.run(size);
    this.#nameTraces(rowKey, receivedAt, entries);
    return alerts;
  }

  /** The errors that are stored already: exceptions may be sent as an event of a span and as a log record. */
  #sentAgain({ application, errors }: IndexEntries): readonly ErrorEntry[] {
    if (!isOpenTelemetry(application.sdk)) return [];
    return errors.filter(({ event_id, trace_id }) =>
      event_id !== null && trace_id !== null &&
      this.#sql.errorBetween.get(...idsOfSameException(event_id)) !== undefined
    );
  }

  /**
   * Names traces again that are named for a span because it has children: spans and their children arrive in any order,
   * and in different bodies.
   */
  #nameTraces(rowKey: number, receivedAt: number, { spans }: IndexEntries): void {
    const byTrace = Map.groupBy(spans.entries(), ([, { trace_id }]) => trace_id);
    for (const [traceId, own] of byTrace) {
      if (this.#sql.isNamedForSpan.get(traceId, ...NAMED_FOR_SPAN) === undefined) continue;
      const name = (key: number, span: Omit<SpanEntry, "trace_id">) => {
        const root = rootOf(span, receivedAt);
        if (root.rank !== ROOT_RANK.span || span.name === NO_NAME) return;
        const order = rootOrder({ ...root, rank: ROOT_RANK.parent });
        const { name, op, started_at, ended_at } = root;
        this.#sql.nameTrace.run(order, name, op, started_at, ended_at, traceId, key);
      };
      for (const [index, span] of own) {
        if (this.#sql.hasChild.get(traceId, span.span_id, rowKey)) name(rowKey + index, span);
      }
      for (const id of new Set(own.map(([, span]) => span.parent_span_id))) {
        const parent = this.#sql.parent.get(traceId, id, rowKey);
        if (parent) name(parent.row_key as number, spanOfRow(parent as never));
      }
    }
  }

  #titleOf(group: string): Pick<GroupAlert, "type" | "message"> {
    const { entry, varying } = this.#sql.title.get(group) as Record<"entry" | "varying", string>;
    const { type, value: message } = groupTitle(JSON.parse(entry), JSON.parse(varying));
    return { type, message };
  }

  /** Groups the errors of an envelope again, because the source map of this script has arrived. */
  regroup(envelope: number, resources: readonly IndexEntries[], debugId: string): void {
    for (const { first, errors } of resources) {
      errors.forEach((error, index) => {
        const rowKey = rowKeyOf(envelope, first + index);
        const before = this.#sql.groupAt.get(rowKey)?.group_key as string | undefined;
        // Undefined: the error was deleted.
        if (before === undefined || before === error.group) return;
        this.#groups.inherit(error.group, before);
        this.#sql.regroup.run(
          error.group,
          error.former ?? null,
          errorText(error),
          JSON.stringify(error),
          rowKey,
        );
      });
    }
    this.#sql.deleteMapped.run(debugId, envelope);
    for (const id of resources.flatMap(({ unmapped }) => [...unmapped])) {
      this.#sql.insertUnmapped.run(id, envelope);
    }
  }

  /** Whether an envelope is indexed. */
  has(envelope: number): boolean {
    return this.#sql.has.get(rowKeyOf(envelope, 0)) !== undefined;
  }

  /** Deletes the entries of the envelopes from `first` to `last`. */
  delete(first: number, last: number): void {
    const [start, end] = [rowKeyOf(first, 0), rowKeyOf(last + 1, 0)];
    this.#sql.subtract.run(start, end);
    const used = this.#senders.used(start, end);
    for (const table of this.#sql.deleteEntries) table.run(start, end);
    this.#sql.deleteUnmapped.run(first, last);
    for (const one of used) this.#senders.forget(one);
  }

  /** See {@linkcode Senders.moveSome}. */
  moveSome(): boolean {
    return this.#senders.moveSome();
  }
}

function prepare(db: DatabaseSync) {
  const insert = (table: string, columns: number) =>
    db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill("?").join(", ")})`);
  return {
    applicationName: db.prepare("SELECT name FROM applications WHERE id = ?"),
    insertTrace: insert("trace_entries", 19),
    insertError: insert("error_entries", 12 + TITLE_PARTS),
    title: db.prepare(
      `SELECT entry, ${VARYING} AS varying FROM error_entries AS e WHERE group_key = ?` +
        " ORDER BY row_key DESC LIMIT 1",
    ),
    errorBetween: db.prepare(
      "SELECT 1 FROM error_entries WHERE entry ->> 'event_id' BETWEEN ? AND ? LIMIT 1",
    ),
    insertLog: insert("log_entries", 10),
    insertVitals: insert("vital_entries", 12),
    insertRecording: insert("recording_entries", 12),
    insertSpan: insert("spans", 13),
    isNamedForSpan: db.prepare(
      "SELECT 1 FROM trace_entries WHERE trace_id = ? AND root_order >= ? AND root_order < ? LIMIT 1",
    ),
    // Of earlier bodies and resources.
    hasChild: db.prepare(
      "SELECT 1 FROM spans WHERE trace_id = ? AND parent_id = ? AND row_key < ? LIMIT 1",
    ),
    parent: db.prepare(
      `SELECT row_key, ${SPAN_COLUMNS} FROM spans WHERE trace_id = ? AND span_id = ? AND row_key < ?` +
        " ORDER BY row_key LIMIT 1",
    ),
    // Of the resource that the span with this row key belongs to.
    nameTrace: db.prepare(
      "UPDATE trace_entries SET root_order = ?1, name = ?2, op = ?3, started_at = ?4, ended_at = ?5," +
        " at = coalesce(?4, seen_at), preflight = 0 WHERE trace_id = ?6 AND root_order > ?1" +
        " AND row_key >= (SELECT max(row_key) FROM envelope_entries AS e WHERE e.row_key <= ?7)" +
        " AND row_key < (SELECT coalesce(min(row_key), 9e15) FROM envelope_entries AS e" +
        " WHERE e.row_key > ?7)",
    ),
    insertUnmapped: db.prepare("INSERT OR IGNORE INTO unmapped_scripts VALUES (?, ?)"),
    deleteUnmapped: db.prepare("DELETE FROM unmapped_scripts WHERE envelope BETWEEN ? AND ?"),
    deleteMapped: db.prepare("DELETE FROM unmapped_scripts WHERE debug_id = ? AND envelope = ?"),
    groupAt: db.prepare("SELECT group_key FROM error_entries WHERE row_key = ?"),
    regroup: db.prepare(
      "UPDATE error_entries SET group_key = ?, former_key = ?, text = ?, entry = ? WHERE row_key = ?",
    ),
    insertEnvelope: insert("envelope_entries", 10),
    has: db.prepare("SELECT 1 FROM envelope_entries WHERE row_key = ?"),
    addSize: db.prepare("UPDATE totals SET size = size + ?"),
    subtract: db.prepare(
      "UPDATE totals SET size = size -" +
        " (SELECT coalesce(sum(size), 0) FROM envelope_entries WHERE row_key >= ? AND row_key < ?)",
    ),
    deleteEntries: KEYED_TABLES.map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE row_key >= ? AND row_key < ?`)
    ),
  };
}
