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
  APPLICATIONS,
  type ErrorGroupRow,
  type ListQuery,
  type Lists,
  type LogRow,
  MAX_COUNT,
  MAX_LIST_ROWS,
  MAX_RELEASES,
  MAX_SOURCES,
  type OccurrenceRow,
  OWN_SOURCE,
  type Page,
  severityOf,
  type SourceList,
  type SourceRow,
  type TraceRow,
} from "../rows.ts";
import type { EnvelopeSource } from "../source.ts";
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
      indexed,
      last,
      indexed.flatMap((envelope) => envelope.traces),
      ({ entry }) => hasContent(entry) && matches(query, entry.trace_id),
      ({ entry }) => entry.trace_id,
      ({ entry }) => traceRow(entry.trace_id, indexed),
      query.sort === "slowest" ? rankByDuration : undefined,
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
      query.sort === "frequent" ? rankByCount : undefined,
    );

  const occurrences = (query: ListQuery): Page<OccurrenceRow> =>
    page(
      query,
      indexed,
      last,
      indexed.flatMap((envelope) => envelope.errors),
      ({ entry }) => isWantedError(query, entry),
      ({ place }) => place,
      ({ place, entry }) => occurrenceRow(place, entry),
    );

  const logs = (query: ListQuery): Page<LogRow> =>
    page(
      query,
      indexed,
      last,
      indexed.flatMap((envelope) => envelope.logs),
      ({ entry }) => matches(query, entry.trace_id) && isSevere(query, entry.level),
      ({ place }) => place,
      ({ place, entry, source }) => logRow(place, entry, source.key),
    );

  const lists: { [Name in keyof Lists]: (query: ListQuery) => Page<Lists[Name]> } = {
    traces,
    errors,
    occurrences,
    logs,
  };

  const envelopes = (query: ListQuery): Page<InboxRow> =>
    page(
      query,
      indexed,
      last,
      indexed.map((envelope) => envelope.row),
      ({ entry }) =>
        (query.trace === undefined || entry.trace_ids.includes(query.trace)) &&
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
          entry: row,
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
      };
      indexed = [envelope, ...indexed].slice(0, maxEnvelopes);
    },
    list: (name, query) => lists[name](query),
    envelopes,
    sources({ source, release, since, until }) {
      const all = { source, release, since, until, limit: MAX_COUNT };
      return {
        rows: sourceRows(indexed),
        counts: {
          traces: traces(all).rows.length,
          errors: errors(all).rows.length,
          logs: logs(all).rows.length,
          envelopes: envelopes(all).rows.length,
        },
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

/** By the source of a query. */
function isFrom(
  { source }: ListQuery,
  { key }: EnvelopeSource,
  indexed: readonly IndexedEnvelope[],
): boolean {
  if (source !== APPLICATIONS) return source === undefined || source === key;
  const isApplication = (one: string) => one !== OWN_SOURCE.key;
  return isApplication(key) === indexed.some((envelope) => isApplication(envelope.source.key));
}

function isWithin({ since = -Infinity, until = Infinity }: ListQuery, time: number): boolean {
  return time >= since && time < until;
}

/** By which a row is ordered, descending: a value, then the place of the newest entry that it is made of. */
interface Rank {
  readonly value: number;
  readonly place: number;
}

/** Null: the row is left out. All entries are before the cursor's `asOf`. */
type RankOf<Entry> = (
  newest: Placed<Entry>,
  matching: readonly Placed<Entry>[],
  all: readonly Placed<Entry>[],
) => Rank | null;

const rankByCount: RankOf<ErrorEntry> = ({ place, entry }, matching) => ({
  value: matching.filter((one) => one.entry.group === entry.group).length,
  place,
});

const rankByDuration: RankOf<TraceEntry> = ({ entry: { trace_id } }, _matching, all) => {
  const entries = all.filter(({ entry }) => entry.trace_id === trace_id);
  const starts = entries.flatMap(({ entry }) => entry.started_at ?? []);
  const ends = entries.flatMap(({ entry }) => entry.ended_at ?? []);
  if (starts.length === 0 || ends.length === 0) return null;
  return {
    value: Math.max(0, greatest(ends) - least(starts)),
    place: greatest(entries.map(({ place }) => place)),
  };
};

/**
 * One page of a list: a row for each key, made of the newest matching entry.
 *
 * @param indexed all envelopes
 * @param entries newest first
 * @param rankOf orders the rows; default: newest first
 */
function page<Entry, Row>(
  query: ListQuery,
  indexed: readonly IndexedEnvelope[],
  last: number,
  entries: readonly Placed<Entry>[],
  isWanted: (entry: Placed<Entry>) => boolean,
  keyOf: (entry: Placed<Entry>) => unknown,
  rowOf: (entry: Placed<Entry>) => Row,
  rankOf?: RankOf<Entry>,
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
  if (rankOf) {
    const offset = query.before === undefined ? 0 : before;
    const all = entries.filter(({ place }) => place < asOf);
    const ranked = [...newest.values()].flatMap((entry) => {
      const rank = rankOf(entry, matching, all);
      return rank === null ? [] : [{ entry, rank }];
    }).sort(({ rank: a }, { rank: b }) => b.value - a.value || b.place - a.place);
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
    replay_id: touching.findLast((entry) => entry.replay_id !== null)?.replay_id ?? null,
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
  const count = times.filter((time) => isWithin(query, time)).length;
  return { count, first_seen: least(times), last_seen: greatest(times) };
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
