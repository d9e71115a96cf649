import { formatDuration } from "../../components/format.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { DurationSample, EndpointRow } from "../../monitoring/models/trace/trace_row.ts";

/** Definitions of the figures. */
export const ENDPOINT_TIP =
  "What an application did under one name: its newest spans that are the first of a trace, a page or a process. Duration:" +
  ` the median by nearest rank; below ${MIN_SAMPLES} the shortest and longest. Of the newest release if some are of it and` +
  " some of others, which “Others” has; else of all";

export const RUNS_TIP =
  "Runs with an end, of other releases and of the newest; with a cross those that failed, or have" +
  " an error: one in the trace, of several runs one during this one alone";
export const DOTS_TIP =
  "A dot for each of the newest runs, on one logarithmic scale; red: it failed, or an error of level" +
  " error or fatal is of it; line: the median. Above those of other releases, below those of the newest";

/** The path of the detail of an endpoint. */
export const endpointPath = (
  { application, name, op }: Pick<EndpointRow, "application" | "name" | "op">,
): readonly string[] => [application, name, ...op === null ? [] : [op]];

/** "480 ms", "290 to 320 ms" of few. */
export function durationOf({ median, shortest, longest }: DurationSample): string {
  if (median !== null) return formatDuration(median);
  const [from, to] = [formatDuration(shortest), formatDuration(longest)];
  const unit = /\s\S+$/.exec(to)?.[0] ?? "";
  return from === to
    ? from
    : `${from.endsWith(unit) ? from.slice(0, from.length - unit.length) : from} to ${to}`;
}

/** The ends of the scale of several rows, milliseconds. */
export function rangeOf(rows: readonly EndpointRow[]): Readonly<Record<"low" | "high", number>> {
  const all = rows.flatMap((row) => [row, ...row.before ? [row.before] : []]);
  return {
    low: Math.min(...all.map(({ shortest }) => shortest)),
    high: Math.max(...all.map(({ longest }) => longest)),
  };
}

const WIDTH = 1_000;

/** The newest runs on a logarithmic scale, with the median; those of other releases above. */
export function RunDots({ row, low, high }: { row: EndpointRow; low: number; high: number }) {
  const logOf = (ms: number) => Math.log10(Math.max(0.001, ms));
  const range = logOf(high) - logOf(low) || 1;
  const xOf = (ms: number) => ((logOf(ms) - logOf(low)) / range * WIDTH).toFixed(1);
  const sides = [{ ...row, y: row.before ? 8 : 5 }, ...row.before ? [{ ...row.before, y: 2 }] : []];
  const path = (isFailed: boolean) =>
    sides.flatMap(({ dots, y }) =>
      dots.filter(({ failed }) => failed === isFailed).map(({ ms }) => `M${xOf(ms)} ${y}h.01`)
    ).join("");
  return (
    <svg className="dots" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path(false)} />
      <path className="failed" d={path(true)} />
      <path
        className="median"
        d={sides.map(({ median, y }) =>
          median === null ? "" : `M${xOf(median)} ${y - 2}v4`
        )
          .join("")}
      />
    </svg>
  );
}
