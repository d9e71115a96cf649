import type { DatabaseSync, SQLInputValue, SQLTagStore, StatementSync } from "node:sqlite";
import {
  type EnvelopeIndex,
  type IndexEntries,
  summarizeBody,
} from "../models/index/index_entries.ts";
import { KEYS_PER_ENVELOPE, rowKeyOf } from "../models/index/list_cursor.ts";
import { severityOf } from "../protocol/log_levels.ts";
import { UNKNOWN_NAME } from "../models/application_rows.ts";
import type { GroupAlert } from "../models/error/error_row.ts";
import { groupTitle, hashTitle } from "../models/error/group_title.ts";
import type { ErrorEntry } from "../models/error/error_entry.ts";
import { idsOfSameException, MAX_LAYERS } from "../models/otlp/otlp_exception.ts";
import { isOpenTelemetry } from "../models/side.ts";
import type { GroupStates } from "./group_states.ts";
import { VARYING } from "./list_builder.ts";
import { SEARCHED_TABLES, wordTable } from "./query_sql.ts";
import { KEYED_TABLES, TITLE_COLUMNS } from "./schema.ts";
import { Senders } from "./senders.ts";
import { SECOND_MS } from "../models/time_units.ts";
import { isCumulative } from "../models/metric/metric_entry.ts";
import { readAiSpan } from "../models/ai/ai_span.ts";
import { spanColumns } from "../models/trace/span_entry.ts";
import { isQuery } from "../models/trace/span_kind.ts";
import { type Searched, statusCodeIn } from "../models/query/query.ts";
import { checkInWords } from "../models/monitors/check_in.ts";
import { NO_ROOT_ORDER, rootOrder } from "../models/trace/trace_root.ts";
import { traceNamer } from "./trace_names.ts";
import {
  envelopeWords,
  feedbackWords,
  indexed,
  metricWords,
  profileWords,
  recordingWords,
  resourceWords,
  searchedError,
  searchedLog,
  searchedSpan,
} from "../models/query/searched.ts";

type KeyedTable = typeof KEYED_TABLES[number];
type SearchedTable = typeof SEARCHED_TABLES[number];

/** Errors of a group that may arrive between two layers of one. */
const MAX_BETWEEN_LAYERS = 10;

/** After each entry of a trace: no phrase is found across it. Of private use, as the mark of an id. */
const ENTRY_END = "\ue001 ";

const errorWords = (error: ErrorEntry) => indexed(searchedError(error));

/** Writes index entries. Its methods must be called in the transaction that changes the envelopes. */
export class IndexWriter {
  readonly #sql: SQLTagStore;
  readonly #prepared: ReturnType<typeof prepare>;
  readonly #groups: GroupStates;
  readonly #nameTraces: ReturnType<typeof traceNamer>;
  readonly senders: Senders;

  constructor(db: DatabaseSync, groups: GroupStates) {
    this.#sql = db.createTagStore();
    this.#prepared = prepare(db);
    this.#groups = groups;
    this.#nameTraces = traceNamer(db);
    this.senders = new Senders(db);
  }

