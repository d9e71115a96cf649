import type { InboxRow } from "../../protocol/inbox_row.ts";
import {
  CHART_PARTS,
  chartRange,
  type ErrorEntry,
  groupRow,
  type GroupTotals,
  occurrenceRow,
} from "../error/error_entry.ts";
import { type IndexEntries, summarizeEnvelope } from "./index_entries.ts";
import { cursorOf, envelopeAt, placeOf, writeCursor } from "./list_cursor.ts";
import { type LogEntry, logRow } from "../log_entry.ts";
import {
  APPLICATIONS,
  type ErrorGroupRow,
  GROUP_COLUMNS,
  type ListQuery,
  type Lists,
  type LogRow,
  MAX_COUNT,
  MAX_LIST_ROWS,
  MAX_OPS,
  MAX_RELEASES,
  MAX_SOURCES,
  type OccurrenceRow,
  OWN_SOURCE,
  type Page,
  readSort,
  RECORDING_COLUMNS,
  type RecordingRow,
  severityOf,
  type SortColumn,
  type SourceList,
  type SourceRow,
  TRACE_COLUMNS,
  type TraceRow,
} from "../rows.ts";
import type { EnvelopeSource } from "../source.ts";
import { type RecordingEntry, recordingRow } from "../recording/recording_entry.ts";
import { envelopeText, errorText, fold, logText, recordingText, traceText } from "./search_text.ts";
import { pageRows } from "../trace/page_rows.ts";
import type { VitalsEntry } from "../trace/page_vitals.ts";
import { isCloserToRoot, type TraceEntry } from "../trace/trace_entry.ts";

/** The lists over envelopes in memory. */
export interface MemoryIndex {
  /**
   * Adds an envelope; over the limit the oldest is removed.
   *
   * @param id higher than all previous ids
   * @param receivedAt milliseconds since 1970
   */
  add(id: number, receivedAt: number, entries: IndexEntries, row: InboxRow): void;
  /** @throws {CursorError} */
  list<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]>;
  /** @throws {CursorError} */
  envelopes(query: ListQuery): Page<InboxRow>;
  /** The sources, and the counts of a query's source, release and time. */
  sources(query: ListQuery): SourceList;
  clear(): void;
}

export interface MemoryIndexOptions {
  /** Newest envelopes that are kept. A page open for a day sends some hundreds. */
  readonly maxEnvelopes?: number;
}

/** An entry with its place and its search text. */
interface Placed<Entry> {
  readonly place: number;
  readonly text: string;
  /** The time that a list is filtered by, milliseconds since 1970. */
  readonly at: number;
  readonly source: EnvelopeSource;
  readonly entry: Entry;
}

interface IndexedEnvelope {
  readonly id: number;
  readonly receivedAt: number;
  readonly source: EnvelopeSource;
  readonly row: Placed<InboxRow>;
  readonly traces: readonly Placed<TraceEntry>[];
  readonly errors: readonly Placed<ErrorEntry>[];
  readonly logs: readonly Placed<LogEntry>[];
  readonly vitals: readonly VitalsEntry[];
  readonly recordings: readonly Placed<RecordingEntry>[];
}

/**
 * Creates an empty index. Each list scans all entries, which is fast enough for one page. It is also the
 * reference implementation of the lists: `inbox/testdata/index_suite.ts` compares the inbox's SQL with it.
 */
