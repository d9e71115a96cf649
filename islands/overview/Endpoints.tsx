import { formatDuration, formatNumber } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { ApplicationRow } from "../../monitoring/models/application_rows.ts";
import type { EndpointRow, Runs } from "../../monitoring/models/rows.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { linkTo } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { labelsByKey } from "../kit/application_labels.ts";
import type { Column } from "../kit/Table.tsx";
import { Highlight, ROWS } from "./Highlight.tsx";
import { isSlower } from "./reasons.ts";

/** Definition of the figures. */
export const ENDPOINT_TIP =
  "What an application did under one name: its newest spans that are the first of a trace, a page or a process. Duration:" +
  ` the median by nearest rank; below ${MIN_SAMPLES} the shortest and longest. Of the newest release if some are of it and` +
  " some of others, which “Others” has; else of all";

/** What the applications do, slowest first. */
export function SlowestEndpoints({ list, applications }: {
  list: ConsoleList<EndpointRow>;
  applications: readonly ApplicationRow[];
}) {
  const rows = list.rows.slice(0, ROWS);
  const all = rows.flatMap((row) => [row, ...row.before ? [row.before] : []]);
  const low = Math.min(...all.map(({ shortest }) => shortest));
  const high = Math.max(...all.map(({ longest }) => longest));
  return (
    <Highlight
      id="slowest-endpoints"
      title="Slowest endpoints"
      all={{ text: "All traces", href: linkTo("traces", [], { sort: "slowest" }) }}
      list={list}
      empty="No requests or tasks that have ended match."
      keyOf={({ application, op, name }) => `${application} ${op} ${name}`}
      hrefOf={({ application, name }) =>
        linkTo("traces", [], { application, name, sort: "slowest" })}
      columns={columnsOf(low, high, labelsByKey(applications))}
    />
  );
}

/** "480 ms", "290 to 320 ms" of few. */
export function durationOf({ median, shortest, longest }: Runs): string {
  if (median !== null) return formatDuration(median);
  const [from, to] = [formatDuration(shortest), formatDuration(longest)];
  const unit = /\s\S+$/.exec(to)?.[0] ?? "";
  return from === to
    ? from
    : `${from.endsWith(unit) ? from.slice(0, from.length - unit.length) : from} to ${to}`;
}

/** @param low milliseconds, the left end of the scale of all rows; `high`: its right end */
const columnsOf = (
  low: number,
  high: number,
  names: ReadonlyMap<string, string>,
): readonly Column<EndpointRow>[] => [
  {
    title: "Endpoint",
    tip: ENDPOINT_TIP,
    cell: (row, link) => {
      const [application = "", name] = [names.get(row.application), displayName(row)];
      return (
        <span className="beside" title={`${application}: ${name}`}>
          <ApplicationTile name={application} />
          <span className="vh">{application}:</span>
          <span className="one-line">{link(name)}</span>
        </span>
      );
    },
  },
  {
    title: `${formatDuration(low)} to ${formatDuration(high)}`,
    tip: "A dot for each of the newest runs, on one logarithmic scale; red: it failed, or an" +
      " error of level error or fatal is of it. Above those of other releases, below those of the newest",
    width: 7,
    isWide: true,
    cell: (row) => <Dots row={row} low={low} high={high} />,
  },
  {
    title: "n",
    tip:
      "Runs with an end, of other releases and of the newest; with a cross those that failed, or have" +
      " an error: one in the trace, of several runs one during this one alone",
    width: 8,
    numeric: true,
    cell: ({ count, failed, before }) => (
      <>
        {before && <span className="wide">{`${formatNumber(before.count)} → `}</span>}
        {failed > 0 && (
          <span className="refused" title={`${formatNumber(failed)} failed, or with errors`}>
            <OutcomeMark kind="refused" />
            {formatNumber(failed)}
            <span className="vh">failed</span>
            {" of "}
          </span>
        )}
        {formatNumber(count)}
      </>
    ),
  },
  {
    title: "Others",
    tip: "Of other releases than the newest",
    width: 5,
    numeric: true,
    isWide: true,
    cell: ({ before }) => before && <span className="quiet">{durationOf(before)}</span>,
  },
  {
    title: "Duration",
    className: "took",
    tip: ENDPOINT_TIP,
    width: 7,
    numeric: true,
    cell: (row) =>
      isSlower(row)
        ? (
          <b className="waits" title="Slower than other releases">
            <OutcomeMark kind="waits" />
            {durationOf(row)}
          </b>
        )
        : durationOf(row),
  },
];

const WIDTH = 1_000;

/** The newest runs on a logarithmic scale; those of other releases above. */
export function Dots({ row, low, high }: { row: EndpointRow; low: number; high: number }) {
  const logOf = (ms: number) => Math.log10(Math.max(0.001, ms));
  const range = logOf(high) - logOf(low) || 1;
  const path = (isFailed: boolean) =>
    [{ dots: row.dots, y: row.before ? 8 : 5 }, { dots: row.before?.dots ?? [], y: 2 }]
      .flatMap(({ dots, y }) =>
        dots.filter(({ failed }) => failed === isFailed)
          .map(({ ms }) => `M${((logOf(ms) - logOf(low)) / range * WIDTH).toFixed(1)} ${y}h.01`)
      ).join("");
  return (
    <svg className="dots" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path(false)} />
      <path className="failed" d={path(true)} />
    </svg>
  );
}
