import type { Histogram } from "../../monitoring/models/histogram.ts";

/** Share of a time without anything, from which on a chart leaves it out: at its start, and at its end. */
const EMPTY_SHARE = 0.5;

/** Bounds of a chart, milliseconds since 1970 as text; undefined: those of its time. */
interface FittedTime {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * The part of a time that charts of it show, so that a burst fills them: without a start and an end that are empty in
 * all of them.
 *
 * @param histograms of the same time; undefined: not known yet
 */
export function fittedTime(histograms: readonly (Histogram | undefined)[]): FittedTime {
  const known = histograms.filter((one) => one !== undefined);
  const used = known.flatMap(({ from, to, step, parts }) => {
    const first = parts.findIndex(({ count }) => count > 0);
    const last = parts.findLastIndex(({ count }) => count > 0);
    // A part beside them stays free.
    const bounds = { start: from + Math.max(0, first - 1) * step, end: from + (last + 2) * step };
    return first === -1 ? [] : [{ from, to, ...bounds }];
  });
  if (used.length === 0 || known.length < histograms.length) return {};
  const from = Math.min(...used.map(({ from }) => from));
  const to = Math.max(...used.map(({ to }) => to));
  const start = Math.min(...used.map(({ start }) => start));
  const end = Math.max(...used.map(({ end }) => end));
  const isLate = start - from > (to - from) * EMPTY_SHARE;
  const isOver = to - end > (to - (isLate ? start : from)) * EMPTY_SHARE;
  return {
    since: isLate ? String(start) : undefined,
    until: isOver ? String(end) : undefined,
  };
}
