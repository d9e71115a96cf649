import { rankedPage } from "../index/list_cursor.ts";
import { type ListQuery, readSort, type SortColumn } from "../list_query.ts";
import { MIN_SAMPLES, percentile } from "../percentile.ts";
import type { DurationSample, EndpointRow, Runs, SpanPlace } from "./trace_row.ts";
import type { Page } from "../rows.ts";
import { MINUTE_MS } from "../time_units.ts";

/** What an application did: a request, page load, navigation or job. Times are milliseconds. */
export interface Run extends SpanPlace {
  /** Row key of its span. */
  readonly key: number;
  /** Key of the application. */
  readonly application: string;
  readonly name: string;
  readonly op: string | null;
  readonly release: string | null;
  readonly ms: number;
  readonly failed: boolean;
  /** Groups of its errors, for each error. */
  readonly groups?: readonly string[];
}

export type RunError = Pick<Run, "application" | "trace_id" | "at"> & { readonly group: string };

/** An error fails the only run of its application and trace, of several the only one at its time, else none. */
export function withErrors(runs: readonly Run[], errors: readonly RunError[]): Run[] {
  const traceOf = ({ application, trace_id }: RunError | Run) => `${application} ${trace_id}`;
  const byTrace = Map.groupBy(runs, traceOf);
  const byRun = Map.groupBy(errors, (error) => {
    const all = byTrace.get(traceOf(error)) ?? [];
    const during = all.length === 1
      ? all
      : all.filter(({ at, ms }) => at <= error.at && error.at <= at + ms);
    return during.length === 1 ? during[0] : undefined;
  });
  return runs.map((run) => {
    const groups = byRun.get(run)?.map(({ group }) => group);
    return groups ? { ...run, failed: true, groups } : run;
  });
}

/** Dots that a row of a table has room for: of the newest. */
const MAX_DOTS = 40;

/** A median is slower if it is so many times, and so many milliseconds more than, that of other releases. */
export const SLOWER = 1.5;
export const SLOWER_MS = 10;

/** The median in the newest release, in multiples of that of others; null: one of them has too few runs. */
export const changeOf = ({ median, before }: EndpointRow): number | null =>
  median === null || !before || before.median === null
    ? null
    : median / Math.max(0.001, before.median);

export const isSlower = (row: EndpointRow): boolean =>
  (changeOf(row) ?? 0) >= SLOWER && row.median! - row.before!.median! >= SLOWER_MS;

/** Whether runs of the newest release failed, but none of enough runs of others. */
export const hasNewFailures = ({ failed, before }: EndpointRow): boolean =>
  failed > 0 && before?.failed === 0 && before.count >= MIN_SAMPLES;

/** What sorts the rows. */
const RANKS: Ranks<"endpoints", EndpointRow> = {
  duration: middleOf,
  count: ({ count, before }) => count + (before?.count ?? 0),
  change: (row) => hasNewFailures(row) ? 1e12 : changeOf(row),
};

/** The time of the runs of each application, milliseconds since 1970: another's clock may be wrong by hours. */
export type Ranges = ReadonlyMap<string, Readonly<Record<"from" | "to", number>>>;

/** The newest release of each application, by its key. */
export type NewestReleases = ReadonlyMap<string, string | undefined>;

/** The runs by application and name, slowest first. */
export function endpointPage(
  runs: readonly Run[],
  newest: NewestReleases,
  ranges: Ranges,
  query: ListQuery,
  asOf: number,
): Page<EndpointRow> {
  const byName = Map.groupBy(runs, ({ application, op, name }) => `${application} ${op} ${name}`);
  return groupPage(byName, (all) => endpointRow(all, newest, ranges), RANKS, query, asOf);
}

/** What a list of groups can be sorted by. */
export type Ranks<List extends "endpoints" | "queries", Row> = Readonly<
  Record<SortColumn<List>, (row: Row) => number | null>
>;

/** One page of a list of groups; by default sorted by the first of the ranks, descending. */
export function groupPage<Item extends { readonly key: number }, Row>(
  groups: ReadonlyMap<string, readonly Item[]>,
  toRow: (all: readonly Item[]) => Row,
  ranks: Readonly<Record<string, (row: Row) => number | null>>,
  query: ListQuery,
  asOf: number,
): Page<Row> {
  const { column, descending } = readSort(query.sort ?? "slowest");
  const isKnown = query.sort !== undefined && Object.hasOwn(ranks, column);
  const rankOf = isKnown ? ranks[column]! : Object.values(ranks)[0]!;
  const rows = [...groups.values()].flatMap((all) => {
    const row = toRow(all);
    const rank = rankOf(row);
    const key = all.reduce((newest, { key }) => Math.max(newest, key), 0);
    // A cursor has so many decimals.
    return rank === null ? [] : [{ row, rank: Number(rank.toFixed(6)), key }];
  });
  return rankedPage(rows, descending || !isKnown, query, asOf, ({ row }) => row);
}

/** What a sample is sorted by: the median, of a few values the middle of their range. */
export function middleOf({ median, shortest, longest }: DurationSample): number {
  return median ?? (shortest + longest) / 2;
}

/** @param all runs of one name, at least one; newest: see {@linkcode NewestReleases} */
export function endpointRow(
  all: readonly Run[],
  newest: NewestReleases,
  ranges: Ranges,
): EndpointRow {
  const { application, name, op } = all[0]!;
  const { from, to } = ranges.get(application)!;
  const { since, before } = bySide(all, newest);
  return {
    ...{ application, name, op, ...runsOf(since) },
    rate: all.filter(({ at }) => at >= from).length / (to - from) * MINUTE_MS,
    before: before.length > 0 ? runsOf(before) : null,
  };
}

/** The runs of the newest release and those of others; without both all are in `since`. */
export function bySide(
  all: readonly Run[],
  newest: NewestReleases,
): Readonly<Record<"since" | "before", readonly Run[]>> {
  const release = newest.get(all[0]!.application);
  const [since, before] = [true, false].map((isNewest) =>
    all.filter((run) => run.release !== null && (run.release === release) === isNewest)
  ) as [Run[], Run[]];
  return since.length > 0 && before.length > 0 ? { since, before } : { since: all, before: [] };
}

function runsOf(runs: readonly Run[]): Runs {
  const byTime = runs.toSorted((a, b) => b.at - a.at);
  return {
    ...durationSample(runs),
    failed: runs.filter(({ failed }) => failed).length,
    since: byTime.at(-1)!.at,
    failed_since: byTime.findLast(({ failed }) => failed)?.at ?? null,
    dots: byTime.slice(0, MAX_DOTS).map(({ ms, failed }) => ({ ms, failed })),
  };
}

export function durationSample(all: readonly { readonly ms: number }[]): DurationSample {
  const sorted = all.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    count: sorted.length,
    shortest: sorted[0]!,
    median: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    longest: sorted.at(-1)!,
  };
}
