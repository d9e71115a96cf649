import { percentile } from "../percentile.ts";
import type { EndpointRow, SpanPlace } from "./trace_row.ts";
import { bySide, endpointRow, type NewestReleases, type Ranges, type Run } from "./endpoints.ts";
import { MIN_TIMES } from "./repetitions.ts";
import { byStatement, placeOf, type QuerySpan, statementOf, totalMs } from "./queries.ts";

/** The response of `view=endpoint`: what an application did under one name. */
export interface EndpointContent {
  /** As in the list. */
  readonly row: EndpointRow;
  /** The newest runs, at most {@linkcode MAX_SHOWN}. */
  readonly runs: readonly EndpointRun[];
  /** Of all runs. */
  readonly slowest: readonly EndpointRun[];
  /** Groups of the errors of its runs, those with most errors first, at most {@linkcode MAX_GROUPS}. */
  readonly errors: readonly { readonly group: string; readonly count: number }[];
  /** What its newest runs asked databases and caches, at most {@linkcode MAX_QUERIED} of each side. */
  readonly queried: Readonly<Record<Side, number>>;
  /** Sum of the durations of these runs. */
  readonly queried_ms: number;
  /** Those that took most time first. Null: these runs have too many spans. */
  readonly queries: readonly EndpointQuery[] | null;
}

/** Runs of the newest release, and of others; see {@linkcode bySide}. */
export type Side = "since" | "before";

export interface EndpointRun extends SpanPlace {
  readonly ms: number;
  readonly failed: boolean;
  readonly side: Side;
}

export interface EndpointQuery extends Readonly<Record<Side, PerRun | null>> {
  readonly statement: string;
  readonly total_ms: number;
  /** In the newest release it is repeated, and runs at least twice as often as in others. */
  readonly is_more_often: boolean;
}

/** How often a query ran in those `runs` that have it. The median is null of fewer than five. */
export type PerRun =
  & Readonly<Record<"runs" | "fewest" | "most", number>>
  & { readonly median: number | null };

/** Dots that a chart can show. */
const MAX_SHOWN = 1_000;
/** Runs of each side whose queries are counted. */
const MAX_QUERIED = 100;
const SLOWEST = 5;
const MAX_GROUPS = 20;
const MAX_STATEMENTS = 100;
/** A query that runs so many times as often as in other releases is marked. */
const MORE = 2;
const SIDES = ["since", "before"] as const;

/**
 * @param runs of one name, at least one
 * @param readQueries reads the queries of these runs, by their keys; undefined: they have too many spans
 */
export function endpointContent(
  runs: readonly Run[],
  newest: NewestReleases,
  ranges: Ranges,
  readQueries: (keys: readonly number[]) => readonly QuerySpan[] | undefined,
): EndpointContent {
  const sides = bySide(runs, newest);
  const newestFirst = SIDES.flatMap((side) => sides[side].map((run) => ({ run, side })))
    .sort((a, b) => b.run.at - a.run.at);
  const groups = Map.groupBy(runs.flatMap(({ groups = [] }) => groups), (group) => group);
  const asked = SIDES.map((side) =>
    newestFirst.filter((one) => one.side === side).slice(0, MAX_QUERIED).map(({ run }) => run)
  );
  const [since, before] = asked.map((runs) => runs.map(({ key }) => key)) as [number[], number[]];
  return {
    row: endpointRow(runs, newest, ranges),
    runs: newestFirst.slice(0, MAX_SHOWN).map(shown),
    slowest: newestFirst.toSorted((a, b) => b.run.ms - a.run.ms).slice(0, SLOWEST).map(shown),
    errors: [...groups].map(([group, { length: count }]) => ({ group, count }))
      .sort((a, b) => b.count - a.count).slice(0, MAX_GROUPS),
    queried: { since: since.length, before: before.length },
    queried_ms: asked.flat().reduce((sum, { ms }) => sum + ms, 0),
    queries: queriesOf(readQueries([...since, ...before]), new Set(since), before.length > 0),
  };
}

const shown = ({ run, side }: { run: Run; side: Side }): EndpointRun => ({
  ...{ ...placeOf(run), ms: run.ms, failed: run.failed, side },
});

function queriesOf(
  spans: readonly QuerySpan[] | undefined,
  newer: ReadonlySet<number>,
  isCompared: boolean,
): EndpointContent["queries"] {
  if (spans === undefined) return null;
  return [...byStatement(spans).values()].map((all): EndpointQuery => {
    const counts = [...Map.groupBy(all, ({ run }) => run!)];
    const perRun = (isSince: boolean) => {
      const ofSide = counts.filter(([run]) => newer.has(run) === isSince)
        .map(([, { length }]) => length);
      return ofSide.length === 0 ? null : {
        runs: ofSide.length,
        fewest: Math.min(...ofSide),
        median: percentile(ofSide, 0.5),
        most: Math.max(...ofSide),
      };
    };
    const [since, before] = [perRun(true), perRun(false)];
    const least = Math.max(MIN_TIMES, MORE * middleOf(before));
    return {
      ...{ statement: statementOf(all), total_ms: totalMs(all), since, before },
      is_more_often: isCompared && middleOf(since) >= least,
    };
  }).sort((a, b) => b.total_ms - a.total_ms).slice(0, MAX_STATEMENTS);
}

const middleOf = (of: PerRun | null) => of ? of.median ?? (of.fewest + of.most) / 2 : 0;