export function createMemoryIndex({ maxEnvelopes = 2_000 }: MemoryIndexOptions = {}): MemoryIndex {
  /** Newest first. */
  let indexed: readonly IndexedEnvelope[] = [];
  let last = 0;

  const traces = (query: ListQuery): Page<TraceRow> =>
    page(
      query,
      indexed,
      last,
      indexed.flatMap((envelope) => envelope.traces),
      ({ entry }) =>
        hasContent(entry) && matches(query, entry.trace_id) &&
        (query.replay === undefined || query.replay === entry.replay_id) &&
        isWantedTrace(query, entry.trace_id, indexed),
      ({ entry }) => entry.trace_id,
      ({ entry }) => traceRow(entry.trace_id, indexed),
      rankBy(query, TRACE_COLUMNS, (column, { entry }, _matching, all) => {
        const row = traceRow(entry.trace_id, all);
        if (column !== "duration") return row[column];
        return row.ended_at === null ? null : Math.max(0, row.ended_at - row.started_at);
      }),
    );

  const errors = (query: ListQuery): Page<ErrorGroupRow> =>
    page(
      query,
      indexed,
      last,
      indexed.flatMap((envelope) => envelope.errors),
      ({ entry }) => isWantedError(query, entry) && (query.state ?? "open") === "open",
      ({ entry }) => entry.group,
      ({ place, entry, source }) =>
        groupRow(place, entry, source.key, totalsOf(entry.group, indexed, query), OPEN),
      rankBy(query, GROUP_COLUMNS, (column, { entry: { group } }, matching, all) =>
        column === "count"
          ? matching.filter(({ entry }) =>
            entry.group === group
          ).length
          : totalsOf(group, all, query)[column]),
    );

  const occurrences = (query: ListQuery): Page<OccurrenceRow> =>
    page(
      query,
      indexed,
      last,
      indexed.flatMap((envelope) => envelope.errors),
      (error) => isWantedError(query, error.entry) && ranDuring(query, error, indexed),
      ({ place }) => place,
      ({ place, entry, source }) =>
        occurrenceRow(place, entry, source.key, arrived(entry.replay_id, indexed)),
    );

  const logs = (query: ListQuery): Page<LogRow> =>
    page(
      query,
      indexed,
      last,
      indexed.flatMap((envelope) => envelope.logs),
      (log) =>
        matches(query, log.entry.trace_id) && isSevere(query, log.entry.level) &&
        ranDuring(query, log, indexed),
      ({ place }) => place,
      ({ place, entry, source }) => logRow(place, entry, source.key),
    );

  const recordings = (query: ListQuery): Page<RecordingRow> =>
    page(
      query,
      indexed,
      last,
      indexed.flatMap((envelope) => envelope.recordings),
      ({ entry }) => query.replay === undefined || query.replay === entry.replay_id,
      ({ entry }) => entry.replay_id,
      ({ entry, source }) =>
        recordingRow(segmentsOf(entry.replay_id, indexed), entry.replay_id, source.key),
      rankBy(query, RECORDING_COLUMNS, (column, { entry, source }, _matching, all) => {
        const row = recordingRow(segmentsOf(entry.replay_id, all), entry.replay_id, source.key);
        return column === "duration" ? row.ended_at - row.started_at : row.started_at;
      }),
    );

  const lists: { [Name in keyof Lists]: (query: ListQuery) => Page<Lists[Name]> } = {
    traces,
    errors,
    occurrences,
    logs,
    recordings,
    pages: (query) => ({
      rows: pageRows(
        indexed.filter(({ source }) =>
          isFrom(query, source, indexed) &&
          (query.release === undefined || query.release === source.release)
        ).flatMap(({ source, vitals }) =>
          vitals.filter((entry) => matches(query, entry.trace_id) && isWithin(query, entry.at))
            .map((entry) => ({ ...entry, source: source.key }))
        ),
        query,
      ),
      next: null,
    }),
  };

  const envelopes = (query: ListQuery): Page<InboxRow> =>
    page(
      query,
      indexed,
      last,
      indexed.map((envelope) => envelope.row),
      ({ entry }) =>
        (query.trace === undefined || entry.trace_ids.includes(query.trace)) &&
        (query.replay === undefined || isSegment(entry.id, query.replay, indexed)) &&
        (query.type === undefined || entry.items.some(({ type }) => type === query.type)),
      ({ place }) => place,
      ({ entry }) => entry,
    );

  return {
    add(id, receivedAt, entries, row) {
      last = id;
      const { source } = entries;
      const envelope: IndexedEnvelope = {
        id,
        receivedAt,
        source,
        row: {
          place: placeOf(id, 0),
          text: envelopeText(row, entries),
          at: receivedAt,
          source,
          entry: {
            ...row,
            summary: summarizeEnvelope({
              error: entries.errors[0],
              root: entries.traces[0]?.root,
              log: entries.logs[0],
              spans: entries.traces.reduce((sum, { spans }) => sum + spans, 0),
              logs: entries.logs.length,
            }),
          },
        },
        traces: placed(
          id,
          source,
          entries.traces,
          traceText,
          (trace) => trace.started_at ?? trace.seen_at,
        ),
        errors: placed(id, source, entries.errors, errorText, ({ at }) => at),
        logs: placed(id, source, entries.logs, logText, ({ at }) => at),
        vitals: entries.vitals,
        recordings: placed(id, source, entries.recordings, recordingText, ({ at }) => at),
      };
      indexed = [envelope, ...indexed].slice(0, maxEnvelopes);
    },
    list: (name, query) => lists[name](query),
    envelopes,
    sources({ source, release, environment, since, until }) {
      const all = { source, release, environment, since, until, limit: MAX_COUNT };
      const ops = traces({ source, limit: MAX_COUNT }).rows.flatMap(({ op }) => op ?? []);
      return {
        rows: sourceRows(indexed),
        counts: {
          traces: traces(all).rows.length,
          errors: errors(all).rows.length,
          logs: logs(all).rows.length,
          recordings: recordings(all).rows.length,
          envelopes: envelopes(all).rows.length,
        },
        ops: [...new Set(ops)].sort().slice(0, MAX_OPS),
      };
    },
    clear: () => void (indexed = []),
  };
}

