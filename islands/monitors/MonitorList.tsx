import { type ReactNode, useMemo } from "react";
import { formatCount, formatNumber } from "../../components/format.ts";
import { TimeAgo, Timestamp } from "../../components/Timestamp.tsx";
import { MAX_LIST_ROWS } from "../../monitoring/models/rows.ts";
import type { MonitorRow } from "../../monitoring/models/monitors/monitor_row.ts";
import { DAY_MS, MINUTE_MS, readTimeBound } from "../../monitoring/models/time_units.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { ReleaseMarks } from "../charts/ReleaseMarks.tsx";
import { TimeAxis } from "../charts/TimeAxis.tsx";
import { useFragment } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { ApplicationLabel } from "../kit/ApplicationLabel.tsx";
import { RowList } from "../kit/RowList.tsx";
import type { Column } from "../kit/Table.tsx";
import { RunStrip } from "./RunStrip.tsx";
import { describeRuns, minutesText, runKey, runPath, State, wordOf } from "./words.tsx";

const MOST_TICKS = 6;

/** Monitors, the worst first, on one time axis. @param props.openRun key of the run whose detail is open */
export function MonitorList({ list, openRun, below }: {
  list: ConsoleList<MonitorRow>;
  openRun: string | undefined;
  below: ReactNode;
}) {
  const { params, to } = useFragment();
  const time = useTime(list.rows, params.get("since"), params.get("until"));
  const shown = new URLSearchParams(params).toString();
  const columns = useMemo(() => columnsOf(time, (run) => to(runPath(run)), openRun), [
    time,
    shown,
    openRun,
  ]);
  const states = [...Map.groupBy(list.rows, ({ state }) => state)];
  const open = list.rows.find(({ runs }) => runs.some((run) => runKey(run) === openRun));
  return (
    <RowList
      list={list}
      columns={columns}
      caption="Monitors, the worst first"
      hrefOf={({ monitor, runs: [newest] }) => to(newest ? runPath(newest) : [], { monitor })}
      openKey={open?.monitor}
      isSummary
      above={list.rows.length > 0 && (
        <p className="monitor-counts facts small">
          <b>
            {list.rows.length === MAX_LIST_ROWS
              ? `the ${formatNumber(MAX_LIST_ROWS)} monitors that reported last`
              : formatCount(list.rows.length, "monitor")}
          </b>
          {states.map(([state, { length }]) => (
            <State key={state} state={state}>
              {formatNumber(length)} {wordOf(state).toLowerCase()}
            </State>
          ))}
        </p>
      )}
      below={list.rows.length > 0 && below}
      empty={
        <>
          <b>No check-ins received.</b> Jobs report with{" "}
          <code>Sentry.withMonitor("nightly", job)</code>, in Python with{" "}
          <code>@monitor("nightly")</code>.
        </>
      }
    />
  );
}

/** The time of the axis: that of the query, else from the first run of the last day with runs, until now or the newest. */
function useTime(
  rows: readonly MonitorRow[],
  since: string | null,
  until: string | null,
): Extent {
  return useMemo(() => {
    const now = Date.now();
    const starts = rows.flatMap(({ runs }) => runs.map(({ started_at }) => started_at));
    const newest = starts.reduce((a, b) => Math.max(a, b), 0);
    const missed = rows.map(({ missed: [last = 0] }) => last);
    // A clock may be ahead.
    const end_ms = readTimeBound(until ?? "", now) ?? Math.max(now, newest, ...missed);
    const first = starts.filter((at) => at > newest - DAY_MS)
      .reduce((a, b) => Math.min(a, b), end_ms - MINUTE_MS);
    // Room for the mark of the first.
    const start_ms = readTimeBound(since ?? "", now) ?? first - (end_ms - first) * 0.04;
    return { start_ms, end_ms };
  }, [rows, since, until]);
}

function columnsOf(
  time: Extent,
  hrefOf: (run: MonitorRow["runs"][number]) => string,
  openRun: string | undefined,
): readonly Column<MonitorRow>[] {
  const { start_ms: from, end_ms: to } = time;
  return [
    {
      title: "Monitor, worst first",
      width: 17,
      cell: (row, link) => (
        <div className="monitor">
          {link(row.slug)}
          <b>
            <State state={row.state} />{" "}
            <small className="quiet">
              since {row.since_earlier && "before "}
              <Timestamp at={row.since} />
            </small>
          </b>
          <span>{describeRuns(row, time)}</span>
          <span className="facts quiet">
            <ApplicationLabel of={[row.application]} />
            {row.schedule ?? "no valid schedule sent"}
          </span>
        </div>
      ),
    },
    {
      title: "Runs",
      isWide: true,
      className: "run-axis",
      head: (
        <>
          <span className="vh">Runs</span>
          <div className="strip-axis">
            <ReleaseMarks from={from} to={to} />
            <TimeAxis from={from} to={to} most={MOST_TICKS} />
          </div>
        </>
      ),
      cell: (row) => (
        <RunStrip
          row={row}
          time={time}
          openRun={openRun}
          hrefOf={hrefOf}
        />
      ),
    },
    {
      title: "Next run expected",
      tip:
        "By the clock of this server; what ran by its sender’s. Without a margin sent, it is 1 min",
      width: 9.5,
      isWide: true,
      cell: ({ next_at, timezone, margin }) =>
        next_at === null ? <span className="quiet">not known</span> : (
          <div className="monitor">
            <b>
              <Timestamp at={next_at} />
            </b>
            <span>
              {next_at < Date.now() && "due "}
              <TimeAgo at={next_at} />
            </span>
            {timezone === null && <span className="quiet">after the last run</span>}
            <span className="quiet">margin {minutesText(margin)}</span>
          </div>
        ),
    },
  ];
}
