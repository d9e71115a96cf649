import { readSegment, SegmentError } from "../../monitoring/models/recording/recording.ts";
import type { SentSegment } from "../../monitoring/protocol/player_messages.ts";
import { api } from "../data/api.ts";
import { inParallel, listEnvelopes, MAX_BYTES } from "../shared/read_envelopes.ts";

/** The segments of a recording, as far as they could be read. */
export interface ReadSegments {
  readonly segments: readonly (SentSegment & { readonly envelope: number })[];
  /** Why segments could not be read. */
  readonly unreadable: readonly string[];
  /** Envelopes beyond {@linkcode MAX_BYTES}. */
  readonly omitted: number;
  /** Envelopes with segments of this recording, when it was read. */
  readonly envelopes: number;
}

/** Reads the segments of a recording that have arrived. */
export async function readSegments(replayId: string): Promise<ReadSegments> {
  const rows = await listEnvelopes({ replay: replayId });
  let bytes = 0;
  const playable = rows.reverse().filter(({ items }) => !items.some(isVideo));
  const read = playable.filter((row) => (bytes += row.bytes) <= MAX_BYTES);
  const unreadable: string[] = [];
  const found = await inParallel(read, async ({ id }) => {
    try {
      const envelope = await api.envelope(id);
      // Undefined: evicted meanwhile.
      const segment = envelope && await readSegment(envelope);
      return segment && { ...segment, envelope: id };
    } catch (error) {
      if (!(error instanceof SegmentError)) throw error;
      unreadable.push(`Envelope ${id}: ${error.message}.`);
    }
  });
  return {
    segments: found.filter((segment) => segment !== undefined),
    unreadable,
    omitted: playable.length - read.length,
    envelopes: rows.length,
  };
}

const isVideo = ({ type }: { readonly type: string }) => type === "replay_video";