/** Newest first: an envelope's last entry is its newest. */
function placed<Entry>(
  id: number,
  source: EnvelopeSource,
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
  timeOf: (entry: Entry) => number,
): Placed<Entry>[] {
  return entries.map((entry, index) => ({
    place: placeOf(id, index),
    text: textOf(entry),
    at: timeOf(entry),
    source,
    entry,
  })).reverse();
}

/** No state of a group is kept in memory. */
const OPEN = { state: "open", regression: null } as const;

/** A trace that is only mentioned, by a recording or a session, is not listed. */
function hasContent({ spans, errors, logs }: TraceEntry): boolean {
  return spans + errors + logs > 0;
}

function matches({ trace, group }: ListQuery, ownTrace: string | null, ownGroup?: string): boolean {
  return (trace === undefined || trace === ownTrace) &&
    (group === undefined || ownGroup === undefined || group === ownGroup);
}

function isWantedError(query: ListQuery, entry: ErrorEntry): boolean {
  return matches(query, entry.trace_id, entry.group) && isSevere(query, entry.level) &&
    (query.handled === undefined || query.handled === entry.handled);
}

function isSevere({ level }: ListQuery, of: string): boolean {
  return level === undefined || severityOf(of) >= severityOf(level);
}

function isWantedTrace(
  { status, op, page }: ListQuery,
  id: string,
  indexed: readonly IndexedEnvelope[],
): boolean {
  if (op !== undefined && traceRow(id, indexed).op !== op) return false;
  const isLoad = (entry: VitalsEntry) =>
    entry.is_load && entry.trace_id === id && entry.page === page;
  if (page !== undefined && !indexed.some(({ vitals }) => vitals.some(isLoad))) return false;
  if (status === undefined) return true;
  const entries = indexed.flatMap(({ traces }) => traces.map(({ entry }) => entry))
    .filter((entry) => entry.trace_id === id);
  if (status === "ok") return !entries.some(({ failed }) => failed);
  if (status === "error") return entries.some(({ failed }) => failed);
  return entries.some(({ http_status }) =>
    http_status !== null && `${http_status}`[0] === status[0]
  );
}

/** Whether a recording of the query ran during a log or an error: its envelope names both for its trace. */
function ranDuring(
  { replay }: ListQuery,
  { place, entry }: Placed<{ readonly trace_id: string | null }>,
  indexed: readonly IndexedEnvelope[],
): boolean {
  if (replay === undefined) return true;
  const traces = indexed.find(({ id }) => id === envelopeAt(place))?.traces ?? [];
  return traces.some((trace) =>
    trace.entry.replay_id === replay && trace.entry.trace_id === entry.trace_id
  );
}

