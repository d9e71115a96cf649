import type { InboxRow } from "../../protocol/inbox_row.ts";
import { type ErrorEntry, groupRow, occurrenceRow } from "../../models/error/error_entry.ts";
import { type LogEntry, logRow } from "../../models/log_entry.ts";
import { type RecordingEntry, recordingRow } from "../../models/recording/recording_entry.ts";
import { severityOf } from "../../protocol/log_levels.ts";
import {
  type ErrorGroupRow,
  GROUP_COLUMNS,
  type ListQuery,
  type Lists,
  type LogRow,
  MAX_COUNT,
  MAX_LIST_ROWS,
  MAX_OPS,
  type OccurrenceRow,
  type Page,
  type PageRow,
  readSort,
  RECORDING_COLUMNS,
  type RecordingRow,
  type SortColumn,
  type SourceList,
  TRACE_COLUMNS,
  type TraceRow,
} from "../../models/rows.ts";
import { pageRows } from "../../models/trace/page_rows.ts";
import type { TraceEntry } from "../../models/trace/trace_entry.ts";
import { type IndexEntries, summarizeEnvelope } from "../../models/index/index_entries.ts";
import { cursorOf, placeOf, writeCursor } from "../../models/index/list_cursor.ts";
import {
  entriesOfTrace,
  groupTotals,
  hasContent,
  type IndexedEnvelope,
  isOnlyPreflight,
  isWithin,
  ranDuring,
  replayOfEntry,
  segmentsOf,
  sentFrom,
  sourceRows,
  traceRow,
} from "./memory_rows.ts";
import {
  envelopeText,
  errorText,
  fold,
  logText,
  recordingText,
  traceText,
} from "../../models/index/search_text.ts";

/** An entry with its place and its search text. */
interface Placed<Entry> {
  readonly place: number;
  readonly text: string;
  /** The time that a list is filtered by, milliseconds since 1970. */
  readonly at: number;
  readonly entry: Entry;
  readonly envelope: IndexedEnvelope;
}

/** The entries of an envelope, newest first: its last entry is its newest. */
interface PlacedEntries {
  readonly envelope: readonly Placed<InboxRow>[];
  readonly traces: readonly Placed<TraceEntry>[];
  readonly errors: readonly Placed<ErrorEntry>[];
  readonly logs: readonly Placed<LogEntry>[];
  readonly recordings: readonly Placed<RecordingEntry>[];
}

/** How a list is made of entries: a row for each key, of the newest entry that matches. */
interface ListRule<Entry, Row, Column extends SortColumn = never> {
  /** Whether entries are ordered by their time, and by place if that is equal. */
  readonly byTime?: boolean;
  isWanted(entry: Placed<Entry>): boolean;
  keyOf(entry: Placed<Entry>): unknown;
  rowOf(newest: Placed<Entry>, envelopes: readonly IndexedEnvelope[]): Row;
  /** The columns by which it can be sorted. A row without a value is left out. */
  readonly columns?: readonly Column[];
  sortValue?(column: Column, row: Row, matching: readonly Placed<Entry>[]): number | null;
}

/** No state of a group is kept in memory. */
const OPEN = { state: "open", regression: null } as const;

/** The reference implementation of the lists, in memory: `list_reader_test.ts` compares the inbox's SQL with it. */
export class MemoryIndex {
  readonly #maxEnvelopes: number;
  /** Newest first, as `#placed`. */
  #envelopes: readonly IndexedEnvelope[] = [];
  #placed: readonly PlacedEntries[] = [];
  #last = 0;

  /** @param maxEnvelopes newest that are kept. A page open for a day sends some hundreds. */
  constructor(maxEnvelopes = 2_000) {
    this.#maxEnvelopes = maxEnvelopes;
  }

