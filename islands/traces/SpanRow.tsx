import { memo, type ReactNode } from "react";
import { formatDuration, formatOffset } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { Extent, PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import { cyclesText, repetitionText } from "../../monitoring/models/trace/repetitions.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import type { WaterfallRow } from "../../monitoring/models/trace/waterfall.ts";
import { durationOf, type TraceSpan } from "../../monitoring/models/trace/trace_span.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { spanClasses } from "./span_classes.ts";
import { KindMark } from "./SpanKinds.tsx";
import { countMarks, EventMark } from "./TimeAxis.tsx";
import { barOf, clustersOf, solidParts } from "../charts/time_scale.ts";

/** Deeper rows are indented no further; `aria-level` has their depth. */
const MAX_INDENT = 16;

interface SpanRowProps {
  readonly row: WaterfallRow;
  /** Number of the row in the grid, from 1. */
  readonly number: number;
  readonly time: PlacedTime;
  /** The application that sent it, if another sent its parent. */
  readonly application: string | undefined;
  /** The parts of its time in which it runs itself. Of a repetition those of each query's spans. */
  readonly self: readonly (readonly Extent[])[];
  readonly window: Extent;
  /** Start of the trace, milliseconds since 1970. */
  readonly origin: number;
  readonly marks: readonly PlacedMark[];
  readonly isSelected: boolean;
  readonly isMatch: boolean;
  readonly isTabStop: boolean;
  /** Pixels from the top of the grid. */
  readonly top: number;
  readonly height: number;
}

/**
 * One row of the waterfall. Memoized: rows that stay in sight are not rendered again while
 * scrolling. Therefore it has no callbacks; the grid handles clicks by `data-row-number` and
 * `data-toggle`.
 */
export const SpanRow = memo(function SpanRow(props: SpanRowProps) {
  const { row, number, time, window, origin, marks } = props;
  const { node, repetition, expanded } = row;
  const { span } = node;
  return (
    <div
      role="row"
      className={`wf-cols wf-row ${spanClasses(span, time)}${props.isMatch ? " match" : ""}`}
      aria-rowindex={number}
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={expanded ?? undefined}
      aria-selected={props.isSelected}
      tabIndex={props.isTabStop ? 0 : -1}
      data-row-number={number}
      data-kind={span ? spanKind(span) : undefined}
      style={{ transform: `translateY(${props.top}px)`, height: props.height }}
    >
      <div
        role="gridcell"
        className="wf-name"
        style={{ paddingLeft: `${Math.min(row.depth, MAX_INDENT) * 0.75}rem` }}
      >
        <span className="toggle" aria-hidden="true" data-toggle={expanded ?? undefined}>
          {expanded === null ? "" : expanded ? "▾" : "▸"}
        </span>
        {span && <KindMark />}
        {span?.failed && <OutcomeMark kind="refused" />}
        {props.application && <ApplicationTile name={props.application} />}
        {repetition && <b className="times filled waits">{cyclesText(repetition)}</b>}
        <span className="wf-title one-line" title={repetition?.name ?? span?.name}>
          {span?.op && <b>{span.op}</b>} {repetition?.name ?? span?.name ?? "Missing parent"}
        </span>
        {span?.failed && <span className="vh">, failed</span>}
        {marks.length > 0 && <span className="vh">, {countMarks(marks).join(", ")}</span>}
        {span && <span className="vh">{props.application ?? ""} {span.side}</span>}
      </div>
      <div role="gridcell" className="track">
        <SpanBar window={window} time={repetition ?? time} self={props.self} isLong={!!repetition}>
          <span title={repetition && repetitionText(repetition)}>{durationText(row)}</span>
        </SpanBar>
        <span className="vh">from {formatOffset(time.start_ms - origin)}</span>
        {clustersOf(window, marks, () => 1).map(({ left, members }) => (
          <span
            key={members[0]!.key}
            className="at"
            style={{ left: `${left}%` }}
            aria-hidden="true"
          >
            <EventMark kind={members.some(({ kind }) => kind === "error") ? "error" : "log"} />
          </span>
        ))}
      </div>
    </div>
  );
});

/** Beside the bar. Of a repetition the sum of the durations, which may be longer than the time that they took. */
function durationText({ node: { span }, repetition }: WaterfallRow): string {
  if (repetition) {
    const { parallel, nodes, total_ms } = repetition;
    const most = parallel < nodes.length ? `up to ${parallel} in parallel, ` : "in parallel, ";
    return `${parallel > 1 ? most : ""}${formatDuration(total_ms)} in all`;
  }
  return span ? spanDuration(span) : "–";
}

/** As sent, also of a span that is drawn elsewhere. */
export function spanDuration(span: TraceSpan): string {
  const ms = durationOf(span);
  if (ms === null) return span.start_ms !== null && span.end_ms === null ? "no end" : "–";
  return formatDuration(ms) + (span.listed_at === undefined ? "" : " as sent");
}

/** Percent of the axis from which on a bar's text is before it, if it is long and there is room. */
const LATE = 80;

/** The span's bar: solid where it runs itself, hatched for the further queries of a repetition. Outside of the window an arrow with the distance. */
function SpanBar({ window, time, self: [own = [], ...others], isLong, children }: {
  window: Extent;
  time: Extent;
  self: readonly (readonly Extent[])[];
  isLong: boolean;
  /** Beside the bar. */
  children: ReactNode;
}) {
  const bar = barOf(window, time);
  if (bar !== undefined) {
    const end = bar.left + bar.width;
    return (
      <>
        <span
          className="span-bar"
          style={{
            left: `${bar.left}%`,
            width: `${bar.width}%`,
            backgroundImage: solidParts(bar.shown, own),
          }}
        >
          {others.map((parts, n) => (
            <i
              key={n}
              className="hatched cover"
              style={{ maskImage: solidParts(bar.shown, parts) }}
            />
          ))}
        </span>
        <span
          className="bar-text small quiet"
          style={isLong && end > LATE && bar.left > 100 - LATE
            ? { right: `${100 - bar.left}%` }
            : { left: `${end}%` }}
        >
          {children}
        </span>
      </>
    );
  }
  const isBefore = time.end_ms < window.start_ms;
  return (
    <span className={`outside ${isBefore ? "before" : "after"} small quiet`}>
      {isBefore
        ? `◂ ${formatDuration(window.start_ms - time.end_ms)} earlier`
        : `${formatDuration(time.start_ms - window.end_ms)} later ▸`}
      <span className="vh">, {children}</span>
    </span>
  );
}
