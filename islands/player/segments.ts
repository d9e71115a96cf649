import { readSegment, SegmentError } from "../../monitoring/models/recording/recording.ts";
import type { SentSegment } from "../../monitoring/protocol/player_messages.ts";
import { type ConsoleQuery, inbox } from "../data/inbox.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";

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
      const envelope = await inbox.bytes(id);
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

/** Bytes of a recording's segments, as sent, that a view reads: the events take some ten times the memory. */
export const MAX_BYTES = 64 * 1024 * 1024;

/** Requests at the same time, as many as a browser sends to one server over HTTP/1.1. */
const CONCURRENCY = 6;
/** Milliseconds of work without a pause in which the page can react. */
const SLICE_MS = 12;

/** Lists the envelopes that match a query, page by page, newest first. */
export async function listEnvelopes(query: ConsoleQuery): Promise<InboxRow[]> {
  const rows: InboxRow[] = [];
  let before: string | undefined;
  do {
    const page = await inbox.read("envelopes", { ...query, before });
    rows.push(...page.rows);
    before = page.next ?? undefined;
  } while (before !== undefined);
  return rows;
}

/**
 * The results for all values, in their order; a few requests at the same time.
 *
 * @throws the first error, once all running requests have ended; then no more are started
 */
export async function inParallel<Value, Result>(
  values: readonly Value[],
  request: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < values.length; index = next++) {
      results[index] = await request(values[index]!).catch((error) => {
        next = values.length;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work));
  for (const result of ended) if (result.status === "rejected") throw result.reason;
  return results;
}

/** Does work for each value, in short tasks. @throws the reason of `outdated`, once it is aborted */
export async function inShortTasks<Value>(
  values: readonly Value[],
  work: (value: Value) => void,
  outdated: AbortSignal,
): Promise<void> {
  let until = performance.now() + SLICE_MS;
  for (const value of values) {
    work(value);
    outdated.throwIfAborted();
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    until = performance.now() + SLICE_MS;
  }
}
