import { formatDuration } from "../../components/format.ts";
import { formatTimeOfDay } from "../../components/format_time.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { MAX_ROW_RUNS, type MonitorRow } from "../../monitoring/models/monitors/monitor_row.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { ReleaseMarks } from "../charts/ReleaseMarks.tsx";
import { barOf, percentAt } from "../charts/time_scale.ts";
import { isDuring, kindOf, runKey, wordOf } from "./words.tsx";

const LABEL_PERCENT = 24;
const MAX_LABELS = 4;

type Run = MonitorRow["runs"][number];

const isOpen = ({ state }: Run) => state !== "ok" && state !== "failed";

export const tookText = ({ duration, ...run }: Pick<Run, "duration" | "state">): string =>
  duration === null ? "–" : `${isOpen(run as Run) ? "≥\u00a0" : ""}${formatDuration(duration)}`;

/**
 * The runs of a monitor on a time axis, and below them how long each took. Lines where applications changed their release
 * or were started. The table of runs has the same for the keyboard and screen readers.
 */
export function RunStrip({ row, time, hrefOf, openRun }: {
  row: MonitorRow;
  time: Extent;
  hrefOf: (run: Run) => string;
  openRun: string | undefined;
}) {
  const { start_ms: from, end_ms: to } = time;
  const left = (at: number) => `${percentAt(time, at)}%`;
  const runs = row.runs.filter(({ started_at }) => isDuring(time, started_at));
  // In dense strips the newest and those that failed are above.
  const drawn = runs.toReversed()
    .sort((a, b) => Number(a.state === "failed") - Number(b.state === "failed"));
  const missed = row.missed.filter((at) => isDuring(time, at));
  // What has no end may be far longer: at the upper edge.
  const ended = runs.filter((run) => !isOpen(run) && run.duration);
  const longest = Math.max(...(ended.length > 0 ? ended : runs).map((run) => run.duration ?? 0));
  const labelled = labelledRuns(runs, time, longest);
  const heightOf = (ms: number) => `${Math.min(1, ms / (longest || 1)) * 100}%`;
  const band = (start_ms: number, end_ms: number, kind: string, title?: string) => {
    const bar = barOf(time, { start_ms, end_ms });
    const style = bar && { left: `${bar.left}%`, width: `${bar.width}%` };
    return style && <i key={start_ms} className={`open-run ${kind}`} style={style} title={title} />;
  };
  return (
    <div className="run-strip" aria-hidden="true">
      <ReleaseMarks from={from} to={to} />
      {row.has_more && runs.length >= MAX_ROW_RUNS &&
        band(from, runs.at(-1)!.started_at, "quiet", "Earlier runs are not shown")}
      {row.state === "missed" && row.missed_from !== null && row.missed_from > row.since &&
        band(row.since, row.missed_from, "missed", "Did not come")}
      {row.runs.filter(isOpen).map(({ started_at, duration, state }) =>
        band(started_at, started_at + (duration ?? 0), kindOf(state))
      )}
      {missed.map((at) => (
        <i
          key={at}
          className="run missed"
          style={{ left: left(at) }}
          title={`${formatTimeOfDay(at)} expected, did not come`}
        />
      ))}
      {drawn.map((run) => (
        <a
          key={runKey(run)}
          className={`run ${kindOf(run.state)}`}
          style={{ left: left(run.started_at) }}
          href={hrefOf(run)}
          tabIndex={-1}
          data-open={openRun === runKey(run) || undefined}
          title={`${formatTimeOfDay(run.started_at)} ${wordOf(run.state)}, ${tookText(run)}`}
        >
          <OutcomeMark kind={kindOf(run.state)} />
        </a>
      ))}
      <div className="took-plot">
        {drawn.map((run) =>
          run.duration !== null && (
            <i
              key={runKey(run)}
              className={`took ${kindOf(run.state)} ${edgeOf(percentAt(time, run.started_at))}`}
              style={{ left: left(run.started_at), bottom: heightOf(run.duration) }}
            >
              {labelled.has(run) && <span>{tookText(run)}</span>}
            </i>
          )
        )}
      </div>
    </div>
  );
}

/** Where its label must not be centred. */
const edgeOf = (percent: number) => percent < 12 ? "first" : percent > 88 ? "last" : "";

/** Of a few runs those that are not too close to a later one; of more the longest. */
function labelledRuns(runs: readonly Run[], time: Extent, longest: number): ReadonlySet<Run> {
  if (runs.length > MAX_LABELS) {
    return new Set(runs.filter(({ duration }) => duration === longest).slice(0, 1));
  }
  let last = Infinity;
  return new Set(runs.filter(({ started_at }) => {
    const at = percentAt(time, started_at);
    if (last - at < LABEL_PERCENT) return false;
    last = at;
    return true;
  }));
}
