import type { SentSegment } from "../../protocol/player_messages.ts";
import { decompress } from "../../protocol/read_body.ts";
import { tryReadEnvelope } from "../../protocol/scanner.ts";
import { at, integerAt, listOf, parseJson, textAt, timeAt } from "../json.ts";
import { splitRecording } from "./recording_payload.ts";
import { shownPages } from "./shown_pages.ts";

/** One event of rrweb. Untrusted: `data` may be anything. */
export interface RecordedEvent {
  /** rrweb's `EventType`; 5 is an entry of Sentry's SDK, such as a breadcrumb. */
  readonly type: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly data: unknown;
}

/** A part of a recording, some five seconds of it. */
export interface Segment {
  readonly number: number;
  /** When its page began to be recorded. Pages of one recording may use the same numbers. Undefined: not sent. */
  readonly start?: number | undefined;
  /** In the order as recorded. */
  readonly events: readonly RecordedEvent[];
}

/** Time without frames. Times are milliseconds since 1970. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** Numbers of segments that have not arrived. Without them: the page was loaded, or the recorder paused. */
  readonly missing?: { readonly first: number; readonly last: number };
}

/** A recording, from its segments received so far. Times are milliseconds since 1970. */
export interface Recording {
  /** What can be played: from the first complete picture of the page on. */
  readonly played: readonly RecordedEvent[];
  /** Entries of the SDK: breadcrumbs, spans, web vitals; also those of the page's load from before the first frame. */
  readonly entries: readonly RecordedEvent[];
  /** Time of the first event that is played, and of the last event. */
  readonly from: number;
  readonly to: number;
  /** In order of time, after `from`. */
  readonly gaps: readonly Gap[];
  /** What is missing or cannot be played, before the first complete picture. */
  readonly before: { readonly gaps: readonly Gap[]; readonly frames: number };
  /** Other events over {@linkcode MAX_EVENTS}, or with an implausible time; not spans from before the recording. */
  readonly omitted: number;
}

/** Bytes of one segment's events, decompressed. SDKs send a segment of at most 20 MB. */
const MAX_SEGMENT_BYTES = 32 * 1024 * 1024;
/** Events of a recording. One of an hour has some 50,000. */
const MAX_EVENTS = 200_000;
/** Sentry's SDKs stop after an hour. Events with another clock would make an endless time line. */
export const MAX_DURATION_MS = 24 * 3_600_000;

/** Sentry's SDKs pause the recorder after 5 minutes without input. */
const PAUSED_MS = 5 * 60_000;

const META = 4;
const FULL_SNAPSHOT = 2;
const CUSTOM = 5;
/** rrweb's types that change the picture. */
const PLAYED_TYPES: ReadonlySet<number> = new Set([FULL_SNAPSHOT, 3, META]);

/** A segment cannot be read. The message is for display. */
export class SegmentError extends Error {
  override readonly name = "SegmentError";
}

/**
 * The segment in an envelope, as it was sent, but decompressed; undefined if there is none.
 *
 * @param bytes of the envelope, decompressed
 * @param maxBytes of its events, decompressed
 * @throws {SegmentError}
 */
export async function readSegment(
  bytes: Uint8Array,
  maxBytes = MAX_SEGMENT_BYTES,
): Promise<SentSegment | undefined> {
  const { items } = tryReadEnvelope(bytes) ?? {};
  if (items === undefined) throw new SegmentError("its envelope is malformed");
  const recording = items.find(({ header }) => header.type === "replay_recording");
  if (recording === undefined) return undefined;
  const split = splitRecording(recording.payload);
  if (split === undefined) throw new SegmentError("it has no header");
  const item = items.find(({ header }) => header.type === "replay_event");
  const event = item && parseJson(item.payload);
  const number = integerAt(parseJson(split.header), 0, "segment_id") ??
    integerAt(event, 0, "segment_id");
  if (number === null) throw new SegmentError("it has no number");
  const start = timeAt(event, "replay_start_timestamp") ?? undefined;
  return { number, start, json: await decompressed(split.events, maxBytes) };
}

