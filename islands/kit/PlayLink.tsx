import { useMemo } from "react";
import { isPlaced } from "../../monitoring/models/recording/timeline.ts";
import type { RecordingRow } from "../../monitoring/models/recording/recording_row.ts";
import { type Moment, readTrace, type Trace } from "../../monitoring/models/trace/trace.ts";
import type { TraceMark } from "../../monitoring/models/trace/trace_span.ts";
import { linkTo, momentHref } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { useTraceContent } from "../data/use_read.ts";

/** Leads to a recording: to a moment, if it can be found in it. Nothing as long as no segment of it has arrived. */
export function PlayLink({ replayId, moment }: { replayId: string | null; moment: Moment }) {
  const row = useRecording(replayId);
  if (row === undefined) return null;
  const { replay_id } = row;
  if (row.kind === "video") return <a href={linkTo("recordings", [replay_id])}>Open recording</a>;
  return moment.at_ms !== null && isPlaced(moment, row)
    ? <a href={momentHref(replay_id, moment.at_ms)}>Play at this moment</a>
    : <a href={linkTo("recordings", [replay_id])} title={WHY}>Open recording, moment unknown</a>;
}

const WHY = "By its sender’s clock, which may be wrong, it was outside of the recording";

/** A recording. An id alone means little: SDKs send one with every session, also if the recording is never sent. */
export function useRecording(replayId: string | null): RecordingRow | undefined {
  const query = replayId === null ? undefined : { replay: replayId, limit: 1 };
  const [row] = useList("recordings", query).rows;
  return row?.replay_id === replayId ? row : undefined;
}

/** A trace; undefined until it is read. @param traceId null: none */
export function useTrace(traceId: string | null): Trace | undefined {
  const { state, value } = useTraceContent(traceId);
  const trace = useMemo(() => value && readTrace(value), [value]);
  // The previous trace stays until this one is read.
  return state === "ready" ? trace : undefined;
}

/** When an error or a log of a trace happened. @param sent by its sender's clock */
export function useMoment(
  traceId: string | null,
  isEvent: (mark: TraceMark) => boolean,
  sent: Omit<Moment, "isKnown">,
): Moment {
  const mark = useTrace(traceId)?.marks.find((mark) => !mark.astray && isEvent(mark));
  return { ...sent, isKnown: false, ...mark };
}
