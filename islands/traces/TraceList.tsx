import { breakable } from "../../components/breakable.tsx";
import { formatDuration, formatNumber } from "../../components/format.ts";
import { Id } from "../../components/Id.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { TraceRow } from "../../monitoring/models/trace/trace_row.ts";
import { shortRelease } from "../kit/application_labels.ts";
import { useSortedList } from "../kit/sort.ts";
import { RowValues } from "../kit/ValueLinks.tsx";
import { linkTo, momentHref, OF_DETAIL, useFragment } from "../data/fragment.ts";
import { TraceShapes } from "./PageVitals.tsx";
import { KindMark } from "./SpanKinds.tsx";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { RowList } from "../kit/RowList.tsx";
import { type Column, timeColumn } from "../kit/Table.tsx";

/**
 * The list of traces.
 *
 * @param props.compareWith id of a trace: the rows lead to their comparison with it. `name` in the address: only
 *   those of this name
 */
export function TraceList({ openKey, compareWith }: {
  openKey?: string | undefined;
  compareWith?: string;
}) {
  const { to } = useFragment();
  const { list, query, sort, isUsual } = useSortedList("traces", "-started_at");
  const isCandidate = (row: TraceRow) =>
    compareWith === undefined ||
    (row.trace_id !== compareWith && (query.name === undefined || query.name === row.name));
  const rows = list.rows.filter(isCandidate);

  return (
    <RowList
      list={{ ...list, rows }}
      columns={COLUMNS}
      caption={isUsual ? "Traces, newest first" : "Traces"}
      sort={sort}
      hrefOf={(row) =>
        compareWith === undefined
          ? to([row.trace_id], { ...OF_DETAIL, span: matchOf(row)?.span_id ?? undefined })
          : linkTo("traces", [compareWith, "compare", row.trace_id])}
      openKey={openKey}
      of="traces"
      actions={<TraceShapes />}
      above={compareWith === undefined
        ? rows.length > 0 && <ListHistogram of="traces" query={query} />
        : (
          <p className="facts pad">
            <span>
              Choose the trace to compare with <Id id={compareWith} />
              {query.name !== undefined && (
                <>. Only those named “{displayName({ op: query.op ?? null, name: query.name })}”</>
              )}
            </span>
            {query.name !== undefined && (
              <a href={linkTo("traces", [compareWith, "compare"])}>Show other names</a>
            )}
            <a href={linkTo("traces", [compareWith])}>Cancel</a>
          </p>
        )}
      empty={
        <>
          <b>No traces received.</b> <a href="#/settings">Send test signals</a> in Settings.
        </>
      }
    />
  );
}

/** The counts, also if the duration is that of an application. */
const WHOLE = "Of the whole trace, all applications";

const COLUMNS: readonly Column<TraceRow>[] = [
  timeColumn("Started", ({ started_at }) => started_at, { className: "started", by: "started_at" }),
  {
    title: "Trace",
    cell: (row, link) => (
      <>
        <span data-kind={spanKind({ op: row.op, side: "browser" })}>
          <RowValues values={row.op === null ? [] : [["op", row.op]]}>
            <KindMark />
          </RowValues>
        </span>
        {link(breakable(displayName(row)))}
        <small>{whatIsNamed(row)}</small>
        {matchOf(row) && <small>matches: {matchOf(row)!.name}</small>}
      </>
    ),
    aside: {
      title: "Applications",
      applications: ({ applications }) => applications,
      // Beside a trace, where the list has no room for the columns; so is the time below the duration.
      cell: (row) => (
        <span className="if-narrow">
          {isMarked(row) && <Status {...row} />}
        </span>
      ),
    },
  },
  {
    title: "Duration",
    tip:
      "Of the page load, navigation or request that the row is named for; of a chosen application, its own." +
      " –: it has no valid start, or no end after it",
    width: 10,
    numeric: true,
    by: "duration",
    cell: (row) => (
      <>
        <Duration ms={durationOf(row)} hasFailed={row.failed} />
        <small className="if-narrow">
          <TimeAgo at={row.started_at} />
        </small>
      </>
    ),
  },
  {
    title: "Status",
    tip:
      "HTTP status of the span that the row is named for. Cross: it is 400 or higher, or the trace has failed: an error or a root span (of the trace, a page or a process), of a chosen application its own",
    width: 4.5,
    isWide: true,
    cell: (row) => <Status {...row} />,
  },
  {
    title: "Release",
    tip: "Of the sender of what the row is named for",
    width: 8,
    isWide: true,
    className: "release",
    cell: ({ release }) =>
      release !== null && (
        <RowValues values={[["release", release]]}>
          {shortRelease(release)}
        </RowValues>
      ),
  },
  ...(["spans", "errors", "logs"] as const).map((name): Column<TraceRow> => ({
    title: name[0]!.toUpperCase() + name.slice(1),
    tip: WHOLE,
    width: 4.5,
    numeric: true,
    isWide: true,
    by: name,
    cell: (row) => <Count of={row[name]} isFailure={name === "errors"} />,
  })),
  {
    title: "Recording",
    width: 5.5,
    isWide: true,
    className: "recording",
    cell: ({ replay_id, started_at }) =>
      replay_id !== null && <a href={momentHref(replay_id, started_at)}>play</a>,
  },
];

