import type { ListQuery } from "../models/list_query.ts";
import {
  type DurationDot,
  type Histogram,
  type HistogramPart,
  histogramRange,
  MIN_RANGE_MS,
} from "../models/histogram.ts";
import { percentileRank } from "../models/percentile.ts";
import { DAY_MS, HOUR_MS } from "../models/time_units.ts";

/** Longest time of a chart without `since`: a sender's clock may be wrong by years. */
const MAX_RANGE_MS = 30 * DAY_MS;

/** A row of a list: its time, whether it is a warning (1) or a failure (2), and the milliseconds that a trace took. */
export type TimedRow = readonly [at: number, kind: number, ms: number | null];

/**
 * The time of a chart of a list: from `since`, else from the first row of the 30 days before the last one; to `until`,
 * else of a chosen time to now, otherwise to the last row.
 */
export function chartRange(
  { since, until, now = Date.now() }: ListQuery,
  rows: readonly TimedRow[],
): { readonly from: number; readonly to: number } {
  if (since !== undefined) return { from: since, to: Math.max(until ?? now, since + 1) };
  const end = until ?? now;
  const last = rows.reduce((last, [at]) => Math.max(last, at), -Infinity);
  const earliest = Math.min(end, last) - MAX_RANGE_MS;
  const first = rows.reduce((first, [at]) => at < earliest ? first : Math.min(first, at), Infinity);
  const from = first === Infinity ? end : first;
  return { from, to: Math.max(until ?? Math.max(from, last) + 1, from + MIN_RANGE_MS) };
}

/**
 * {@linkcode chartRange}; without `since`, of over an hour, from the first of nine tenths of its rows, if these are in its
 * last twentieth: a few old rows would leave no room for the others.
 */
export function readableRange(query: ListQuery, rows: readonly TimedRow[]) {
  const range = chartRange(query, rows);
  const times = rows.map(([at]) => at).filter((at) => at >= range.from && at < range.to);
  let { from } = range;
  while (query.since === undefined && range.to - from > HOUR_MS) {
    const last = range.to - (range.to - from) / 20;
    const shown = times.filter((at) => at >= last);
    if (shown.length === 0 || shown.length < times.length * 0.9) break;
    from = shown.reduce((first, at) => Math.min(first, at));
  }
  return { ...range, from, ...from > range.from && { first: range.from } };
}

export function histogramOf(query: ListQuery, rows: readonly TimedRow[]): Histogram {
  const { from, to, ...uncut } = readableRange(query, rows);
  const range = { ...histogramRange(from, to), ...uncut };
  const shown = rows.filter(([at]) => at >= range.from && at < range.to);
  const partOf = ([at]: TimedRow) => Math.floor((at - range.from) / range.step);
  const counts = Array.from(
    { length: Math.round((range.to - range.from) / range.step) },
    () => [0, 0, 0],
  );
  for (const row of shown) counts[partOf(row)]![row[1]]!++;
  const parts = counts.map(([others = 0, warnings = 0, failures = 0]): HistogramPart => ({
    count: others + warnings + failures,
    warnings,
    failures,
  }));
  const earlier = rows.filter(([at]) => at < range.from).length;
  const later = rows.length - shown.length - earlier;
  if ((query.of ?? "traces") !== "traces") return { ...range, earlier, later, parts };

  const ended = shown.flatMap(([at, kind, ms]): DurationDot[] =>
    ms === null ? [] : [{ at, ms, failed: kind === 2 }]
  ).sort((a, b) => a.ms - b.ms);
  const middle = (dots: readonly DurationDot[]) => dots[Math.ceil(dots.length / 2) - 1]!;
  const dots = [...Map.groupBy(ended, ({ at }) => partOf([at, 0, 0])).values()]
    .flatMap((ofPart) => [ofPart[0]!, middle(ofPart), ofPart.at(-1)!]);
  const rank = percentileRank(ended.length, 0.5);
  const durations = {
    count: ended.length,
    median: rank === undefined ? null : ended[rank - 1]!.ms,
    dots: [...new Set(ended.length > 0 ? [...dots, middle(ended)] : dots)],
  };
  return { ...range, earlier, later, parts, durations };
}
