import { memo, type Ref } from "react";
import type { Extent, PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import type { WaterfallRow } from "../../monitoring/models/trace/waterfall.ts";
import { formatCount, formatFineDuration } from "../../components/format.ts";
import { Mark } from "../../components/Mark.tsx";
import { barOf, clustersOf } from "./bar.ts";

/** Steps to the right that are drawn; deeper rows say their depth by `aria-level` alone. */
const MAX_INDENT = 16;

export interface SpanRowProps {
  readonly row: WaterfallRow;
  /** Its line in the grid, from 1. */
  readonly index: number;
  readonly time: PlacedTime;
  readonly window: Extent;
  readonly origin: number;
  readonly marks: readonly PlacedMark[];
  readonly chosen: boolean;
  readonly found: boolean;
  readonly active: boolean;
  /** Pixels from the grid's top, and its own. */
  readonly top: number;
  readonly height: number;
  readonly ref?: Ref<HTMLDivElement>;
}

/**
 * One line of the waterfall. While a trace is scrolled, lines that stay in sight are not rendered again: all that a
 * line is given stays the same, and clicks are the grid's to take, by `data-line` and, on its arrow, `data-twist`.
 */
export const SpanRow = memo(function SpanRow(
  {
    row,
    index,
    time,
    window,
    origin,
    marks,
    chosen,
    found,
    active,
    top,
    height,
    ref,
  }: SpanRowProps,
) {
  const { node, expanded } = row;
  const { span } = node;
  const origins = span?.origin ?? "missing";
  return (
    <div
      ref={ref}
      role="row"
      className={`wf-row ${origins}${found ? " found" : ""}`}
      aria-rowindex={index}
      aria-level={node.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={expanded ?? undefined}
      aria-selected={chosen}
      tabIndex={active ? 0 : -1}
      data-line={index}
      style={{ transform: `translateY(${top}px)`, height }}
    >
      <div
        role="gridcell"
        className="wf-name"
        style={{ paddingLeft: `${Math.min(node.depth, MAX_INDENT) * 0.75}rem` }}
      >
        <span className="twist" aria-hidden="true" data-twist={expanded ?? undefined}>
          {expanded === null ? "" : expanded ? "▾" : "▸"}
        </span>
        {span?.failed && <Mark kind="refused" />}
        <span className="wf-title" title={span?.name}>
          {span?.op && <b>{span.op}</b>} {span?.name ?? "Parent did not arrive"}
        </span>
        {span?.failed && <span className="vh">, failed</span>}
        {marks.length > 0 && <span className="vh">, {countsOf(marks)}</span>}
        {span && <span className="where">{span.origin}</span>}
      </div>
      <div role="gridcell" className="wf-took">
        {span === null
          ? "–"
          : time.facts.includes("no end")
          ? span.envelope === null ? "live" : "no end"
          : formatFineDuration(time.end_ms - time.start_ms)}
      </div>
      <div role="gridcell" className="track">
        <span className="vh">from {formatFineDuration(time.start_ms - origin)}</span>
        <Span
          window={window}
          time={time}
          open={time.facts.includes("no end")}
          failed={span?.failed}
        />
        {clustersOf(window, marks, 1).map(({ left, members }) => {
          const isError = members.some(({ kind }) => kind === "error");
          return (
            <span
              key={members[0]!.key}
              className="at"
              style={{ left: `${left}%` }}
              aria-hidden="true"
            >
              {isError ? <Mark kind="refused" /> : <i className="log-mark" />}
            </span>
          );
        })}
      </div>
    </div>
  );
});

function Span({ window, time, open, failed = false }: {
  window: Extent;
  time: PlacedTime;
  open: boolean;
  failed?: boolean | undefined;
}) {
  const bar = barOf(window, time);
  if (bar.out) {
    return <span className={`beyond ${bar.out}`}>{bar.out === "before" ? "◂" : "▸"}</span>;
  }
  return (
    <span
      className={`span-bar${open ? " open" : ""}${failed ? " failed" : ""}`}
      style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
    />
  );
}

function countsOf(marks: readonly PlacedMark[]): string {
  const errors = marks.filter(({ kind }) => kind === "error").length;
  const logs = marks.length - errors;
  return [errors && formatCount(errors, "error"), logs && formatCount(logs, "log")]
    .filter(Boolean).join(", ");
}