/** The segments of a recording, in the order of arrival. */
function segmentsOf(replay: string, indexed: readonly IndexedEnvelope[]): RecordingEntry[] {
  return indexed.flatMap(({ recordings }) => recordings.map(({ entry }) => entry))
    .filter(({ replay_id }) => replay_id === replay).reverse();
}

function isSegment(id: number, replay: string, indexed: readonly IndexedEnvelope[]): boolean {
  const envelope = indexed.find((one) => one.id === id);
  return envelope?.recordings.some(({ entry }) => entry.replay_id === replay) ?? false;
}

/** The id of a recording if segments of it have arrived, else null. */
function arrived(replay: string | null, indexed: readonly IndexedEnvelope[]): string | null {
  return replay !== null && segmentsOf(replay, indexed).length > 0 ? replay : null;
}

/** By the source and environment of a query. */
function isFrom(
  { source, environment }: ListQuery,
  { key, environment: own }: EnvelopeSource,
  indexed: readonly IndexedEnvelope[],
): boolean {
  if (environment !== undefined && environment !== own) return false;
  if (source !== APPLICATIONS) return source === undefined || source === key;
  const isApplication = (one: string) => one !== OWN_SOURCE.key;
  return isApplication(key) === indexed.some((envelope) => isApplication(envelope.source.key));
}

function isWithin({ since = -Infinity, until = Infinity }: ListQuery, time: number): boolean {
  return time >= since && time < until;
}

/** Orders rows by a value, then newest first. */
interface Rank<Entry> {
  /**
   * The value of a row; null: it is left out.
   *
   * @param newest of the entries that match
   * @param all the envelopes that the first page was made of
   */
  valueOf(
    newest: Placed<Entry>,
    matching: readonly Placed<Entry>[],
    all: readonly IndexedEnvelope[],
  ): number | null;
  readonly descending: boolean;
}

/** The order of a query; undefined: newest first, also if it is by another list's column. */
function rankBy<Entry, Column extends SortColumn>(
  { sort }: ListQuery,
  columns: readonly Column[],
  valueOf: (
    column: Column,
    ...of: Parameters<Rank<Entry>["valueOf"]>
  ) => ReturnType<Rank<Entry>["valueOf"]>,
): Rank<Entry> | undefined {
  if (sort === undefined) return undefined;
  const order = readSort(sort);
  const column = columns.find((one) => one === order.column);
  if (column === undefined) return undefined;
  return { valueOf: (...of) => valueOf(column, ...of), descending: order.descending };
}

/**
 * One page of a list: a row for each key, made of the newest matching entry.
 *
 * @param indexed all envelopes
 * @param entries newest first
 * @param rank orders the rows; default: newest first
 */
function page<Entry, Row>(
  query: ListQuery,
  indexed: readonly IndexedEnvelope[],
  last: number,
  entries: readonly Placed<Entry>[],
  isWanted: (entry: Placed<Entry>) => boolean,
  keyOf: (entry: Placed<Entry>) => unknown,
  rowOf: (entry: Placed<Entry>) => Row,
  rank?: Rank<Entry>,
): Page<Row> {
  const { before, asOf } = cursorOf(query.before, last);
  const search = fold(query.q ?? "");
  const matching = entries.filter((entry) =>
    entry.place < asOf && entry.text.includes(search) && isFrom(query, entry.source, indexed) &&
    (query.release === undefined || query.release === entry.source.release) &&
    isWithin(query, entry.at) && isWanted(entry)
  );
  const newest = new Map<unknown, Placed<Entry>>();
  for (const entry of matching) {
    const key = keyOf(entry);
    if (!newest.has(key)) newest.set(key, entry);
  }
  const limit = query.limit ?? MAX_LIST_ROWS;
  if (rank) {
    const offset = query.before === undefined ? 0 : before;
    const all = indexed.filter(({ id }) => placeOf(id, 0) < asOf);
    const sign = rank.descending ? -1 : 1;
    const ranked = [...newest.values()].flatMap((entry) => {
      const value = rank.valueOf(entry, matching, all);
      return value === null ? [] : [{ entry, value }];
    }).sort((a, b) => sign * (a.value - b.value) || b.entry.place - a.entry.place);
    const end = offset + limit;
    return {
      rows: ranked.slice(offset, end).map(({ entry }) => rowOf(entry)),
      next: ranked.length > end ? writeCursor({ before: end, asOf }) : null,
    };
  }
  const found = [...newest.values()].filter(({ place }) => place < before);
  const shown = found.slice(0, limit);
  const end = shown.at(-1);
  const next = found.length > limit && end !== undefined
    ? writeCursor({ before: end.place, asOf })
    : null;
  return { rows: shown.map(rowOf), next };
}

