import { formatNumber, formatOffset, shortId } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { TimeAgo, Timestamp } from "../../components/Timestamp.tsx";
import type { MonitorRow, MonitorRunRow } from "../../monitoring/models/monitors/monitor_row.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import { EventInTrace } from "../charts/EventInTrace.tsx";
import { fragmentTo, linkTo } from "../data/fragment.ts";
import { type ConsoleList, useRowOf } from "../data/lists.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { useTrace } from "../kit/PlayLink.tsx";
import { MarkList } from "../kit/SameTrace.tsx";
import { tookText } from "./RunStrip.tsx";
import { maxRuntimeText, State, wordOf } from "./words.tsx";

/** Errors and logs shown: a screen. */
const MAX_MARKS = 20;
/** Clocks of processes differ, and times of check-ins are when they were sent. */
const SLACK_MS = 1_000;

export function RunDetail({ openRun, list, monitors }: {
  openRun: string;
  list: ConsoleList<MonitorRunRow>;
  monitors: readonly MonitorRow[];
}) {
  const reading = useRowOf("runs", openRun, list);
  const run = reading.row;
  return (
    <DetailView
      className="run-detail"
      back="All monitors"
      shown={openRun}
      title={run
        ? <State state={run.state}>{run.slug} {wordOf(run.state).toLowerCase()}</State>
        : "Run"}
      facts={run && (
        <>
          {run.application !== null && <SentBy keys={[run.application]} />}
          <Timestamp at={run.started_at} precision="ms" isAsSent />
          <TimeAgo at={run.started_at} />
        </>
      )}
      actions={run && <CopyMenu what="run" json={run} />}
    >
      {run && (
        <RunContent
          run={run}
          monitor={monitors.find(({ monitor }) => monitor === run.monitor)}
        />
      )}
      {!run && <Unread what="run" of={reading} />}
    </DetailView>
  );
}

function RunContent({ run, monitor }: { run: MonitorRunRow; monitor: MonitorRow | undefined }) {
  const { trace_id: trace, envelope, check_in_id: id } = run;
  const entries: readonly (readonly [string, string | null | undefined])[] = [
    ["Took", tookText(run)],
    ["Release", run.release],
    ["Environment", run.environment],
    ["Schedule", monitor?.schedule],
    ["May take", monitor && maxRuntimeText(monitor)],
    ["Runs ok", monitor && runsOk(monitor)],
  ];
  return (
    <>
      <KeyValueList
        isInLine
        entries={entries.map(([name, value]) => Boolean(value) && { name, value: <b>{value}</b> })}
      />
      {trace === null ? <p className="note">No trace was sent with this run.</p> : (
        <>
          <RunMarks run={run} traceId={trace} />
          <EventInTrace
            traceId={trace}
            href={linkTo("traces", [trace])}
            during={run.duration === null
              ? undefined
              : { start_ms: run.started_at, end_ms: run.started_at + run.duration }}
          />
        </>
      )}
      <p className="facts pad">
        <b>Check-in</b>
        {id !== null && <code title={id}>{shortId(id)}</code>} as received
        <a className="end" href={linkTo("envelopes", [String(envelope)])}>Open envelope</a>
      </p>
    </>
  );
}

function runsOk({ runs, has_more }: MonitorRow): string {
  const ok = runs.filter(({ state }) => state === "ok").length;
  return `${formatNumber(ok)} of ${formatNumber(runs.length)}${has_more ? " listed" : ""}`;
}

/** Errors and logs of the run's trace while it ran: a trace may be that of a whole process. */
function RunMarks({ run, traceId }: { run: MonitorRunRow; traceId: string }) {
  const { started_at, duration } = run;
  const trace = useTrace(traceId);
  const since = duration === null ? 0 : started_at - SLACK_MS;
  const until = started_at + (duration ?? 0) + SLACK_MS;
  const time = { since: `${Math.floor(since)}`, until: `${Math.ceil(until)}` };
  const isDuring = ({ at_ms, astray }: PlacedMark) => !astray && at_ms >= since && at_ms <= until;
  const marks = (trace?.marks ?? []).filter(isDuring).sort((a, b) => a.at_ms - b.at_ms);
  const errors = marks.filter(({ kind }) => kind === "error");
  const shown = new Set([...errors, ...marks.toReversed()].slice(0, MAX_MARKS));
  if (shown.size === 0) return null;
  return (
    <MarkList
      title={`Errors and logs of its trace ${
        duration === null ? "until then" : "at that time"
      }, to within 1\u00a0s`}
      links={<a href={fragmentTo("logs", [], { trace: traceId, ...time })}>Open in Logs</a>}
      note={marks.length > shown.size &&
        `Errors and the last logs: ${formatNumber(shown.size)} of ${formatNumber(marks.length)}.`}
      items={marks.filter((mark) => shown.has(mark))
        .map((mark) => ({ mark, when: formatOffset(mark.at_ms - started_at) }))}
    />
  );
}
