import { type PointerEvent, useRef, useState } from "react";
import { formatOffset } from "../../components/format.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { barOf, percentAt } from "../charts/time_scale.ts";
import { TracePicture } from "../charts/TracePicture.tsx";
import type { TimeWindow } from "../charts/use_time_window.ts";

/** A small picture of the trace. Dragging or keys select the time that the waterfall shows. */
export function Minimap({ trace, timeWindow }: { trace: Trace; timeWindow: TimeWindow }) {
  const { window, frame } = timeWindow;
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
  const [from, to] = [window.start_ms - trace.origin_ms, window.end_ms - trace.origin_ms];
  return (
    <div
      className="minimap well"
      role="slider"
      tabIndex={0}
      aria-label="Time shown"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percentAt(frame, window.start_ms))}
      aria-valuetext={`${formatOffset(from)} to ${formatOffset(to)}`}
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
      <TracePicture trace={trace} frame={frame} />
      {shown && shown.width < 100 && (
        <span className="lens" style={{ left: `${shown.left}%`, width: `${shown.width}%` }} />
      )}
    </div>
  );
}
