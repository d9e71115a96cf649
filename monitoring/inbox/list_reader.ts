import type { DatabaseSync } from "node:sqlite";
import {
  envelopesSql,
  errorGroupsSql,
  HAS_CONTENT,
  inTime,
  logsSql,
  occurrencesSql,
  ofSource,
  recordingsSql,
  replayOfTrace,
  ROOT_FIRST,
  sentBy,
  tracesSql,
  vitalsSql,
} from "./list_sql.ts";
import { type Found, ListScan, type SqlList, valuesOf, where } from "./list_scan.ts";
import {
  CHART_PARTS,
  chartRange,
  type ErrorEntry,
  groupRow,
  type GroupTotals,
  occurrenceRow,
} from "../models/error/error_entry.ts";
import type { GroupStates } from "./group_states.ts";
import { logRow } from "../models/log_entry.ts";
import { pageRows } from "../models/trace/page_rows.ts";
import type { VitalsEntry } from "../models/trace/page_vitals.ts";
import { type RecordingEntry, recordingRow } from "../models/recording/recording_entry.ts";
import { summarizeEnvelope } from "../models/index/index_entries.ts";
import { cursorOf, envelopeAt, indexAt, placeOf } from "../models/index/list_cursor.ts";
import type { EnvelopeSummary } from "../protocol/inbox_row.ts";
import {
  type ErrorGroupRow,
  type ListCounts,
  type ListQuery,
  type Lists,
  MAX_OPS,
  MAX_RELEASES,
  MAX_SOURCES,
  type Page,
  type PageRow,
  type SourceRow,
  type TraceRow,
} from "../models/rows.ts";

/** Newest web vitals that a table of pages is made of: read and sorted in some 50 ms. */
const MAX_VITALS_SCANNED = 20_000;

/** Newest names of spans whose operations can be chosen: found in some milliseconds. */
const MAX_OPS_SCANNED = 20_000;

/** Reads lists from the tables that {@linkcode IndexWriter} writes. */
export class ListReader {
  readonly #scan: ListScan;
  readonly #groups: GroupStates;

  /** @param maxScanned see {@linkcode ListScan} */
  constructor(db: DatabaseSync, groups: GroupStates, maxScanned?: number) {
    this.#scan = new ListScan(db, maxScanned);
    this.#groups = groups;
  }

  /**
   * One page of a list.
   *
   * @param last id of the newest envelope
   * @throws {CursorError}
   */
  list<Name extends keyof Lists>(name: Name, query: ListQuery, last: number): Page<Lists[Name]> {
    return this.#lists[name](query, last);
  }

  /** {@linkcode list} for the ids of envelopes. */
  envelopes(query: ListQuery, last: number): Page<number> {
    return this.#scan.page(query, last, envelopesSql(query), ({ key }) => ({ row: key }));
  }