/** Undefined: its events are not a list in JSON. */
export function parseSegment({ json, ...segment }: SentSegment): Segment | undefined {
  const events = parseJson(json);
  if (!Array.isArray(events)) return undefined;
  return { ...segment, events: events.map(readEvent).filter((event) => event !== undefined) };
}

/** First byte of zlib's format with a window of 32 KiB. JSON begins with a bracket or a blank. */
const ZLIB = 0x78;

async function decompressed(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (bytes[0] !== ZLIB) return bytes;
  try {
    return await decompress(bytes, "deflate", maxBytes);
  } catch (error) {
    if (error instanceof RangeError) throw new SegmentError("it is too large");
    if (error instanceof TypeError) throw new SegmentError("it cannot be decompressed");
    throw error;
  }
}

/** Seconds of later years than this number of milliseconds are; the SDK sends spans in seconds. */
const MAX_SECONDS = 1e11;

/** Undefined: not an event. */
function readEvent(value: unknown): RecordedEvent | undefined {
  const type = integerAt(value, 0, "type");
  const time = at(value, "timestamp");
  if (type === null || typeof time !== "number" || !Number.isFinite(time) || time <= 0) {
    return undefined;
  }
  return { type, timestamp: time < MAX_SECONDS ? time * 1000 : time, data: at(value, "data") };
}

/**
 * Joins segments to a recording, each once, in order of their numbers. Undefined: no segment has a complete
 * picture of the page, so that nothing can be played.
 *
 * @param arrived in the order of arrival
 */
export function joinSegments(arrived: readonly Segment[]): Recording | undefined {
  const segments = inOrder(arrived);
  // Others, such as the document's load event, are neither played nor listed.
  const all = segments.flatMap(({ events }) => events)
    .filter(({ type }) => PLAYED_TYPES.has(type) || type === CUSTOM);
  const picture = all.findIndex(isPicture);
  if (picture === -1) return undefined;
  const meta = all.slice(0, picture).findLast(({ type }) => type === META);
  const from = Math.min(meta?.timestamp ?? Infinity, all[picture]!.timestamp);
  const isPlausible = ({ timestamp }: RecordedEvent) =>
    timestamp >= from && timestamp <= from + MAX_DURATION_MS;
  const kept = all.filter(isPlausible).slice(0, MAX_EVENTS)
    .sort((a, b) => a.timestamp - b.timestamp);
  const isEarlier = ({ timestamp }: RecordedEvent) =>
    timestamp < from && timestamp >= from - MAX_DURATION_MS;
  // The SDK's spans of the page's load are older than the recorder: nothing is missing without them.
  const earlier = all.filter((event) => event.type === CUSTOM && isEarlier(event));
  const early = all.slice(0, picture).filter((event) => event.type !== CUSTOM && isEarlier(event));
  const starts = new Map(
    segments.flatMap(({ events, start }) => events.map((event) => [event, start] as const)),
  );
  const frames = kept.filter(({ type }) => PLAYED_TYPES.has(type));
  const played = shownPages(frames, (frame) => starts.get(frame), MAX_EVENTS);
  const during = kept.filter(({ type }) => type === CUSTOM);
  const entries = [...earlier.slice(0, MAX_EVENTS), ...during];
  const gaps = [...missingSegments(segments, from), ...gapsBeforePages(played, during)];
  return {
    played,
    entries,
    from,
    to: kept.at(-1)?.timestamp ?? from,
    gaps: gaps.filter(({ to }) => to > from).sort((a, b) => a.from - b.from),
    before: { gaps: gaps.filter(({ to }) => to <= from), frames: early.length },
    omitted: all.length - kept.length - earlier.length - early.length,
  };
}

/** The time that a segment covers, in whole milliseconds since 1970. */
export interface RecordedRange {
  readonly from: number;
  readonly to: number;
  /** Has a complete picture of the page, with which `from` begins. */
  readonly playable: boolean;
}

