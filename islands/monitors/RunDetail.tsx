import { formatNumber, formatOffset, shortId } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { TimeAgo, Timestamp } from "../../components/Timestamp.tsx";
import type { MonitorRow, MonitorRunRow } from "../../monitoring/models/rows.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import { EventInTrace } from "../charts/EventInTrace.tsx";
import { fragmentTo, linkTo } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { useTrace } from "../kit/PlayLink.tsx";
import { MarkLink } from "../kit/SameTrace.tsx";
import { tookText } from "./RunStrip.tsx";
import { kindOf, minutesText, runKey, wordOf } from "./words.tsx";

/** Errors and logs shown: a screen. */
const MAX_MARKS = 20;
/** Clocks of processes differ, and times of check-ins are when they were sent. */
const SLACK_MS = 1_000;

/**
 * One run of a monitor.
 *
 * @param props.openRun its key, as in the address
 * @param props.known its row, if the list has it
 */
export function RunDetail({ openRun, known, monitors, back }: {
  openRun: string;
  known: MonitorRunRow | undefined;
  monitors: readonly MonitorRow[];
  back: string;
}) {
  const envelope = Number(openRun.split("/")[0]);
  const isAddress = Number.isSafeInteger(envelope) && envelope > 0;
  const reading = useList("runs", known || !isAddress ? undefined : { envelope });
  const run = known ?? reading.rows.find((row) => runKey(row) === openRun);
  return (
    <DetailView
      className="run-detail"
      back={{ text: "All monitors", href: back }}
      shown={openRun}
      title={run
        ? (
          <span className={kindOf(run.state)}>
            <span className={`mark ${kindOf(run.state)}`} aria-hidden="true" />
            {run.slug} {wordOf(run.state).toLowerCase()}
          </span>
        )
        : "Run"}
      facts={run && (
        <>
          {run.application !== null && <SentBy keys={[run.application]} />}
          <Timestamp at={run.started_at} precision="ms" isAsSent />
          <TimeAgo at={run.started_at} />
        </>
      )}
      actions={run && (
        <CopyMenu
          what="run"
          texts={{ "Copy as JSON": () => JSON.stringify(run, null, 2) }}
        />
      )}
    >
      {run && (
        <RunContent
          run={run}
          monitor={monitors.find(({ monitor }) => monitor === run.monitor)}
        />
      )}
      {!run && <Unread what="run" of={isAddress ? reading : { ...reading, state: "ready" }} />}
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
    ["May take", monitor && minutesText(monitor.max_runtime)],
    ["Runs ok", monitor && runsOk(monitor)],
  ];
  return (
    <>
      <div className="run-facts">
        <KeyValueList
          entries={entries.map(([name, value]) => Boolean(value) && { name, value })}
        />
      </div>
      {trace === null ? <p className="note">No trace was sent with this run.</p> : (
        <>
          <RunMarks run={run} traceId={trace} />
          <EventInTrace
            traceId={trace}
            isEvent={() => false}
            what=""
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

/** "49 of 50 listed" */
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
  const isDuring = ({ at_ms, astray }: PlacedMark) => !astray && at_ms >= since && at_ms <= until;
  const marks = (trace?.marks ?? []).filter(isDuring).sort((a, b) => a.at_ms - b.at_ms);
  const errors = marks.filter(({ kind }) => kind === "error");
  const shown = new Set([...errors, ...marks.toReversed()].slice(0, MAX_MARKS));
  if (shown.size === 0) return null;
  return (
    <section aria-labelledby="run-marks" className="before">
      <header className="line">
        <h4 id="run-marks">
          Errors and logs of its trace {duration === null ? "until then" : "at that time"}
        </h4>
        <a
          className="end"
          href={fragmentTo("logs", [], {
            trace: traceId,
            since: `${Math.floor(since)}`,
            until: `${Math.ceil(until)}`,
          })}
        >
          Open in Logs
        </a>
      </header>
      {marks.length > shown.size && (
        <p className="note">
          Errors and the last logs: {formatNumber(shown.size)} of {formatNumber(marks.length)}.
        </p>
      )}
      <ul>
        {marks.filter((mark) => shown.has(mark)).map((mark) => (
          <li key={mark.key}>
            <span className="when quiet" title="Since the start of the run">
              {formatOffset(mark.at_ms - started_at)}
            </span>{" "}
            <MarkLink mark={mark} />
          </li>
        ))}
      </ul>
    </section>
  );
}