  /** What an envelope has, from its entries. */
  summary(envelope: number): EnvelopeSummary {
    const places = [placeOf(envelope, 0), placeOf(envelope + 1, 0)];
    const first = (columns: string, table: string) =>
      this.#scan.get(
        `SELECT ${columns} FROM ${table} WHERE place >= ? AND place < ? ORDER BY place LIMIT 1`,
        places,
      );
    const error = first("entry", "error_entries") as { entry: string } | undefined;
    const root = first("name, op", "trace_entries") as
      | { name: string | null; op: string | null }
      | undefined;
    const log = first("entry", "log_entries") as { entry: string } | undefined;
    const { spans } = first("coalesce(sum(spans), 0) AS spans", "trace_entries") as {
      spans: number;
    };
    // Logs of an envelope are numbered from 0. Counting would read all of them.
    const { last } = first("max(place) AS last", "log_entries") as { last: number | null };
    return summarizeEnvelope({
      error: error && JSON.parse(error.entry),
      root: root && root.name !== null ? { name: root.name, op: root.op } : undefined,
      log: log && JSON.parse(log.entry),
      spans,
      logs: last === null ? 0 : indexAt(last) + 1,
    });
  }

  readonly #lists: {
    [Name in keyof Lists]: (query: ListQuery, last: number) => Page<Lists[Name]>;
  } = {
    traces: (query, last) =>
      this.#scan.page(query, last, tracesSql(query), ({ trace_id }) => this.#traceRow(trace_id)),
    errors: (query, last) =>
      this.#scan.page(query, last, errorGroupsSql(query), (found) => {
        const row = this.#groupRow(found, query);
        return { row, summed: row.count };
      }),
    occurrences: (query, last) =>
      this.#scan.page(
        query,
        last,
        occurrencesSql(query),
        ({ key, entry, source, replay_id }) => ({
          row: occurrenceRow(key, JSON.parse(entry), source, replay_id),
        }),
      ),
    logs: (query, last) =>
      this.#scan.page(
        query,
        last,
        logsSql(query),
        ({ key, entry, source, replay_id }) => ({
          row: logRow(key, JSON.parse(entry), source, replay_id),
        }),
      ),
    pages: (query, last) => this.#pages(query, last),
    recordings: (query, last) =>
      this.#scan.page(query, last, recordingsSql(query), (found) => this.#recordingRow(found)),
  };

  /** The pages whose names contain the query's text, all on one page. */
  #pages(query: ListQuery, last: number): Page<PageRow> {
    const list = vitalsSql(query);
    const { matching } = this.#scan.matching(list, cursorOf(undefined, last));
    const entries = this.#scan.all(
      `SELECT ${list.columns} FROM ${list.from} WHERE ${where(matching)}` +
        ` ORDER BY ${list.key} DESC LIMIT ?`,
      [...valuesOf(matching), MAX_VITALS_SCANNED],
    ) as (VitalsEntry & { source: string })[];
    return { rows: pageRows(entries, query), next: null };
  }

  /** Counts the rows of all lists, see {@linkcode ListScan.count}. */
  counts(query: ListQuery, last: number): ListCounts {
    const count = (list: SqlList) => this.#scan.count(list, last);
    return {
      traces: count(tracesSql(query)),
      errors: count(errorGroupsSql({ ...query, state: "open" })),
      logs: count(logsSql(query)),
      recordings: count(recordingsSql(query)),
      envelopes: count(envelopesSql(query)),
    };
  }

  /** {@linkcode SourceList.ops}. */
  ops(query: ListQuery): string[] {
    const range = [{ sql: "e.op IS NOT NULL", values: [] }, ...ofSource(query)];
    const found = this.#scan.all(
      `SELECT DISTINCT op FROM (SELECT e.op FROM span_names AS e WHERE ${where(range)}` +
        " ORDER BY e.place DESC LIMIT ?) ORDER BY op LIMIT ?",
      [...valuesOf(range), MAX_OPS_SCANNED, MAX_OPS],
    ) as { op: string }[];
    return found.map(({ op }) => op);
  }

  /** The sources that were seen last. */
  sources(): SourceRow[] {
    const found = this.#scan.all(
      "SELECT sources.id, key, name, environment, side, last_seen, envelopes FROM sources JOIN" +
        " (SELECT source, max(received_at) AS last_seen, count(*) AS envelopes FROM envelope_texts" +
        " GROUP BY source) AS sent ON sent.source = sources.id" +
        " ORDER BY last_seen DESC, newest DESC LIMIT ?",
      [MAX_SOURCES],
    ) as (Omit<SourceRow, "releases"> & { id: number })[];
    return found.map(({ id, ...source }) => ({
      ...source,
      releases: (this.#scan.all(
        "SELECT release FROM releases WHERE source = ? ORDER BY newest DESC LIMIT ?",
        [id, MAX_RELEASES],
      ) as { release: string }[]).map(({ release }) => release),
    }));
  }

  #traceRow(id: string): { row: TraceRow; summed: number } {
    const sums = this.#scan.get(
      `SELECT sum(spans) AS spans, sum(errors) AS errors, sum(logs) AS logs,` +
        " max(failed) AS failed, max(http_status) AS http_status," +
        ` max(place) AS newest, count(*) AS entries, ${replayOfTrace("?")} AS replay_id` +
        ` FROM trace_entries AS e WHERE trace_id = ? AND ${HAS_CONTENT}`,
      [id, id],
    ) as Pick<TraceRow, "spans" | "errors" | "logs" | "http_status" | "replay_id"> & {
      failed: number;
      newest: number;
      entries: number;
    };
    const root = this.#scan.get(
      "SELECT name, op, coalesce(started_at, seen_at) AS started_at, ended_at" +
        ` FROM trace_entries AS e WHERE trace_id = ? AND ${HAS_CONTENT} ${ROOT_FIRST}`,
      [id],
    ) as Pick<TraceRow, "name" | "op" | "started_at" | "ended_at">;
    const { received_at } = this.#scan.get("SELECT received_at FROM envelopes WHERE id = ?", [
      envelopeAt(sums.newest),
    ]) as { received_at: number };
    const sources = this.#scan.all(
      "SELECT (SELECT key FROM sources WHERE id = source) AS key FROM trace_entries AS e" +
        ` WHERE trace_id = ? AND ${HAS_CONTENT} GROUP BY source ORDER BY min(place)`,
      [id],
    ) as { key: string }[];
    const { spans, errors, logs, failed, http_status, replay_id } = sums;
    const row = {
      trace_id: id,
      ...root,
      spans,
      errors,
      logs,
      failed: failed === 1,
      http_status,
      replay_id,
      received_at,
      sources: sources.map(({ key }) => key),
    };
    return { row, summed: sums.entries };
  }

  #recordingRow({ replay_id, source }: Found) {
    const id = replay_id!;
    const entries = this.#scan.all(
      "SELECT kind, segment, started_at, at, playable, bytes, page FROM recording_entries" +
        " WHERE replay_id = ? ORDER BY place",
      [id],
    ) as unknown as (Omit<RecordingEntry, "playable"> & { playable: number })[];
    const segments = entries.map((entry) => ({ ...entry, playable: entry.playable === 1 }));
    const { indexed } = occurrencesSql({ replay: id });
    const { errors } = this.#scan.get(
      `SELECT count(*) AS errors FROM error_entries AS e WHERE ${where(indexed)}`,
      valuesOf(indexed),
    ) as { errors: number };
    return { row: recordingRow(segments, id, source, errors), summed: entries.length };
  }

  #groupRow({ key, entry, source }: Found, query: ListQuery): ErrorGroupRow {
    const newest: ErrorEntry = JSON.parse(entry);
    const conditions = [
      { sql: "e.group_key = ?", values: [newest.group] },
      ...sentBy(query),
    ];
    const counted = inTime(query);
    const totals = this.#scan.get(
      `SELECT ${
        counted.length === 0 ? "count(*)" : `coalesce(sum(${where(counted)}), 0)`
      } AS count,` +
        ` min(at) AS first_seen, max(at) AS last_seen FROM error_entries AS e WHERE ${
          where(conditions)
        }`,
      [...valuesOf(counted), ...valuesOf(conditions)],
    ) as Omit<GroupTotals, "chart">;
    const { chart_from, chart_to } = chartRange(query, totals);
    const chart = Array<number>(CHART_PARTS).fill(0);
    const charted = [...conditions, ...counted];
    const parts = this.#scan.all(
      `SELECT min(${CHART_PARTS - 1}, CAST((e.at - ?) * ${CHART_PARTS} / ? AS INTEGER)) AS part,` +
        ` count(*) AS errors FROM error_entries AS e WHERE ${where(charted)} GROUP BY part`,
      [chart_from, chart_to - chart_from, ...valuesOf(charted)],
    ) as { part: number; errors: number }[];
    for (const { part, errors } of parts) chart[part] = errors;
    return groupRow(
      key,
      newest,
      source,
      { ...totals, chart, chart_from, chart_to },
      this.#groups.of(newest.group),
    );
  }
}