function traceRow(id: string, indexed: readonly IndexedEnvelope[]): TraceRow {
  const touching = indexed.flatMap(({ receivedAt, traces }) =>
    traces.filter(({ entry }) => entry.trace_id === id)
      .map(({ entry, source }) => ({ ...entry, receivedAt, source: source.key }))
  );
  const full = touching.filter(hasContent);
  const sum = (name: "spans" | "errors" | "logs") =>
    full.reduce((sum, entry) => sum + entry[name], 0);
  const known = (times: readonly (number | null)[]) => times.filter((time) => time !== null);
  const starts = known(full.map((entry) => entry.started_at));
  const ends = known(full.map((entry) => entry.ended_at));
  // From the oldest: of two equal candidates the first received wins.
  const root = full.toReversed().map((entry) => entry.root)
    .reduce((best, next) => !next || (best && !isCloserToRoot(next, best)) ? best : next, null);
  return {
    trace_id: id,
    name: root?.name ?? null,
    op: root?.op ?? null,
    started_at: least(starts.length > 0 ? starts : full.map((entry) => entry.seen_at)),
    ended_at: ends.length > 0 ? greatest(ends) : null,
    spans: sum("spans"),
    errors: sum("errors"),
    logs: sum("logs"),
    failed: full.some(({ failed }) => failed),
    http_status: full.reduce<number | null>(
      (most, { http_status }) => Math.max(most ?? 0, http_status ?? 0) || null,
      null,
    ),
    replay_id: touching.findLast((entry) => arrived(entry.replay_id, indexed) !== null)
      ?.replay_id ?? null,
    received_at: full[0]?.receivedAt ?? 0,
    sources: [...new Set(full.toReversed().map(({ source }) => source))],
  };
}

function totalsOf(
  group: string,
  indexed: readonly IndexedEnvelope[],
  query: ListQuery,
): GroupTotals {
  const times = indexed.flatMap(({ errors }) => errors)
    .filter(({ entry, source }) => entry.group === group && isFrom(query, source, indexed))
    .map(({ at }) => at);
  const counted = times.filter((time) => isWithin(query, time));
  const seen = { first_seen: least(times), last_seen: greatest(times) };
  const { chart_from, chart_to } = chartRange(query, seen);
  const parts = counted.map((time) =>
    Math.trunc((time - chart_from) * CHART_PARTS / (chart_to - chart_from))
  );
  const chart = Array.from(
    { length: CHART_PARTS },
    (_, part) => parts.filter((one) => Math.min(CHART_PARTS - 1, one) === part).length,
  );
  return { count: counted.length, ...seen, chart, chart_from, chart_to };
}

/** Last seen first. */
function sourceRows(indexed: readonly IndexedEnvelope[]): SourceRow[] {
  const sent = Map.groupBy(indexed, ({ source }) => source.key);
  return [...sent.values()].slice(0, MAX_SOURCES).map((envelopes) => {
    const [{ source: { release: _, ...source }, receivedAt }] = envelopes as [IndexedEnvelope];
    const releases = envelopes.flatMap(({ source }) => source.release ?? []);
    return {
      ...source,
      releases: [...new Set(releases)].slice(0, MAX_RELEASES),
      envelopes: envelopes.length,
      last_seen: receivedAt,
    };
  });
}

// `Math.min(...times)` overflows the stack with thousands of arguments.
const least = (times: readonly number[]) => times.reduce((a, b) => Math.min(a, b), Infinity);
const greatest = (times: readonly number[]) => times.reduce((a, b) => Math.max(a, b), -Infinity);
