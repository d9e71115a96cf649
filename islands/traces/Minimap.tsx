import { type PointerEvent, useMemo, useRef, useState } from "react";
import { formatFineDuration } from "../../components/format.ts";
import type { SpanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { barOf, percentAt } from "./time_scale.ts";
import type { TimeWindow } from "./use_time_window.ts";

/** Lanes of the picture. Deeper spans share the last lane. */
const MIN_LANES = 6;
const MAX_LANES = 24;
/** Width of the picture in units of its own; more than the pixels of a screen. */
const WIDTH = 4000;
/** 2 px where the picture is 1,000 px wide. */
const MIN_BAR_WIDTH = 8;
/** Free space above and below a bar, in lanes. */
const LANE_MARGIN = 0.15;

/** When a span is drawn, how deep in the tree it is, and what decides its colour as in the waterfall. */
export interface MinimapBar extends Extent {
  readonly depth: number;
  /** Null: the span was not received. */
  readonly kind: SpanKind | "failed" | null;
}

/** A small drawing of all spans in the window's frame. Dragging or keys select the time that the waterfall shows. */
export function Minimap({ origin, bars, timeWindow }: {
  /** Start of the trace, milliseconds since 1970. */
  origin: number;
  bars: readonly MinimapBar[];
  timeWindow: TimeWindow;
}) {
  const { window, frame } = timeWindow;
  const lanes = Math.min(
    MAX_LANES,
    bars.reduce((most, { depth }) => Math.max(most, depth + 1), MIN_LANES),
  );
  const paths = useMemo(
    () =>
      Array.from(
        Map.groupBy(bars, ({ kind }) => kind),
        ([kind, bars]) => (
          <path key={kind} data-kind={kind ?? undefined} d={pathOf(frame, bars, lanes)} />
        ),
      ),
    [frame.start_ms, frame.end_ms, bars],
  );
  const [selection, setSelection] = useState<Extent>();
  const dragStart = useRef<number>(undefined);

  const timeAt = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    return frame.start_ms + share * (frame.end_ms - frame.start_ms);
  };
  const endDrag = () => {
    dragStart.current = undefined;
    setSelection(undefined);
  };

  const shown = barOf(frame, selection ?? window);
  const [from, to] = [window.start_ms - origin, window.end_ms - origin];
  return (
    <div
      className="minimap"
      role="slider"
      tabIndex={0}
      aria-label="Time shown"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percentAt(frame, window.start_ms))}
      aria-valuetext={`${formatFineDuration(from)} to ${formatFineDuration(to)}`}
      aria-description="Plus, minus, up and down zoom, left and right move, 0 shows the whole trace."
      onKeyDown={timeWindow.onPanKey}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragStart.current = timeAt(event);
      }}
      onPointerMove={(event) => {
        if (dragStart.current === undefined) return;
        const [a, b] = [dragStart.current, timeAt(event)];
        setSelection({ start_ms: Math.min(a, b), end_ms: Math.max(a, b) });
      }}
      onPointerUp={(event) => {
        // A click without movement selects nothing.
        if (dragStart.current !== undefined && selection) {
          timeWindow.select(dragStart.current, timeAt(event));
        }
        endDrag();
      }}
      onPointerCancel={endDrag}
    >
      <svg viewBox={`0 0 ${WIDTH} ${lanes}`} preserveAspectRatio="none" aria-hidden="true">
        {paths}
      </svg>
      {shown.out === undefined && shown.width < 100 && (
        <span className="lens" style={{ left: `${shown.left}%`, width: `${shown.width}%` }} />
      )}
    </div>
  );
}

/** A rectangle for each span, all of a kind in one SVG path: few elements are fast, however many spans there are. */
function pathOf(frame: Extent, bars: readonly MinimapBar[], lanes: number): string {
  const height = 1 - 2 * LANE_MARGIN;
  // Spans with the same rectangle are drawn once.
  const rectangles = new Set<string>();
  for (const bar of bars) {
    const position = barOf(frame, bar);
    if (position.out) continue;
    const x = Math.round(position.left * WIDTH / 100);
    const width = Math.max(MIN_BAR_WIDTH, Math.round(position.width * WIDTH / 100));
    const y = Math.min(bar.depth, lanes - 1) + LANE_MARGIN;
    rectangles.add(`M${x} ${y}h${width}v${height}h-${width}z`);
  }
  return [...rectangles].join("");
}
