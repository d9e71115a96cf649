import { at, hexId, integerAt, listOf, plausibleTime, tidyText } from "../json.ts";
import type { ParsedEnvelope } from "../parsed_envelope.ts";
import type { RecordingRow } from "../rows.ts";

/** The index entry of one segment of a recording. Times are milliseconds since 1970. */
export interface RecordingEntry {
  readonly replay_id: string;
  /** `video`: of a mobile SDK. */
  readonly kind: RecordingRow["kind"];
  /** Null: the sender did not number it. */
  readonly segment: number | null;
  /** Start of the recording according to this segment. */
  readonly started_at: number;
  /** End of the segment. */
  readonly at: number;
  /** Errors during the segment. */
  readonly errors: number;
  /** Bytes of the recorded events or of the video, as sent. */
  readonly bytes: number;
  /** Address of the first page, as sent; null: none was sent. */
  readonly page: string | null;
}

/** Characters of an address. Browsers support some 2,000 characters; a list shows its beginning. */
const MAX_PAGE = 500;
/** A recording of an hour has some 720 segments. */
const MAX_SEGMENT = 100_000;
/** Errors of one segment: as many as an SDK reports. */
const MAX_ERRORS = 100;

/**
 * The recording's segment in an envelope; undefined if there is none. An SDK sends one in each envelope, as a
 * `replay_event` that describes it and a `replay_recording` or `replay_video` that contains it.
 *
 * @param receivedAt replaces missing or implausible times, milliseconds since 1970
 */
export function recordingEntry(
  { header, items }: ParsedEnvelope,
  receivedAt: number,
): RecordingEntry | undefined {
  const content = items.find(({ type }) => type === "replay_recording" || type === "replay_video");
  if (content === undefined) return undefined;
  const isVideo = content.type === "replay_video";
  const event = isVideo ? content.json : items.find(({ type }) => type === "replay_event")?.json;
  // The envelope of a segment has the id of its recording.
  const replayId = hexId(at(event, "replay_id")) ?? hexId(at(header, "event_id"));
  if (replayId === null) return undefined;
  const end = plausibleTime(at(event, "timestamp"), receivedAt) ?? receivedAt;
  const start = plausibleTime(at(event, "replay_start_timestamp"), receivedAt) ?? end;
  const segment = integerAt(content.json, 0, "segment_id") ?? integerAt(event, 0, "segment_id");
  const url = listOf(at(event, "urls"))[0] ?? at(event, "request", "url");
  return {
    replay_id: replayId,
    kind: isVideo ? "video" : "page",
    segment: segment !== null && segment <= MAX_SEGMENT ? segment : null,
    started_at: Math.min(start, end),
    at: end,
    errors: Math.min(MAX_ERRORS, listOf(at(event, "error_ids")).length),
    bytes: content.bytes,
    page: tidyText(url, MAX_PAGE) || null,
  };
}

/**
 * The row of a recording, from the entries of all its segments that have arrived.
 *
 * @param entries in the order of arrival; at least one
 * @param source key of the source that sent the newest one
 */
export function recordingRow(
  entries: readonly Omit<RecordingEntry, "replay_id">[],
  replayId: string,
  source: string,
): RecordingRow {
  const segments = new Map<number, Omit<RecordingEntry, "replay_id">>();
  let unnumbered = 0;
  for (const entry of entries) {
    if (entry.segment === null) unnumbered++;
    else if (!segments.has(entry.segment)) segments.set(entry.segment, entry);
  }
  const kept = segments.size > 0 ? [...segments.values()] : entries;
  const numbers = [...segments.keys()].sort((a, b) => a - b);
  const last = numbers.at(-1) ?? -1;
  const first = segments.get(numbers[0] ?? -1) ?? entries[0];
  return {
    replay_id: replayId,
    kind: entries.some(({ kind }) => kind === "video") ? "video" : "page",
    page: first?.page ?? null,
    started_at: entries.reduce((least, { started_at }) => Math.min(least, started_at), Infinity),
    ended_at: entries.reduce((most, { at }) => Math.max(most, at), -Infinity),
    segments: segments.size,
    missing: last + 1 - segments.size,
    doubled: entries.length - unnumbered - segments.size,
    errors: kept.reduce((sum, { errors }) => sum + errors, 0),
    bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0),
    source,
  };
}
