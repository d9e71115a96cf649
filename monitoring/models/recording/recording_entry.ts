import { at, hexId, integerAt, listOf, plausibleTime, textAt, tidyText } from "../json.ts";
import type { ParsedEnvelope } from "../parsed_envelope.ts";
import { MAX_DURATION_MS, type RecordedRange } from "./recording.ts";
import type { RecordingRow } from "./recording_row.ts";

/** The index entry of one segment of a recording. Times are milliseconds since 1970. */
export interface RecordingEntry {
  readonly replay_id: string;
  /** `video`: of a mobile SDK. */
  readonly kind: RecordingRow["kind"];
  /** Null: the sender did not number it. */
  readonly segment: number | null;
  /** First recorded event; if the events were not read, the start of the recording as the SDK sent it. */
  readonly started_at: number;
  /** Last recorded event; else the time that the SDK sent. */
  readonly at: number;
  /** Has a complete picture of the page: a recording is played from the first one. */
  readonly playable: boolean;
  /** Bytes of the recorded events or of the video, as sent. */
  readonly bytes: number;
  /** As sent: name, email or id; null: none was sent. */
  readonly user: string | null;
  /** "Chrome 148", by its context or its User-Agent; null: not known. */
  readonly browser: string | null;
  /** Addresses of the pages in the segment, as sent: they find the recording. */
  readonly urls: readonly string[];
}

/** Characters of an address. Browsers support some 2,000 characters; a list shows its beginning. */
const MAX_PAGE = 500;
/** Characters of a user or browser. */
const MAX_NAME = 100;

/** The first one that matches: most browsers name those before them, too. */
const BROWSERS: Readonly<Record<string, RegExp>> = {
  Edge: /\bEdg(?:e|A|iOS)?\/(\d+)/,
  Opera: /\bOPR\/(\d+)/,
  "Samsung Internet": /\bSamsungBrowser\/(\d+)/,
  Firefox: /\b(?:Firefox|FxiOS)\/(\d+)/,
  Chrome: /(?:Chrome|CriOS)\/(\d+)/,
  Safari: /\bVersion\/(\d+).* Safari\//,
};

/** As an event has it: name, email or id of the user. */
export const userOf = (event: unknown): string | null =>
  USER_KEYS.map((key) => tidyText(textAt(event, "user", key), MAX_NAME)).find(Boolean) ?? null;

const USER_KEYS = ["username", "email", "id"] as const;

/** "Chrome 148", by the context of an event or its User-Agent; null: not known. */
export function browserOf(event: unknown): string | null {
  const context = at(event, "contexts", "browser");
  const named = ["name", "version"].map((key) => tidyText(at(context, key), MAX_NAME));
  if (named[0]) return named.filter(Boolean).join(" ");
  const agent = textAt(event, "request", "headers", "User-Agent")?.slice(0, MAX_PAGE) ?? "";
  const found = Object.entries(BROWSERS).map(([name, pattern]) => [name, pattern.exec(agent)?.[1]])
    .find(([, version]) => version);
  return found?.join(" ") ?? null;
}

/** Pages of a segment, which is some seconds long. */
const MAX_URLS = 20;
/** A recording of an hour has some 720 segments. */
const MAX_SEGMENT = 100_000;

/**
 * The recording's segment in an envelope; undefined if there is none. An SDK sends one in each envelope, as a
 * `replay_event` that describes it and a `replay_recording` or `replay_video` that contains it.
 *
 * @param receivedAt replaces missing or implausible times, milliseconds since 1970
 * @param recorded undefined: the events were not read
 */
export function recordingEntry(
  { header, items }: ParsedEnvelope,
  receivedAt: number,
  recorded?: RecordedRange,
): RecordingEntry | undefined {
  const content = items.find(({ type }) => type === "replay_recording" || type === "replay_video");
  if (content === undefined) return undefined;
  const isVideo = content.type === "replay_video";
  const event = isVideo ? content.json : items.find(({ type }) => type === "replay_event")?.json;
  // The envelope of a segment has the id of its recording.
  const replayId = hexId(at(event, "replay_id")) ?? hexId(at(header, "event_id"));
  if (replayId === null) return undefined;
  const plausible = (seconds: unknown) => plausibleTime(seconds, receivedAt);
  const end = plausible(recorded && recorded.to / 1000) ?? plausible(at(event, "timestamp")) ??
    receivedAt;
  const length = recorded === undefined ? 0 : recorded.to - recorded.from;
  const start = plausible(recorded && recorded.from / 1000) ??
    plausible(at(event, "replay_start_timestamp")) ?? end - length;
  const segment = integerAt(content.json, 0, "segment_id") ?? integerAt(event, 0, "segment_id");
  const urls = [...listOf(at(event, "urls")).slice(0, MAX_URLS), at(event, "request", "url")]
    .flatMap((url) => tidyText(url, MAX_PAGE) || []);
  return {
    replay_id: replayId,
    kind: isVideo ? "video" : "page",
    segment: segment !== null && segment <= MAX_SEGMENT ? segment : null,
    started_at: Math.min(start, end),
    at: end,
    playable: recorded?.playable === true,
    bytes: content.bytes,
    user: userOf(event),
    browser: browserOf(event),
    urls,
  };
}

interface RecordedSegment extends Omit<RecordingEntry, "replay_id"> {
  readonly release: string | null;
}

/**
 * The row of a recording, from the entries of all its segments that have arrived.
 *
 * @param entries in the order of arrival; at least one
 */
export function recordingRow(
  entries: readonly RecordedSegment[],
  replayId: string,
  application: string,
  errors: number,
): RecordingRow {
  const segments = new Map<string, RecordedSegment & { readonly segment: number }>();
  const newest = (key: "user" | "browser" | "release") =>
    entries.findLast((entry) => entry[key] !== null)?.[key] ?? null;
  let unnumbered = 0;
  for (const entry of entries) {
    const { segment, started_at, at } = entry;
    // Pages of one recording may use the same numbers, at other times.
    const key = `${segment} ${started_at} ${at}`;
    if (segment === null) unnumbered++;
    else if (!segments.has(key)) segments.set(key, { ...entry, segment });
  }
  const numbered = [...segments.values()].sort((a, b) => a.segment - b.segment);
  const kept = numbered.length > 0 ? numbered : entries;
  const last = numbered.at(-1)?.segment ?? -1;
  const starts = entries.map(({ started_at }) => started_at);
  const started_at = numbered.find(({ playable }) => playable)?.started_at ??
    starts.reduce((a, b) => Math.min(a, b));
  return {
    replay_id: replayId,
    kind: entries.some(({ kind }) => kind === "video") ? "video" : "page",
    page: kept[0]?.urls[0] ?? null,
    user: newest("user"),
    browser: newest("browser"),
    release: newest("release"),
    started_at,
    ended_at: entries.map(({ at }) => at)
      .reduce((a, b) => b <= started_at + MAX_DURATION_MS ? Math.max(a, b) : a, started_at),
    segments: segments.size,
    missing: last + 1 - new Set(numbered.map(({ segment }) => segment)).size,
    doubled: entries.length - unnumbered - segments.size,
    errors,
    bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0),
    application,
  };
}