/** What the query has found, if it is not what the row is named for. */
const matchOf = ({ match, name }: TraceRow) => match?.name === name ? null : match;

/** Without spans, what a trace is named for. */
function whatIsNamed({ spans, errors, name }: TraceRow): string | null {
  if (spans > 0 || name === null) return null;
  return errors > 0 ? "first error" : "first log";
}

/** The HTTP status; marked if it is one of failure, or the trace failed elsewhere. */
function Status(row: TraceRow) {
  const { http_status, failed } = row;
  const isElsewhere = failed && http_status !== null && http_status < 400;
  // "failed" is of the trace, `status:error` of one of its spans: no link.
  return (http_status !== null || failed) && (
    <RowValues values={http_status === null ? [] : [["status_code", http_status]]}>
      <span className={isMarked(row) && !isElsewhere ? "refused" : "quiet"}>
        {isMarked(row) && <OutcomeMark kind="refused" />}
        {http_status ?? "failed"}
        {isElsewhere && <span className="vh">, the trace failed</span>}
      </span>
    </RowValues>
  );
}

const isMarked = ({ http_status, failed }: TraceRow) => failed || (http_status ?? 0) >= 400;

/** A duration, with a bar on a logarithmic scale: 5 ms and 5 s can both be seen. */
function Duration({ ms, hasFailed }: { ms: number | null; hasFailed: boolean }) {
  if (ms === null) return "–";
  return (
    <>
      {formatDuration(ms)}
      <span
        className={hasFailed ? "gauge refused" : "gauge"}
        aria-hidden="true"
        title="1 ms to 1 min, a gap at 10 ms, 100 ms, 1 s, 10 s"
      >
        <i style={{ width: `${durationShare(ms) * 100}%` }} />
      </span>
    </>
  );
}

/** End of the scale of durations; it starts at 1 ms. The gaps in `charts.css` are at its powers of ten. */
const LONGEST_MS = 60_000;

/** The part of the scale that a duration takes, 0 to 1. */
function durationShare(ms: number): number {
  return Math.min(1, Math.log10(Math.max(1, ms)) / Math.log10(LONGEST_MS));
}

/** Milliseconds; null if no end was received. */
function durationOf({ started_at, ended_at }: TraceRow): number | null {
  return ended_at === null ? null : Math.max(0, ended_at - started_at);
}

/** A number in a list; zero is quiet. @param props.isFailure red with a mark, unless the number is 0 */
function Count({ of, isFailure }: { of: number; isFailure: boolean }) {
  const isRefused = isFailure && of > 0;
  return (
    <span className={isRefused ? "refused" : of > 0 ? undefined : "none"}>
      {isRefused && <OutcomeMark kind="refused" />}
      {formatNumber(of)}
    </span>
  );
}
