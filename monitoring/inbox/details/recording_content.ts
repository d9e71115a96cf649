import { rowKeyOf } from "../../models/index/list_cursor.ts";
import { at, listOf, parseJson, tidyText } from "../../models/json.ts";
import {
  allEvents,
  joinSegments,
  MAX_DURATION_MS,
  parseSegment,
  readSegment,
  type Segment,
  SegmentError,
} from "../../models/recording/recording.ts";
import {
  isPlaced,
  MAX_EVENTS,
  readEvents,
  type RecordingContent,
  type RecordingEvent,
  spanEvent,
} from "../../models/recording/timeline.ts";
import { type Moment, readTrace } from "../../models/trace/trace.ts";
import { displayName } from "../../models/trace/trace_name.ts";
import type { InboxRow } from "../../protocol/inbox_row.ts";
import { tryReadEnvelope } from "../../protocol/scanner.ts";
import type { Inbox } from "../inbox.ts";
import { readBody } from "./read_envelope.ts";

/** Decompressed bytes of all segments. Parsing blocks the server for some 10 ms per MiB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Spans, errors and logs after which no further trace is read. */
const MAX_ROWS = 20_000;
const MAX_URLS = 100;
const MAX_URL = 500;
/** An event may be this far before the recording: a trace begins before the recorder is loaded. */
const BEFORE_MS = 60_000;

/** What happened while a page was recorded; undefined: no segment is stored. @throws {SegmentError} none can be read */
export async function readRecordingContent(
  inbox: Inbox,
  replayId: string,
): Promise<RecordingContent | undefined> {
  const query = { replay: replayId, limit: MAX_EVENTS };
  const [row] = inbox.page("recordings", query).rows;
  if (row === undefined) return undefined;
  const { segments, urls, unreadable } = await readSegments(inbox, replayId);
  if (segments.length === 0 && unreadable > 0) {
    throw new SegmentError("None of this recording's segments can be read.");
  }
  const recording = joinSegments(segments);
  const from = recording?.from ?? row.started_at;
  const errors = inbox.page("occurrences", query).rows;
  const logs = inbox.page("logs", query).rows;
  const traces = inbox.page("traces", query).rows;
  const spans: RecordingEvent[] = [];
  /** By the key of an error or a log, or the id of a trace: when it happened, if its trace was read. */
  const moments = new Map<string, Moment>();
  let [rows, unread] = [0, 0];
  for (const { trace_id, ...counts } of traces) {
    if (rows >= MAX_ROWS) {
      unread++;
      continue;
    }
    rows += counts.spans + counts.errors + counts.logs;
    const { tree, times, marks, moment } = readTrace(inbox.trace(trace_id));
    moments.set(trace_id, moment);
    for (const node of tree.nodes) {
      const event = node.span && spanEvent(node.span, times.byNode.get(node)!.shift_ms);
      if (event) spans.push({ ...event, trace_id, span_id: node.span!.span_id });
    }
    for (const mark of marks) {
      const key = mark.error === null ? mark.key : `${mark.envelope} ${mark.error}`;
      if (!mark.astray) moments.set(key, mark);
    }
    // Yields to other requests.
    await new Promise((resolve) => setTimeout(resolve));
  }
  /** The time of an event, by the page's clock if it is known. */
  const placed = (key: string, at: number, application: string) => {
    const moment = moments.get(key) ?? { at_ms: at, application, isKnown: false };
    return { at: moment.at_ms ?? at, ...!isPlaced(moment, row) && { isAstray: true } };
  };
  const events: RecordingEvent[] = [
    ...errors.map(({ envelope, trace_id, level, handled, ...error }) => ({
      kind: "error" as const,
      ...placed(`${envelope} ${error.event_id}`, error.at, error.application),
      text: error.value,
      group: error.group,
      ...{ envelope, trace_id, level, handled },
    })),
    ...inbox.page("feedback", query).rows.map(({ group, at, message, application }) => ({
      kind: "feedback" as const,
      ...placed(group, at, application),
      text: message,
      group,
    })),
    ...readEvents(recording?.entries ?? allEvents(segments)),
    ...logs.map(({ at, body, trace_id, envelope, index, application }) => ({
      kind: "log" as const,
      ...placed(`log:${rowKeyOf(envelope, index)}`, at, application),
      text: body,
      trace_id,
    })),
    ...traces.map(({ started_at, name, op, trace_id, applications }) => ({
      kind: "trace" as const,
      ...placed(trace_id, started_at, applications[0] ?? ""),
      text: displayName({ name, op }),
      trace_id,
    })),
    // Last: the first to be left out.
    ...spans,
  ];
  return {
    ...row,
    applications: [...new Set([row, ...errors, ...logs].map(({ application }) => application))],
    urls,
    unreadable,
    unread_traces: unread,
    // An error is never left out: it is counted.
    events: events.filter(({ kind, at }) =>
      kind === "error" || at >= from - BEFORE_MS && at <= from + MAX_DURATION_MS
    )
      .slice(0, MAX_EVENTS).sort((a, b) => a.at - b.at),
  };
}

/** Reads the segments that have arrived, in the order of arrival, as many as the limit allows. */
async function readSegments(inbox: Inbox, replay: string) {
  // Not `replay_video`: videos of mobile SDKs have no events.
  const found: InboxRow[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = inbox.page("envelopes", { replay, type: "replay_recording", before });
    found.push(...page.rows);
    before = page.next;
  }
  const segments: Segment[] = [];
  const urls = new Set<string>();
  let [left, unreadable] = [MAX_BYTES, 0];
  for (const { id } of found.reverse()) {
    const { bytes } = await readBody(inbox, id, left) ?? {};
    const sent = bytes && await readSegment(bytes, left).catch(ifUnreadable);
    const segment = sent && parseSegment(sent);
    if (segment === undefined) {
      unreadable++;
      continue;
    }
    left -= sent!.json.byteLength;
    segments.push(segment);
    for (const url of urlsOf(bytes!)) if (urls.size < MAX_URLS) urls.add(url);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { segments, urls: [...urls], unreadable };
}

function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof SegmentError)) throw error;
}

function urlsOf(envelope: Uint8Array): string[] {
  const { items = [] } = tryReadEnvelope(envelope) ?? {};
  const event = items.find(({ header }) => header.type === "replay_event");
  const urls = listOf(at(event && parseJson(event.payload), "urls"));
  return urls.map((url) => tidyText(url, MAX_URL)).filter((url): url is string => Boolean(url));
}
