import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { formatFineDuration } from "../../components/format.ts";
import { barOf, percentAt } from "./bar.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";

/** Lanes of the picture, at least and at most: what lies deeper shares the last one. */
const MIN_LANES = 6;
const MAX_LANES = 24;
/** Units of the picture's width: finer than any screen's pixels. */
const WIDTH = 4000;

/**
 * All spans of the trace in one strip, and the part of it that is shown below. A part is chosen by dragging, or by keys.
 *
 * @param props.bars when each span is drawn, and how deep in the tree
 * @param props.onDraw two moments that a person has dragged between
 */
export function Overview({ all, window, bars, onDraw, onKeyDown }: {
  all: Extent;
  window: Extent;
  bars: readonly (Extent & { readonly depth: number })[];
  onDraw: (a_ms: number, b_ms: number) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const lanes = Math.min(
    MAX_LANES,
    bars.reduce((most, { depth }) => Math.max(most, depth + 1), MIN_LANES),
  );
  const path = useMemo(() => pathOf(all, bars, lanes), [all.start_ms, all.end_ms, bars]);
  const [drawn, setDrawn] = useState<Extent>();
  const from = useRef<number>(undefined);

  const timeAt = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    return all.start_ms + share * (all.end_ms - all.start_ms);
  };
  const between = (a: number, b: number) => ({ start_ms: Math.min(a, b), end_ms: Math.max(a, b) });
  const end = (event: PointerEvent) => {
    const began = from.current;
    from.current = undefined;
    setDrawn(undefined);
    // A click draws nothing.
    if (began !== undefined && drawn) onDraw(began, timeAt(event));
  };

  const shown = barOf(all, drawn ?? window);
  const [start, until] = [window.start_ms - all.start_ms, window.end_ms - all.start_ms];
  return (
    <div
      className="overview-bar"
      role="slider"
      tabIndex={0}
      aria-label="Time shown"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percentAt(all, window.start_ms))}
      aria-valuetext={`${formatFineDuration(start)} to ${formatFineDuration(until)}`}
      aria-description="Plus and minus zoom, arrow keys move, 0 shows the whole trace."
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = timeAt(event);
      }}
      onPointerMove={(event) => {
        if (from.current !== undefined) setDrawn(between(from.current, timeAt(event)));
      }}
      onPointerUp={end}
      onPointerCancel={() => {
        from.current = undefined;
        setDrawn(undefined);
      }}
    >
      <svg viewBox={`0 0 ${WIDTH} ${lanes}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={path} />
      </svg>
      {shown.out === undefined && shown.width < 100 && (
        <span className="lens" style={{ left: `${shown.left}%`, width: `${shown.width}%` }} />
      )}
    </div>
  );
}

/** Every span as a rectangle: one path, however many there are. */
function pathOf(
  all: Extent,
  bars: readonly (Extent & { readonly depth: number })[],
  lanes: number,
): string {
  const drawn = new Set<string>();
  for (const bar of bars) {
    const x = Math.round(percentAt(all, bar.start_ms) * WIDTH / 100);
    const width = Math.max(8, Math.round(percentAt(all, bar.end_ms) * WIDTH / 100) - x);
    drawn.add(`M${x} ${Math.min(bar.depth, lanes - 1) + 0.15}h${width}v.7h-${width}z`);
  }
  return [...drawn].join("");
}
