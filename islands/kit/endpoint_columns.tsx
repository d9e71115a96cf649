import { formatDuration, formatNumber } from "../../components/format.ts";
import { Marked } from "../../components/OutcomeMark.tsx";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { DurationSample, EndpointRow, Runs } from "../../monitoring/models/trace/trace_row.ts";
import { isSlower } from "../../monitoring/models/trace/endpoints.ts";
import { Counted } from "./Counted.tsx";
import type { Column } from "./Table.tsx";

export const ENDPOINT_TIP =
  "What an application did under one name: its newest spans that are the first of a trace, a page or a process," +
  " without requests that a page sent after its load or navigation had ended. Duration:" +
  ` the median by nearest rank; below ${MIN_SAMPLES} the shortest and longest. Of the newest release (first seen last) if some are of it and` +
  " some of others, which “Other releases” has; else of all";

export const endpointPath = (
  { application, name, op }: Pick<EndpointRow, "application" | "name" | "op">,
): readonly string[] => [application, name, ...op === null ? [] : [op]];

/** "480 ms", "290 to 320 ms" of few. */
export function durationOf(
  { median, shortest, longest }: Pick<DurationSample, "median" | "shortest" | "longest">,
): string {
  if (median !== null) return formatDuration(median);
  const [from, to] = [formatDuration(shortest), formatDuration(longest)];
  const unit = /\s\S+$/.exec(to)?.[0] ?? "";
  return from === to
    ? from
    : `${from.endsWith(unit) ? from.slice(0, from.length - unit.length) : from} to ${to}`;
}

/** {@linkcode durationOf}, in lists with room with the 95th percentile. */
export function DurationText({ of }: { of: DurationSample }) {
  return (
    <>
      {durationOf(of)}{" "}
      {of.p95 !== null && <small className="p95 quiet">p95 {formatDuration(of.p95)}</small>}
    </>
  );
}

/** The columns that tables of endpoints share. @param rows all of them: their dots have one scale */
export function endpointColumns(rows: readonly EndpointRow[]) {
  const all = rows.flatMap((row) => [row, ...row.before ? [row.before] : []]);
  const low = Math.min(...all.map(({ shortest }) => shortest));
  const high = Math.max(...all.map(({ longest }) => longest));
  return {
    dots: {
      title: durationOf({ median: null, shortest: low, longest: high }),
      tip:
        "A dot for each of the newest runs, on one logarithmic scale; red: it failed, or an error of" +
        " level error or fatal is of it; line: the median. Above those of other releases, below those of the newest",
      width: 7,
      isWide: true,
      className: "each-run",
      cell: (row) => <RunDots row={row} low={low} high={high} />,
    },
    count: {
      title: "Runs",
      className: "counted",
      tip:
        "Runs with an end, of other releases and of the newest; with a cross those that failed, or have" +
        " an error of their application: one in the trace, of several runs one during this one alone",
      width: 8,
      numeric: true,
      cell: (row) => (
        <>
          {row.before && (
            <>
              <RunCount of={row.before} /> →{" "}
            </>
          )}
          <RunCount of={row} />
        </>
      ),
    },
    others: {
      title: "Other releases",
      className: "took",
      tip: "Of other releases than the newest",
      width: 6.75,
      numeric: true,
      isWide: true,
      cell: ({ before }) =>
        before && (
          <span className="quiet">
            <DurationText of={before} />
          </span>
        ),
    },
    duration: {
      title: "Duration",
      className: "took",
      tip: ENDPOINT_TIP,
      width: 7,
      numeric: true,
      cell: (row) =>
        isSlower(row)
          ? (
            <Marked as="b" kind="waits">
              <DurationText of={row} />
            </Marked>
          )
          : <DurationText of={row} />,
    },
  } satisfies Record<string, Column<EndpointRow>>;
}

const RunCount = ({ of }: { of: Runs }) => (
  <Counted {...of} tip={`${formatNumber(of.failed)} failed, or with errors`} />
);

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
  const medians = sides.map(({ median, y }) => median && `M${xOf(median)} ${y - 2}v4`);
  return (
    <svg className="dots" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path(false)} />
      <path className="failed" d={path(true)} />
      <path className="median" d={medians.filter(Boolean).join("")} />
    </svg>
  );
}
