import { useEffect, useRef } from "react";
import type { RecordingRow } from "../../monitoring/models/rows.ts";
import type { MomentKind } from "../../monitoring/models/recording/timeline.ts";
import { api } from "../data/api.ts";
import { useRead } from "../data/use_read.ts";
import { canHaveStill, RecordingStill } from "../player/RecordingStill.tsx";
import { useTurn } from "../player/use_turn.ts";
import { marksOf, percent } from "./TimeLine.tsx";

/** What is marked: more would be a band. */
const MARKED: readonly MomentKind[] = ["request", "navigation", "click", "error"];

/** How a recording looks in its middle, where most have more than an empty page. Nothing for videos. */
export function Picture({ row }: { row: RecordingRow }) {
  return canHaveStill(row) &&
    <RecordingStill row={row} at={(row.started_at + row.ended_at) / 2} />;
}

/** When a recorded page requested, navigated, was clicked and failed. */
export function Marks({ row }: { row: RecordingRow }) {
  const place = useRef<HTMLDivElement>(null);
  const { isOn, done } = useTurn(place);
  const { state, value } = useRead(
    // The server reads all of its segments: again only for a new one.
    ["marks", row.replay_id, row.segments, row.errors],
    isOn && canHaveStill(row) && (() => api.recording(row.replay_id)),
  );
  useEffect(() => {
    if (isOn && (state !== "loading" || !canHaveStill(row))) done();
  }, [isOn, state]);
  const length = Math.max(1, row.ended_at - row.started_at);
  const recorded = value?.events.filter(({ at }) => at >= row.started_at && at <= row.ended_at);
  const events = Map.groupBy(recorded ?? [], ({ kind }) => kind);
  const marks = MARKED.flatMap((kind) =>
    marksOf(events.get(kind) ?? [], row.started_at, length).map(({ at }) => ({ kind, at }))
  );
  return (
    <div className="recording-marks" ref={place} aria-hidden="true">
      {marks.map(({ kind, at }) => (
        <i
          key={`${kind} ${at}`}
          className={`of-${kind}`}
          style={{ left: percent(at - row.started_at, length) }}
        />
      ))}
    </div>
  );
}
