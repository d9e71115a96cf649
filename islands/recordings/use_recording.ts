import {
  allEvents,
  joinSegments,
  parseSegment,
  type RecordedEvent,
  type Recording,
  type Segment,
} from "../../monitoring/models/recording/recording.ts";
import type { RecordingRow } from "../../monitoring/models/rows.ts";
import type { SentSegment } from "../../monitoring/protocol/player_messages.ts";
import { type ReadSegments, readSegments } from "../player/segments.ts";
import { inShortTasks } from "../shared/read_envelopes.ts";
import { useList } from "../data/lists.ts";
import { useRead } from "../data/use_read.ts";

/** A recording, as far as it could be read. */
export interface ReadRecording extends Omit<ReadSegments, "segments"> {
  /** Undefined: none of the segments has a complete picture of the page. */
  readonly recording: Recording | undefined;
  /** Every event that was read, also those that are not played. */
  readonly events: readonly RecordedEvent[];
}

export type RecordingState =
  & {
    /** The list's row; undefined: not known yet, or there is none. */
    readonly row: RecordingRow | undefined;
    /** What the player gets, before it is parsed here. Undefined: not read yet. */
    readonly segments: readonly SentSegment[] | undefined;
    /** Segments that have arrived since it was read. */
    readonly newer: number;
    /** Reads all segments, also again. */
    read(): void;
  }
  & (
    | { readonly state: "loading" | "missing" }
    | { readonly state: "failed"; readonly error: string }
    | ({ readonly state: "ready" } & ReadRecording)
  );

/** Reads a recording. Segments that arrive later are only counted: reading them would interrupt the player. */
export function useRecording(replayId: string): RecordingState {
  const list = useList("recordings", { replay: replayId }, { view: "recordings" });
  const row = list.rows[0];
  const isKnown = row !== undefined;
  const hasNone = !isKnown && list.state !== "loading";
  // At the same time as the row. Without a row: when there is one.
  const sent = useRead(
    ["segments", replayId],
    !hasNone && (() => readSegments(replayId)),
  );
  const parsed = useRead(
    ["recording", replayId, sent.version],
    sent.value && ((outdated) => parseSegments(sent.value!, outdated)),
    0,
  );
  const { value } = parsed;

  const read = () => {
    list.retry();
    sent.retry();
  };
  const arrived = row === undefined ? 0 : row.segments + row.doubled;
  const newer = value ? Math.max(0, arrived - value.envelopes) : 0;
  const common = { row, newer, read, segments: sent.value?.segments };
  if (list.state === "failed" && !isKnown) {
    return { ...common, state: "failed", error: list.error ?? "" };
  }
  if (!isKnown) return { ...common, state: list.state === "loading" ? "loading" : "missing" };
  const failed = [sent, parsed].find(({ state }) => state === "failed");
  if (failed) return { ...common, state: "failed", error: failed.error ?? "" };
  return value ? { ...value, ...common, state: "ready" } : { ...common, state: "loading" };
}

/** Parses them in short tasks. The player does the same in its own process, at the same time. */
async function parseSegments(
  { segments: sent, ...read }: ReadSegments,
  outdated: AbortSignal,
): Promise<ReadRecording> {
  const segments: Segment[] = [];
  const unreadable = [...read.unreadable];
  await inShortTasks(sent, (one) => {
    const segment = parseSegment(one);
    if (segment) segments.push(segment);
    else unreadable.push(`Envelope ${one.envelope}: its events are not JSON.`);
  }, outdated);
  return {
    ...read,
    unreadable,
    recording: joinSegments(segments),
    events: allEvents(segments),
  };
}