  /**
   * Adds an envelope; over the limit the oldest is removed.
   *
   * @param id higher than all previous ids
   * @param receivedAt milliseconds since 1970
   */
  add(id: number, receivedAt: number, entries: IndexEntries, row: InboxRow): void {
    this.#last = id;
    const { traces, errors, logs, recordings } = entries;
    const summary = summarizeEnvelope(entries);
    const envelope = { id, receivedAt, row: { ...row, summary }, entries };
    const placed = <Entry>(
      all: readonly Entry[],
      textOf: (entry: Entry) => string,
      timeOf: (entry: Entry) => number,
    ): Placed<Entry>[] =>
      all.map((entry, index) => ({
        place: placeOf(id, index),
        text: textOf(entry),
        at: timeOf(entry),
        entry,
        envelope,
      })).reverse();
    this.#envelopes = [envelope, ...this.#envelopes].slice(0, this.#maxEnvelopes);
    this.#placed = [{
      envelope: placed([envelope.row], () => envelopeText(row, entries), () => receivedAt),
      traces: placed(traces, traceText, ({ root, seen_at }) => root?.started_at ?? seen_at),
      errors: placed(errors, errorText, ({ at }) => at),
      logs: placed(logs, logText, ({ at }) => at),
      recordings: placed(recordings, recordingText, ({ at }) => at),
    }, ...this.#placed].slice(0, this.#maxEnvelopes);
  }

  clear(): void {
    this.#envelopes = [];
    this.#placed = [];
  }

  /** @throws {CursorError} */
  list<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]> {
    const lists: { [Name in keyof Lists]: () => Page<Lists[Name]> } = {
      traces: () => this.#page(query, "traces", this.#traces(query)),
      errors: () => this.#page(query, "errors", this.#errors(query)),
      occurrences: () => this.#page(query, "errors", this.#occurrences(query)),
      logs: () => this.#page(query, "logs", this.#logs(query)),
      recordings: () => this.#page(query, "recordings", this.#recordings(query)),
      pages: () => ({ rows: this.#pages(query), next: null }),
    };
    return lists[name]();
  }

  /** @throws {CursorError} */
  envelopes(query: ListQuery): Page<InboxRow> {
    return this.#page(query, "envelope", {
      isWanted: ({ entry, envelope: { entries } }) =>
        (query.trace === undefined || entry.trace_ids.includes(query.trace)) &&
        (query.replay === undefined ||
          entries.recordings.some(({ replay_id }) => replay_id === query.replay)) &&
        (query.type === undefined || entry.items.some(({ type }) => type === query.type)),
      keyOf: ({ place }) => place,
      rowOf: ({ entry }) => entry,
    });
  }

  /** The sources, and the counts of a query's source, release, environment and time. */
  sources({ source, release, environment, since, until }: ListQuery): SourceList {
    const all = { source, release, environment, since, until, limit: MAX_COUNT };
    const count = (name: keyof Lists) => this.list(name, all).rows.length;
    const isFrom = sentFrom({ source }, this.#envelopes);
    const ops = this.#envelopes.filter(({ entries }) => isFrom(entries.source))
      .flatMap(({ entries }) => entries.traces).flatMap(({ spanNames }) => spanNames)
      .flatMap(({ op }) => op ?? []);
    return {
      rows: sourceRows(this.#envelopes),
      counts: {
        traces: count("traces"),
        errors: count("errors"),
        logs: count("logs"),
        recordings: count("recordings"),
        envelopes: this.envelopes(all).rows.length,
      },
      ops: [...new Set(ops)].sort().slice(0, MAX_OPS),
    };
  }

  #traces(
    query: ListQuery,
  ): ListRule<TraceEntry, TraceRow, (typeof TRACE_COLUMNS)[number]> {
    return {
      isWanted: ({ entry }) =>
        hasContent(entry) && matches(query.trace, entry.trace_id) &&
        this.#isWantedTrace(query, entry.trace_id),
      keyOf: ({ entry }) => entry.trace_id,
      rowOf: ({ entry }, envelopes) => traceRow(entry.trace_id, envelopes),
      columns: TRACE_COLUMNS,
      sortValue(column, row) {
        if (column !== "duration") return row[column];
        return row.ended_at === null ? null : Math.max(0, row.ended_at - row.started_at);
      },
    };
  }

  #isWantedTrace(query: ListQuery, id: string): boolean {
    const { status, op, name, page, replay } = query;
    const entries = entriesOfTrace(id, this.#envelopes);
    const hasSpan = (op === undefined && name === undefined) ||
      entries.some(({ spanNames }) =>
        spanNames.some((span) => matches(op, span.op) && matches(name, span.name))
      );
    const isHidden = query.preflights !== true && query.trace === undefined &&
      isOnlyPreflight(entries);
    const isRecorded = replay === undefined ||
      entries.some(({ replay_id }) => replay_id === replay);
    if (!hasSpan || isHidden || !isRecorded) return false;
    const vitals = page === undefined ? [] : this.#envelopes.flatMap((one) => one.entries.vitals);
    const isLoaded = vitals.some((entry) =>
      entry.is_load && entry.trace_id === id && entry.page === page
    );
    if (page !== undefined && !isLoaded) return false;
    if (status === undefined) return true;
    const failed = entries.some((entry) => entry.failed);
    if (status === "ok" || status === "error") return failed === (status === "error");
    return entries.some(({ http_status }) => `${http_status}`[0] === status[0]);
  }

  #errors(
    query: ListQuery,
  ): ListRule<ErrorEntry, ErrorGroupRow, (typeof GROUP_COLUMNS)[number]> {
    return {
      isWanted: ({ entry }) =>
        this.#isWantedError({ ...query, replay: undefined }, entry) &&
        (query.state ?? "open") === "open",
      keyOf: ({ entry }) => entry.group,
      rowOf: ({ place, entry, envelope: { entries: { source } } }, envelopes) =>
        groupRow(place, entry, source.key, groupTotals(entry.group, envelopes, query), OPEN),
      columns: GROUP_COLUMNS,
      sortValue: (column, row, matching) =>
        column === "count"
          ? matching.filter(({ entry }) => entry.group === row.group).length
          : row[column],
    };
  }

  #occurrences(query: ListQuery): ListRule<ErrorEntry, OccurrenceRow> {
    return {
      isWanted: ({ entry }) => this.#isWantedError(query, entry),
      keyOf: ({ place }) => place,
      rowOf: ({ place, entry, envelope: { entries: { source } } }, envelopes) =>
        occurrenceRow(place, entry, source.key, replayOfEntry(entry, envelopes)),
    };
  }

  #logs(query: ListQuery): ListRule<LogEntry, LogRow> {
    return {
      byTime: true,
      isWanted: ({ entry }) =>
        matches(query.trace, entry.trace_id) && isSevere(query, entry.level) &&
        this.#ranDuring(query, entry),
      keyOf: ({ place }) => place,
      rowOf: ({ place, entry, envelope: { entries: { source } } }, envelopes) =>
        logRow(place, entry, source.key, replayOfEntry(entry, envelopes)),
    };
  }

  #isWantedError(query: ListQuery, entry: ErrorEntry): boolean {
    return matches(query.trace, entry.trace_id) && isSevere(query, entry.level) &&
      matches(query.group, entry.group) && matches(query.handled, entry.handled) &&
      this.#ranDuring(query, entry);
  }

  #ranDuring({ replay }: ListQuery, entry: ErrorEntry | LogEntry): boolean {
    return replay === undefined || ranDuring(replay, entry, this.#envelopes);
  }

  #recordings(
    query: ListQuery,
  ): ListRule<RecordingEntry, RecordingRow, (typeof RECORDING_COLUMNS)[number]> {
    return {
      isWanted: ({ entry }) => matches(query.replay, entry.replay_id),
      keyOf: ({ entry }) => entry.replay_id,
      rowOf: ({ entry: { replay_id }, envelope: { entries: { source } } }, envelopes) =>
        recordingRow(
          segmentsOf(replay_id, envelopes),
          replay_id,
          source.key,
          envelopes.flatMap(({ entries }) => entries.errors)
            .filter((error) => ranDuring(replay_id, error, envelopes)).length,
        ),
      columns: RECORDING_COLUMNS,
      sortValue: (column, row) =>
        column === "duration" ? row.ended_at - row.started_at : row.started_at,
    };
  }

  #pages(query: ListQuery): PageRow[] {
    const isFrom = sentFrom(query, this.#envelopes);
    const wanted = this.#envelopes.flatMap(({ entries: { source, vitals } }) =>
      isFrom(source) && matches(query.release, source.release)
        ? vitals.map((entry) => ({ ...entry, source: source.key }))
        : []
    );
    return pageRows(
      wanted.filter((entry) => matches(query.trace, entry.trace_id) && isWithin(query, entry.at)),
      query,
    );
  }

  #page<List extends keyof PlacedEntries, Row, Column extends SortColumn>(
    query: ListQuery,
    list: List,
    rule: ListRule<PlacedEntries[List][number]["entry"], Row, Column>,
  ): Page<Row> {
    type Entry = Placed<PlacedEntries[List][number]["entry"]>;
    const { before, asOf, at } = cursorOf(query.before, this.#last);
    const search = fold(query.q ?? "");
    const isFrom = sentFrom(query, this.#envelopes);
    const matching = this.#placed.flatMap((placed): readonly Entry[] => placed[list])
      .filter((entry) => {
        const { source } = entry.envelope.entries;
        return entry.place < asOf && entry.text.includes(search) && isFrom(source) &&
          matches(query.release, source.release) && isWithin(query, entry.at) &&
          rule.isWanted(entry);
      });
    const byKey = new Map<unknown, Entry>();
    for (const entry of matching) {
      const key = rule.keyOf(entry);
      if (!byKey.has(key)) byKey.set(key, entry);
    }
    const newest = [...byKey.values()];
    const limit = query.limit ?? MAX_LIST_ROWS;
    const rowOf = (entry: Entry) => rule.rowOf(entry, this.#envelopes);
    const order = query.sort === undefined ? undefined : readSort(query.sort);
    const column = rule.columns?.find((one) => one === order?.column);
    // Another list's column is ignored.
    if (column === undefined) {
      const isLater = (a: Pick<Entry, "at" | "place">, b: Pick<Entry, "at" | "place">) =>
        rule.byTime && a.at !== b.at ? a.at > b.at : a.place > b.place;
      const end = { at: at ?? Infinity, place: before };
      const found = newest.filter((entry) => isLater(end, entry))
        .sort((a, b) => isLater(a, b) ? -1 : 1);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const next = found.length > limit && last !== undefined
        ? writeCursor({ before: last.place, asOf, at: rule.byTime ? last.at : undefined })
        : null;
      return { rows: shown.map(rowOf), next };
    }
    // Sorted by what the rows were when the first page was read, so that each is shown once.
    const first = this.#envelopes.filter(({ id }) => placeOf(id, 0) < asOf);
    const sign = order?.descending ? -1 : 1;
    const ranked = newest.flatMap((entry) => {
      const value = rule.sortValue?.(column, rule.rowOf(entry, first), matching) ?? null;
      return value === null ? [] : [{ entry, value }];
    }).sort((a, b) => sign * (a.value - b.value) || b.entry.place - a.entry.place);
    const offset = query.before === undefined ? 0 : before;
    const end = offset + limit;
    return {
      rows: ranked.slice(offset, end).map(({ entry }) => rowOf(entry)),
      next: ranked.length > end ? writeCursor({ before: end, asOf }) : null,
    };
  }
}

/** @param wanted by the query; undefined: every value */
function matches<T>(wanted: T | undefined, value: T | null): boolean {
  return wanted === undefined || wanted === value;
}

function isSevere({ level }: ListQuery, of: string): boolean {
  return level === undefined || severityOf(of) >= severityOf(level);
}
