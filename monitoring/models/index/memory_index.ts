import type { InboxRow } from "../../protocol/inbox_row.ts";
import {
  type ErrorEntry,
  groupRow,
  type GroupTotals,
  occurrenceRow,
} from "../error/error_entry.ts";
import type { IndexEntries } from "./index_entries.ts";
import { cursorOf, placeOf, writeCursor } from "./list_cursor.ts";
import { type LogEntry, logRow } from "../log_entry.ts";
import {
  type ErrorGroupRow,
  type ListQuery,
  type Lists,
  LOG_LEVELS,
  type LogRow,
  MAX_LIST_ROWS,
  type OccurrenceRow,
  type Page,
  type TraceRow,
} from "../rows.ts";
import { envelopeText, errorText, fold, logText, traceText } from "./search_text.ts";
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
  readonly entry: Entry;
}

interface IndexedEnvelope {
  readonly id: number;
  readonly receivedAt: number;
  readonly row: Placed<InboxRow>;
  readonly traces: readonly Placed<TraceEntry>[];
  readonly errors: readonly Placed<ErrorEntry>[];
  readonly logs: readonly Placed<LogEntry>[];
}

/**
 * Creates an empty index. Each list scans all entries, which is fast enough for one page. It is also the
 * reference implementation of the lists: `testdata/index_suite.ts` compares the inbox's SQL with it.
 */
export function createMemoryIndex({ maxEnvelopes = 2_000 }: MemoryIndexOptions = {}): MemoryIndex {
  /** Newest first. */
  let indexed: readonly IndexedEnvelope[] = [];
  let last = 0;

  const traces = (query: ListQuery): Page<TraceRow> =>
    page(
      query,
      last,
      indexed.flatMap((envelope) => envelope.traces).filter(({ entry }) => hasContent(entry)),
      ({ entry }) => matches(query, entry.trace_id),
      ({ entry }) => entry.trace_id,
      ({ entry }) => traceRow(entry.trace_id, indexed),
    );

  const errors = (query: ListQuery): Page<ErrorGroupRow> =>
    page(
      query,
      last,
      indexed.flatMap((envelope) => envelope.errors),
      ({ entry }) => matches(query, entry.trace_id, entry.group),
      ({ entry }) => entry.group,
      ({ place, entry }) => groupRow(place, entry, totalsOf(entry.group, indexed)),
    );

  const occurrences = (query: ListQuery): Page<OccurrenceRow> =>
    page(
      query,
      last,
      indexed.flatMap((envelope) => envelope.errors),
      ({ entry }) => matches(query, entry.trace_id, entry.group),
      ({ place }) => place,
      ({ place, entry }) => occurrenceRow(place, entry),
    );

  const logs = (query: ListQuery): Page<LogRow> =>
    page(
      query,
      last,
      indexed.flatMap((envelope) => envelope.logs),
      ({ entry }) =>
        matches(query, entry.trace_id) &&
        LOG_LEVELS.indexOf(entry.level) >= LOG_LEVELS.indexOf(query.level ?? "trace"),
      ({ place }) => place,
      ({ place, entry }) => logRow(place, entry),
    );

  const lists: { [Name in keyof Lists]: (query: ListQuery) => Page<Lists[Name]> } = {
    traces,
    errors,
    occurrences,
    logs,
  };

  return {
    add(id, receivedAt, entries, row) {
      last = id;
      const envelope: IndexedEnvelope = {
        id,
        receivedAt,
        row: { place: placeOf(id, 0), text: envelopeText(row, entries), entry: row },
        traces: placed(id, entries.traces, traceText),
        errors: placed(id, entries.errors, errorText),
        logs: placed(id, entries.logs, logText),
      };
      indexed = [envelope, ...indexed].slice(0, maxEnvelopes);
    },
    list: (name, query) => lists[name](query),
    envelopes: (query) =>
      page(
        query,
        last,
        indexed.map((envelope) => envelope.row),
        ({ entry }) =>
          (query.trace === undefined || entry.trace_ids.includes(query.trace)) &&
          (query.type === undefined || entry.items.some(({ type }) => type === query.type)),
        ({ place }) => place,
        ({ entry }) => entry,
      ),
    clear: () => void (indexed = []),
  };
}

/** Newest first: an envelope's last entry is its newest. */
function placed<Entry>(
  id: number,
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
): Placed<Entry>[] {
  return entries.map((entry, index) => ({ place: placeOf(id, index), text: textOf(entry), entry }))
    .reverse();
}

/** A trace that is only mentioned, by a recording or a session, is not listed. */
function hasContent({ spans, errors, logs }: TraceEntry): boolean {
  return spans + errors + logs > 0;
}

function matches({ trace, group }: ListQuery, ownTrace: string | null, ownGroup?: string): boolean {
  return (trace === undefined || trace === ownTrace) &&
    (group === undefined || ownGroup === undefined || group === ownGroup);
}

/**
 * One page of a list: a row for each key, made of the newest matching entry.
 *
 * @param entries newest first
 */
function page<Entry, Row>(
  query: ListQuery,
  last: number,
  entries: readonly Placed<Entry>[],
  isWanted: (entry: Placed<Entry>) => boolean,
  keyOf: (entry: Placed<Entry>) => unknown,
  rowOf: (entry: Placed<Entry>) => Row,
): Page<Row> {
  const { before, asOf } = cursorOf(query.before, last);
  const search = fold(query.q ?? "");
  const newest = new Map<unknown, Placed<Entry>>();
  for (const entry of entries) {
    if (entry.place >= asOf || !entry.text.includes(search) || !isWanted(entry)) continue;
    const key = keyOf(entry);
    if (!newest.has(key)) newest.set(key, entry);
  }
  const limit = query.limit ?? MAX_LIST_ROWS;
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
      .map(({ entry }) => ({ ...entry, receivedAt }))
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
    replay_id: touching.findLast((entry) => entry.replay_id !== null)?.replay_id ?? null,
    received_at: full[0]?.receivedAt ?? 0,
  };
}

function totalsOf(group: string, indexed: readonly IndexedEnvelope[]): GroupTotals {
  const times = indexed.flatMap(({ errors }) => errors)
    .filter(({ entry }) => entry.group === group).map(({ entry }) => entry.at);
  return { count: times.length, first_seen: least(times), last_seen: greatest(times) };
}

// `Math.min(...times)` overflows the stack with thousands of arguments.
const least = (times: readonly number[]) => times.reduce((a, b) => Math.min(a, b), Infinity);
const greatest = (times: readonly number[]) => times.reduce((a, b) => Math.max(a, b), -Infinity);
