import { type ReactNode, useMemo } from "react";
import { formatCount, formatDuration, formatNumber } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ListSort } from "../../monitoring/models/list_query.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { DurationSample, EndpointRow } from "../../monitoring/models/trace/trace_row.ts";
import {
  isCompared,
  isSlower,
  SLOWER,
  SLOWER_MS,
} from "../../monitoring/models/trace/endpoints.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import {
  DOTS_TIP,
  durationOf,
  ENDPOINT_TIP,
  endpointPath,
  rangeOf,
  RunDots,
  RUNS_TIP,
} from "../charts/RunDots.tsx";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { RowList } from "../kit/RowList.tsx";
import type { Column } from "../kit/Table.tsx";

export const endpointKey = ({ application, name, op }: EndpointRow) =>
  JSON.stringify({ application, name, op });

/** What the applications do, by name. @param props.openKey of the endpoint that is open */
export function EndpointList({ list, sort, openKey, actions }: {
  list: ConsoleList<EndpointRow>;
  sort: ListSort;
  openKey: string | undefined;
  actions: ReactNode;
}) {
  const { params } = useFragment();
  const { rows } = list;
  const { low, high } = rangeOf(rows);
  const columns = useMemo(() => columnsOf(low, high), [low, high]);
  const counts = rows.map(bothOf);
  const sum = (of: "count" | "failed") => counts.reduce((sum, both) => sum + both[of], 0);
  const failed = sum("failed");
  return (
    <RowList
      of="endpoints"
      list={list}
      columns={columns}
      caption={sort === "-duration" ? "Endpoints, slowest first" : "Endpoints"}
      sort={sort}
      keyOf={endpointKey}
      hrefOf={(row) => fragmentTo("endpoints", endpointPath(row), Object.fromEntries(params))}
      openKey={openKey}
      actions={actions}
      above={rows.length > 0 && (
        <p className="endpoint-counts facts small">
          <b>{formatCount(sum("count"), "run")}</b>
          {formatCount(rows.length, "endpoint")}
          {failed > 0 && (
            <span className="refused">
              <OutcomeMark kind="refused" />
              {formatNumber(failed)} failed
            </span>
          )}
          <span className="quiet end">
            of the newest 10,000 requests, page loads, navigations and jobs with an end
          </span>
        </p>
      )}
      empty={
        <>
          <b>No requests or jobs received.</b>{" "}
          They are spans that are the first of a trace, a page or a process.
        </>
      }
    />
  );
}

/** Of all releases. */
const bothOf = ({ count, failed, before }: EndpointRow) => ({
  count: count + (before?.count ?? 0),
  failed: failed + (before?.failed ?? 0),
});

/** The median and p95; of few the range. */
export function DurationText({ of }: { of: DurationSample }) {
  return (
    <>
      {durationOf(of)}
      {of.p95 !== null && <small className="quiet p95">p95 {formatDuration(of.p95)}</small>}
    </>
  );
}

const CHANGE_TIP =
  `Slower: the median in the newest release is at least ${SLOWER} times, and ${SLOWER_MS} ms above, that of other` +
  ` releases, each of at least ${MIN_SAMPLES} runs`;

/** @param low milliseconds, the left end of the scale of all rows; `high`: its right end */
const columnsOf = (low: number, high: number): readonly Column<EndpointRow>[] => [
  {
    title: "Endpoint",
    tip: ENDPOINT_TIP,
    cell: (row, link) => link(displayName(row)),
    aside: { title: "Application", applications: ({ application }) => [application] },
  },
  {
    title: "n",
    tip: RUNS_TIP,
    width: 5.5,
    numeric: true,
    by: "count",
    cell: (row) => (
      <>
        {formatNumber(bothOf(row).count)}
        {row.before && (
          <small className="quiet">
            {formatNumber(row.before.count)} → {formatNumber(row.count)}
          </small>
        )}
      </>
    ),
  },
  {
    title: "Rate",
    tip: "Runs a minute, of all releases, in the chosen time, else from the first to the last run",
    width: 5,
    numeric: true,
    isWide: true,
    className: "extra",
    cell: ({ rate }) => `${formatRate(rate)}/min`,
  },
  {
    title: "Failed",
    tip: "Of these runs, those that failed, or have an error of level error or fatal",
    width: 5,
    numeric: true,
    isWide: true,
    by: "failed",
    cell: (row) => {
      const { failed } = bothOf(row);
      return (
        <>
          <span className={failed > 0 ? "refused" : "none"}>
            {failed > 0 && <OutcomeMark kind="refused" />}
            {formatNumber(failed)}
          </span>
          {row.before && failed > 0 && (
            <small className="quiet">
              {formatNumber(row.before.failed)} → {formatNumber(row.failed)}
            </small>
          )}
        </>
      );
    },
  },
  {
    title: "Each run",
    tip: DOTS_TIP,
    head: (
      <span className="dots-scale line ends">
        <span>{formatDuration(low)}</span>
        <span className="vh">to</span>
        <span>{formatDuration(high)}</span>
      </span>
    ),
    width: 13,
    isWide: true,
    className: "each-run",
    cell: (row) => <RunDots row={row} low={low} high={high} />,
  },
  {
    title: "Others",
    tip: "Of other releases than the newest",
    width: 7,
    numeric: true,
    isWide: true,
    className: "extra",
    cell: ({ before }) => before && <DurationText of={before} />,
  },
  {
    title: "Duration",
    tip: ENDPOINT_TIP,
    width: 8,
    numeric: true,
    by: "duration",
    cell: (row) => (
      <span className={isSlower(row) ? "waits" : undefined}>
        <DurationText of={row} />
      </span>
    ),
  },
  {
    title: "Change",
    tip: CHANGE_TIP,
    width: 8,
    isWide: true,
    by: "change",
    cell: (row) => <Change row={row} />,
  },
];

/** Whether it is slower than in other releases, in words. */
export function Change({ row }: { row: EndpointRow }) {
  if (row.before === null) return <span className="quiet">one release</span>;
  if (!isCompared(row)) return <span className="quiet">under {MIN_SAMPLES} runs</span>;
  if (!isSlower(row)) return <span className="quiet">not slower</span>;
  return (
    <b className="waits" title={CHANGE_TIP}>
      <OutcomeMark kind="waits" />
      {(row.median! / Math.max(0.001, row.before.median!)).toFixed(1)}× slower
    </b>
  );
}

const formatRate = (rate: number) => rate >= 10 ? formatNumber(Math.round(rate)) : rate.toFixed(1);