  /** Returns the groups of errors that are new or have come back. */
  insert(envelope: number, receivedAt: number, index: EnvelopeIndex): GroupAlert[] {
    const summary = JSON.stringify(summarizeBody(index));
    const alerts = index.resources.flatMap((entries, n) =>
      this.#insert(envelope, receivedAt, entries, n === 0 ? summary : "")
    );
    this.#prepared.words.envelope_entries.run(rowKeyOf(envelope, 0), envelopeWords(index));
    return alerts.map((alert) => ({ ...alert, ...this.#titleOf(alert.group) }));
  }

  #insert(envelope: number, receivedAt: number, entries: IndexEntries, summary: string) {
    const alerts: Omit<GroupAlert, "type" | "message">[] = [];
    const { sender, application, release } = this.senders.assign(envelope, entries.application);
    const rowKey = rowKeyOf(envelope, entries.first);
    let size = 0;
    /** @param rowOf the columns after the first three; undefined: the entry is not listed */
    const insertAll = <Entry>(
      table: KeyedTable,
      all: readonly Entry[],
      rowOf: (entry: Entry) => object | undefined,
      words?: (entry: Entry) => string,
    ) =>
      all.forEach((entry, index) => {
        const row = rowOf(entry);
        if (row === undefined) return;
        const row_key = rowKey + index;
        size += this.#prepared.insert[table]({ ...row, row_key, application, release });
        if (words) this.#prepared.words[table as SearchedTable].run(row_key, words(entry));
      });
    const traceWords = new Map<string, string>();
    const withTrace = (id: string | null, searched: Searched) => {
      if (id !== null) traceWords.set(id, (traceWords.get(id) ?? "") + searched.words + ENTRY_END);
      return indexed(searched);
    };
    insertAll("spans", entries.spans, (span) => ({
      ...span,
      ...spanColumns(span, receivedAt),
      parent_id: span.parent_span_id,
      is_run: span.is_run ?? false,
      is_query: isQuery(span),
      ai: readAiSpan(span),
      status_code: statusCodeIn(span.attributes),
    }), (span) => withTrace(span.trace_id, searchedSpan(span, null)));
    const again = new Set(this.#sentAgain(entries, application));
    const againByTrace = Map.groupBy(again, ({ trace_id }) => trace_id);
    insertAll("error_entries", entries.errors, (error) => {
      if (again.has(error)) return undefined;
      const { group } = error;
      const { release: version, environment } = entries.application;
      const sent = { envelope, receivedAt, application, release: version };
      const arrival = this.#groups.arrive(error, sent);
      if (arrival === "deleted") return undefined;
      if (arrival !== "known") {
        const row = this.#sql.get`SELECT name FROM applications WHERE id = ${application}`;
        const name = row?.name as string | undefined ?? UNKNOWN_NAME;
        const sender = { release: version, environment, application: name };
        alerts.push({ kind: arrival, group, ...sender });
      }
      const hashes = hashTitle(error).map((hash, part) => [TITLE_COLUMNS[part], hash]);
      return {
        ...error,
        group_key: group,
        former_key: error.former,
        level: severityOf(error.level),
        entry: error,
        ...Object.fromEntries(hashes),
      };
    }, errorWords);
    insertAll("log_entries", entries.logs, ({ sequence = 0, ...log }) => ({
      ...log,
      sequence,
      level: severityOf(log.level),
      entry: log,
    }), (log) => withTrace(log.trace_id, searchedLog(log)));
    insertAll("trace_entries", entries.traces, ({ root, ...trace }) => ({
      ...trace,
      ...root,
      at: root?.started_at ?? trace.seen_at,
      errors: trace.errors - (againByTrace.get(trace.trace_id)?.length ?? 0),
      root_order: root === null ? NO_ROOT_ORDER : rootOrder(root),
    }), ({ trace_id }) => traceWords.get(trace_id) ?? "");
    insertAll("vital_entries", entries.vitals, (entry) => entry);
    insertAll("metric_points", entries.metrics, (metric) => {
      const [points, exemplars] = [metric.points, metric.exemplars].map((all) =>
        JSON.stringify(all)
      );
      return {
        ...metric,
        points,
        exemplars,
        is_cumulative: metric.points.some(isCumulative),
        size: points!.length + exemplars!.length,
        entry: { attributes: metric.attributes, ids: metric.ids },
      };
    }, metricWords);
    insertAll("recording_entries", entries.recordings, (entry) => entry, recordingWords);
    insertAll("feedback_entries", entries.feedback, (entry) => ({
      ...entry,
      group_key: entry.group,
      entry,
    }), feedbackWords);
    insertAll("profile_entries", entries.profiles, (entry) => entry, profileWords);
    insertAll("check_in_entries", entries.checkIns, (entry) => ({
      ...entry,
      environment: entries.application.environment ?? "",
    }), checkInWords);
    insertAll("report_entries", entries.reports, (entry) => entry);
    insertAll("resource_entries", entries.resources, (attributes) => ({
      at: receivedAt,
      entry: { attributes },
    }), resourceWords);
    this.#insertUnmapped(envelope, entries);
    for (const debugId of entries.unmapped) size += debugId.length;
    this.#prepared.insert.envelope_entries({
      row_key: rowKey,
      application,
      release,
      at: receivedAt,
      sender,
      keys: entries.keys,
      process_start: entries.application.processStart,
      size,
      summary,
    });
    this.#sql.run`UPDATE applications SET clock = coalesce(${entries.clock}, clock)
      WHERE id = ${application}`;
    this.#sql.run`UPDATE totals SET size = size + ${size}`;
    this.#nameTraces(rowKey, receivedAt, entries.spans);
    return alerts;
  }

  /**
   * The errors that are stored already: exceptions may be sent as an event of a span and as a log record, and by each
   * layer around the code that threw, whose spans end after it. Its own spans must be stored.
   */
  #sentAgain({ application: { sdk }, errors }: IndexEntries, application: number) {
    if (!isOpenTelemetry(sdk)) return [];
    return errors.filter(({ event_id, trace_id, span_id, group, value, at }) => {
      if (trace_id === null) return false;
      const [first, last] = idsOfSameException(event_id);
      return this.#sql.get`SELECT 1 FROM error_entries
        WHERE entry ->> 'event_id' BETWEEN ${first} AND ${last} LIMIT 1` !== undefined ||
        this.#sql.get`SELECT 1 FROM error_entries AS e
        WHERE row_key IN (SELECT row_key FROM error_entries WHERE group_key = ${group}
          ORDER BY row_key DESC LIMIT ${MAX_BETWEEN_LAYERS})
        AND trace_id = ${trace_id} AND application = ${application} AND abs(at - ${at}) <= ${SECOND_MS}
        AND entry ->> 'value' = ${value} AND ${span_id} IN (WITH RECURSIVE up(id, n) AS (
          SELECT e.entry ->> 'span_id', 0 UNION SELECT parent_id, n + 1 FROM up CROSS JOIN spans
          ON trace_id = ${trace_id} AND span_id = id WHERE n < ${MAX_LAYERS}) SELECT id FROM up WHERE n > 0)
        LIMIT 1` !== undefined;
    });
  }

  #titleOf(group: string): Pick<GroupAlert, "type" | "message"> {
    const { entry, varying } = this.#prepared.title.get(group) as Record<string, string>;
    const { type, value: message } = groupTitle(JSON.parse(entry!), JSON.parse(varying!));
    return { type, message };
  }

  /** Groups the errors of an envelope again and names its functions, because the source map of this script has arrived. */
  regroup(envelope: number, resources: readonly IndexEntries[], debugId: string): void {
    for (const { first, errors, profiles } of resources) {
      profiles.forEach((profile, index) => {
        const [rowKey, { functions }] = [rowKeyOf(envelope, first + index), profile];
        this.#sql.run`UPDATE profile_entries SET functions = ${JSON.stringify(functions)}
          WHERE row_key = ${rowKey}`;
        this.#prepared.words.profile_entries.run(rowKey, profileWords(profile));
      });
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
        this.#prepared.words.error_entries.run(rowKey, errorWords(error));
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
    const key = rowKeyOf(envelope, 0);
    return this.#sql.get`SELECT 1 FROM envelope_entries WHERE row_key = ${key}` !== undefined;
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

/** A function that inserts a row by the names of its columns, objects as JSON. Returns the characters of its texts. */
function inserter(db: DatabaseSync, table: string) {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
    .map(({ name }) => String(name));
  const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join()})`);
  return (row: Readonly<Record<string, unknown>>): number => {
    const values = columns.map((name) => row[name] ?? null).map((value) =>
      typeof value === "boolean"
        ? Number(value)
        : value !== null && typeof value === "object"
        ? JSON.stringify(value)
        : value as SQLInputValue
    );
    insert.run(...values);
    return values.reduce<number>((sum, one) => typeof one === "string" ? sum + one.length : sum, 0);
  };
}

function prepare(db: DatabaseSync) {
  return {
    insert: Object.fromEntries(
      KEYED_TABLES.map((table) => [table, inserter(db, table)]),
    ) as Record<KeyedTable, ReturnType<typeof inserter>>,
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
      ...SEARCHED_TABLES.map(wordTable).map((table) =>
        `DELETE FROM ${table} WHERE rowid IN (SELECT id FROM ${table}_docsize WHERE id >= ? AND id < ?)`
      ),
    ].map((sql) => db.prepare(sql)),
    words: Object.fromEntries(SEARCHED_TABLES.map((table) => [
      table,
      db.prepare(`INSERT OR REPLACE INTO ${wordTable(table)} (rowid, words) VALUES (?, ?)`),
    ])) as Record<SearchedTable, StatementSync>,
  };
}
