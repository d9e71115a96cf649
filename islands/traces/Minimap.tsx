import { type PointerEvent, useState } from "react";
import { formatOffset } from "../../components/format.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { barOf, percentAt } from "../charts/time_scale.ts";
import { TracePicture } from "../charts/TracePicture.tsx";
import type { TimeWindow } from "../charts/use_time_window.ts";

/** A small picture of the trace. Dragging or keys select the time that the waterfall shows. */
export function Minimap({ trace, timeWindow }: { trace: Trace; timeWindow: TimeWindow }) {
  const { window, frame } = timeWindow;
  const [drag, setDrag] = useState<readonly [from: number, to: number]>();
  const timeAt = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    return frame.start_ms + share * (frame.end_ms - frame.start_ms);
  };
  // A click without movement selects nothing.
  const selected = drag && drag[0] !== drag[1] &&
    { start_ms: Math.min(...drag), end_ms: Math.max(...drag) };
  const shown = barOf(frame, selected || window);
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
        setDrag([timeAt(event), timeAt(event)]);
      }}
      onPointerMove={(event) => drag && setDrag([drag[0], timeAt(event)])}
      onPointerUp={(event) => {
        if (selected) timeWindow.select(drag[0], timeAt(event));
        setDrag(undefined);
      }}
      onPointerCancel={() => setDrag(undefined)}
    >
      <TracePicture trace={trace} frame={frame} />
      {shown && shown.width < 100 && (
        <span className="lens" style={{ left: `${shown.left}%`, width: `${shown.width}%` }} />
      )}
    </div>
  );
}
