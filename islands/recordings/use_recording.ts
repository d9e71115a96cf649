import {
  allEvents,
  joinSegments,
  parseSegment,
  readSegment,
  type RecordedEvent,
  type Recording,
  SegmentError,
} from "../../monitoring/models/recording/recording.ts";
import type { RecordingRow } from "../../monitoring/models/rows.ts";
import type { SentSegment } from "../../monitoring/protocol/player_messages.ts";
import type { DataSource } from "../shared/source/source.ts";
import { useList } from "../shared/use_source.ts";
import { useRead } from "../shared/use_loaded.ts";
import { inParallel, listEnvelopes } from "../shared/read_envelopes.ts";

/** Bytes of all segments, as sent, that are read: the events take some ten times the memory. */
export const MAX_BYTES = 64 * 1024 * 1024;

/** The segments of a recording, as far as they could be read. */
export interface ReadRecording {
  /** Undefined: none of the segments has a complete picture of the page. */
  readonly recording: Recording | undefined;
  /** What the player gets. */
  readonly segments: readonly SentSegment[];
  /** Every event that was read, also those that are not played. */
  readonly events: readonly RecordedEvent[];
  /** Why segments could not be read. */
  readonly unreadable: readonly string[];
  /** Envelopes beyond {@linkcode MAX_BYTES}. */
  readonly omitted: number;
  /** Envelopes with segments of this recording, when it was read. */
  readonly envelopes: number;
}

export type RecordingState =
  & {
    /** The list's row; undefined: not known yet, or there is none. */
    readonly row: RecordingRow | undefined;
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
export function useRecording(source: DataSource | undefined, replayId: string): RecordingState {
  const list = useList(source, "recordings", { replay: replayId }, { view: "recordings" });
  const row = list.rows[0];
  const isKnown = row !== undefined;
  const hasNone = !isKnown && list.state !== "loading";
  // At the same time as the row. Without a row: when there is one.
  const { state, value, error = "", retry } = useRead(
    source,
    !hasNone && ((source) => readRecording(source, replayId)),
    [replayId, hasNone],
  );

  const read = () => {
    list.retry();
    retry();
  };
  const arrived = row === undefined ? 0 : row.segments + row.doubled;
  const newer = value ? Math.max(0, arrived - value.envelopes) : 0;
  const common = { row, newer, read };
  if (list.state === "failed" && !isKnown) {
    return { ...common, state: "failed", error: list.error ?? "" };
  }
  if (!isKnown) return { ...common, state: list.state === "loading" ? "loading" : "missing" };
  if (state === "failed") return { ...common, state, error };
  return value ? { ...common, state: "ready", ...value } : { ...common, state: "loading" };
}

async function readRecording(source: DataSource, replayId: string): Promise<ReadRecording> {
  const { rows } = await listEnvelopes(source, { replay: replayId });
  let bytes = 0;
  const playable = rows.reverse().filter(({ items }) => !items.some(isVideo));
  const read = playable.filter((row) => (bytes += row.bytes) <= MAX_BYTES);
  const unreadable: string[] = [];
  const found = await inParallel(read, async ({ id }) => {
    try {
      const envelope = await source.envelope(id);
      // Undefined: evicted meanwhile.
      const sent = envelope && await readSegment(envelope);
      return sent && { sent, ...parseSegment(sent) };
    } catch (error) {
      if (!(error instanceof SegmentError)) throw error;
      unreadable.push(`Envelope ${id}: ${error.message}.`);
    }
  });
  const segments = found.filter((segment) => segment !== undefined);
  return {
    recording: joinSegments(segments),
    segments: segments.map(({ sent }) => sent),
    events: allEvents(segments),
    unreadable,
    omitted: playable.length - read.length,
    envelopes: rows.length,
  };
}

const isVideo = ({ type }: { readonly type: string }) => type === "replay_video";