/** Bytes of the events that are parsed when a segment is stored, which takes some 10 ms per MiB. */
const MAX_INDEXED_BYTES = 8 * 1024 * 1024;

/**
 * The time that the segment in an envelope covers, as {@linkcode joinSegments} plays it; undefined if there is none, or
 * it cannot be read.
 *
 * @param bytes of the envelope, decompressed
 */
export async function recordedRange(bytes: Uint8Array): Promise<RecordedRange | undefined> {
  const sent = await readSegment(bytes, MAX_INDEXED_BYTES).catch(() => undefined);
  const segment = sent && parseSegment(sent);
  if (segment === undefined || segment.events.length === 0) return undefined;
  const joined = joinSegments([segment]);
  const times = segment.events.map(({ timestamp }) => timestamp);
  const from = joined?.from ?? times.reduce((a, b) => Math.min(a, b));
  const to = joined?.to ??
    times.reduce((a, b) => b <= from + MAX_DURATION_MS ? Math.max(a, b) : a, from);
  return { from: Math.round(from), to: Math.round(to), playable: joined !== undefined };
}

/** Every event that was sent, also those that are not played, in the order as recorded; each segment once. */
export function allEvents(arrived: readonly Segment[]): readonly RecordedEvent[] {
  return inOrder(arrived).flatMap(({ events }) => events);
}

function inOrder(arrived: readonly Segment[]): Segment[] {
  const segments = Map.groupBy(arrived, ({ number, start }) => `${number} ${start}`);
  return [...segments.values()].map(([first]) => first!).sort((a, b) => a.number - b.number);
}

function isPicture({ type, data }: RecordedEvent): boolean {
  return type === FULL_SNAPSHOT && listOf(at(data, "node", "childNodes")).length > 0;
}

/** The SDK's entry for the load of a page; `navigation.push` is not one. */
const PAGE_LOAD = /^navigation\.(navigate|reload|back_forward)$/;

/**
 * The time before each page's first frame. Other complete pictures follow a change of the same page, or an error in it:
 * before them the page was still.
 */
function gapsBeforePages(
  played: readonly RecordedEvent[],
  entries: readonly RecordedEvent[],
): Gap[] {
  const loads = entries.filter(({ data }) => PAGE_LOAD.test(textAt(data, "payload", "op") ?? ""));
  return played.flatMap(({ type, timestamp: to }, index) => {
    const { timestamp: from } = played[index - 1] ?? {};
    if (type !== META || from === undefined) return [];
    // Its load may have begun before the last frame of the page before it.
    const earliest = played.slice(0, index).findLast((event) => event.type === META)?.timestamp ??
      0;
    const isLoad = loads.some(({ timestamp }) => timestamp > earliest && timestamp <= to);
    return isLoad || to - from >= PAUSED_MS ? [{ from, to }] : [];
  });
}

/**
 * Segments that are missing, from the last frame before them to the first one after. Those before the first segment
 * count as well: its number is not 0.
 */
function missingSegments(segments: readonly Segment[], from: number): Gap[] {
  const gaps: Gap[] = [];
  let next = 0;
  let end = from;
  // The SDK's entries may be older than their segment.
  const framesOf = ({ events }: Segment) =>
    events.flatMap(({ type, timestamp }) => type === CUSTOM ? [] : [timestamp]);
  for (const [index, segment] of segments.entries()) {
    const { number } = segment;
    if (number > next) {
      const [frames = []] = segments.slice(index).map(framesOf).filter(({ length }) => length > 0);
      const start = frames.reduce((a, b) => Math.min(a, b), Infinity);
      const to = Number.isFinite(start) ? Math.max(end, start) : end;
      gaps.push({ missing: { first: next, last: number - 1 }, from: end, to });
    }
    end = framesOf(segment).reduce((a, b) => Math.max(a, b), end);
    next = number + 1;
  }
  return gaps;
}
