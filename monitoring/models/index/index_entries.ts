import { type ErrorEntry, errorEntry, errorTitle, replayOf } from "../error/error_entry.ts";
import type { MapOf } from "../error/error_group.ts";
import { eventOfViolation } from "../error/security_event.ts";
import { readDebugIds } from "../error/stack.ts";
import { at, attributeAt, hexId, listOf } from "../json.ts";
import { type LogEntry, logEntry } from "../log_entry.ts";
import { KEYS_PER_ENVELOPE } from "./list_cursor.ts";
import {
  EMPTY_ENVELOPE,
  type IndexedType,
  MAX_ITEMS,
  type ParsedEnvelope,
} from "../parsed_envelope.ts";
import { MAX_TYPE_LENGTH } from "../../protocol/envelope.ts";
import type { EnvelopeSummary, InboxRow } from "../../protocol/inbox_row.ts";
import { type RecordingEntry, recordingEntry } from "../recording/recording_entry.ts";
import type { RecordedRange } from "../recording/recording.ts";
import { type EnvelopeApplication, readApplication } from "../application.ts";
import { type SentSpan, sentSpans } from "../trace/sent_span.ts";
import type { SpanEntry } from "../trace/span_entry.ts";
import { displayName } from "../trace/trace_name.ts";
import { type VitalsEntry, vitalsEntry } from "../trace/page_vitals.ts";
import { type TraceEntry, TraceEntryBuilder } from "../trace/trace_entry.ts";

/** The part of an envelope's row that is read from its content. */
export type EnvelopeDescription = Pick<InboxRow, "event_id" | "trace_ids" | "replay_id" | "items">;

/** The index entries of one resource of a body: what the lists of traces, errors and logs are made of. */
export interface IndexEntries {
  readonly application: EnvelopeApplication;
  /** Index in the body of the first entry of each list below: entries of two resources have different ones. */
  readonly first: number;
  /** Length of the longest list, at least 1. */
  readonly keys: number;
  /** One for each trace that it mentions, in order of appearance. */
  readonly traces: readonly TraceEntry[];
  readonly spans: readonly SpanEntry[];
  readonly errors: readonly ErrorEntry[];
  readonly logs: readonly LogEntry[];
  /** At most {@linkcode MAX_VITALS}. */
  readonly vitals: readonly VitalsEntry[];
  /** At most one: the segment that the envelope contains. */
  readonly recordings: readonly RecordingEntry[];
  /** The id of the error that a user's feedback is about. */
  readonly associatedEventId: string | null;
  /** Debug ids of scripts without a source map, by which its errors are grouped again once it arrives. */
  readonly unmapped: ReadonlySet<string>;
}

/** What is read from the content of a body. */
export interface EnvelopeIndex {
  readonly description: EnvelopeDescription;
  /** At least one. */
  readonly resources: readonly IndexEntries[];
  /** See {@linkcode EnvelopeSummary.unlisted}. */
  readonly unlisted: number;
}

/** Maximum number of traces that the row of an envelope names. The index has all of them. */
export const MAX_TRACE_IDS = 100;

/** Maximum number of spans with web vitals of an envelope. SDKs send a few. */
const MAX_VITALS = 100;

/** Maximum number of errors of an envelope that are mapped to their sources: up to 0.5 ms each. SDKs send one. */
const MAX_MAPPED_ERRORS = 32;

/**
 * Reads what the lists show of a body. Its content is untrusted: never throws, bounds every text,
 * and leaves out what it cannot read.
 *
 * @param body each resource of it
 * @param receivedAt replaces missing or implausible times, milliseconds since 1970
 * @param options.mapWith returns the source map with a debug id, to group errors by source position
 * @param options.isOwn whether Sightglass sent the body. Default: by its header, which anyone can write
 * @param options.dsnKey public key that the request named. Default: that of the header
 * @param options.recorded the time that its segment of a recording covers
 */
export function indexBody(
  body: readonly ParsedEnvelope[],
  receivedAt: number,
  options: IndexOptions = {},
): EnvelopeIndex {
  const resources: IndexEntries[] = [];
  const traceIds = new Set<string>();
  let [eventId, replayId]: [string | null, string | null] = [null, null];
  let [first, unlisted] = [0, 0];
  for (const parsed of body) {
    const { found, entries } = indexResource(parsed, receivedAt, options, first);
    eventId ??= found.eventId;
    replayId ??= found.replayId;
    unlisted += parsed.omitted.items + parsed.omitted.entries + found.unlisted;
    for (const id of found.traces.keys()) traceIds.add(id);
    if (first + entries.keys > KEYS_PER_ENVELOPE) {
      unlisted += entries.keys;
      continue;
    }
    first += entries.keys;
    resources.push(entries);
  }
  if (first === 0) resources.push(indexResource(EMPTY_ENVELOPE, receivedAt, options, 0).entries);
  return {
    description: {
      event_id: eventId,
      trace_ids: [...traceIds].slice(0, MAX_TRACE_IDS),
      replay_id: replayId,
      items: body.flatMap(({ items }) => items).slice(0, MAX_ITEMS)
        .map(({ type, bytes }) => ({ type: tidyType(type), bytes })),
    },
    resources,
    unlisted,
  };
}

interface IndexOptions {
  readonly mapWith?: (debugId: string) => ReturnType<MapOf>;
  readonly isOwn?: boolean | undefined;
  readonly dsnKey?: string | null | undefined;
  readonly recorded?: RecordedRange | undefined;
}

function indexResource(
  parsed: ParsedEnvelope,
  receivedAt: number,
  { mapWith, isOwn, dsnKey, recorded }: IndexOptions,
  first: number,
) {
  const { header, items } = parsed;
  const recording = recordingEntry(parsed, receivedAt, recorded);
  const application = readApplication(parsed, isOwn, dsnKey);
  const found = new EntryCollector(receivedAt, application.sdk, mapWith);
  found.event(at(header, "event_id"));
  found.trace(at(header, "trace", "trace_id"), at(header, "trace", "replay_id"));
  for (const { type, json } of items) {
    // Only indexed types have `json`.
    if (json !== undefined) (ITEM_READERS[type as IndexedType] ?? readContext)(json, found, header);
  }
  found.trace(undefined, recording?.replay_id);
  const lists = {
    traces: [...found.traces.values()].map((trace) => trace.build()),
    spans: found.spans,
    errors: found.errors,
    logs: found.logs,
    vitals: found.vitals,
    recordings: recording === undefined ? [] : [recording],
  };
  const entries: IndexEntries = {
    application,
    first,
    keys: Math.max(1, ...Object.values(lists).map(({ length }) => length)),
    ...lists,
    associatedEventId: found.associatedEventId,
    unmapped: found.unmapped,
  };
  return { found, entries };
}

/** Characters: more than a line of a list. */
const MAX_TITLE = 200;

/** Summarizes a body. Its title is that of the first error, the root of the first trace, or the first log. */
export function summarizeBody({ resources, unlisted }: EnvelopeIndex): EnvelopeSummary {
  const traces = resources.flatMap((one) => one.traces);
  const logs = resources.flatMap((one) => one.logs);
  const [error] = resources.flatMap((one) => one.errors);
  const root = traces[0]?.root;
  const title = error ? errorTitle(error) : root ? displayName(root) : logs[0]?.body;
  return {
    title: title?.slice(0, MAX_TITLE).toWellFormed() ?? null,
    spans: traces.reduce((sum, { spans }) => sum + spans, 0),
    logs: logs.length,
    unlisted,
  };
}

/** An item's type without control characters and lone surrogates, which SQLite cannot store as text. */
export function tidyType(type: string): string {
  return type.slice(0, MAX_TYPE_LENGTH).toWellFormed().replace(/\p{Cc}/gu, "\ufffd");
}

/** Collects the entries of an envelope while its items are read. */
class EntryCollector {
  eventId: string | null = null;
  replayId: string | null = null;
  readonly traces = new Map<string, TraceEntryBuilder>();
  readonly spans: SpanEntry[] = [];
  readonly errors: ErrorEntry[] = [];
  readonly logs: LogEntry[] = [];
  readonly vitals: VitalsEntry[] = [];
  associatedEventId: string | null = null;
  unlisted = 0;
  readonly unmapped = new Set<string>();

  constructor(
    readonly receivedAt: number,
    readonly sdk: string | null,
    readonly mapWith?: (debugId: string) => ReturnType<MapOf>,
  ) {}

  /** Finds source maps by script URL, by the debug ids of an event. */
  mapsOf(event: unknown): MapOf | undefined {
    const { mapWith } = this;
    if (mapWith === undefined || this.errors.length >= MAX_MAPPED_ERRORS) return undefined;
    const debugIds = readDebugIds(event);
    return (file) => {
      const id = debugIds.get(file);
      if (id === undefined) return undefined;
      const map = mapWith(id);
      if (map === undefined) this.unmapped.add(id);
      return map;
    };
  }

  /** The first valid event id is the envelope's. */
  event(id: unknown): void {
    this.eventId ??= hexId(id);
  }

  /** @param trace undefined: the span names none, and is in no list */
  span(span: SentSpan, trace: TraceEntryBuilder | undefined): void {
    if (trace === undefined) this.unlisted++;
    else this.spans.push(trace.span(span));
  }

  /** Adds the web vitals of a span, if it has any. */
  vitalsOf(span: SentSpan): void {
    if (this.vitals.length >= MAX_VITALS) return;
    const entry = vitalsEntry(span, this.receivedAt);
    if (entry !== undefined) this.vitals.push(entry);
  }

  /**
   * The trace with this id; undefined if the id is invalid.
   *
   * @param replayId of the recording that ran. The first valid one is the envelope's.
   */
  trace(traceId: unknown, replayId?: unknown): TraceEntryBuilder | undefined {
    const replay = hexId(replayId);
    this.replayId ??= replay;
    const id = hexId(traceId);
    if (id === null) return undefined;
    let trace = this.traces.get(id);
    if (trace === undefined) {
      this.traces.set(id, trace = new TraceEntryBuilder(id, this.receivedAt, this.sdk));
    }
    trace.replay(replay);
    return trace;
  }
}

type ItemReader = (payload: unknown, found: EntryCollector, header: unknown) => void;

const readEvent = (payload: unknown, found: EntryCollector) => {
  const entry = errorEntry(payload, found.receivedAt, found.mapsOf(payload));
  found.event(entry.event_id);
  found.errors.push(entry);
  found.trace(entry.trace_id, entry.replay_id)?.error(entry.at, errorTitle(entry));
};

const readSecurity: ItemReader = (payload, found, header) => {
  const event = eventOfViolation(payload, header);
  if (event !== undefined) readEvent(event, found);
};

const readTransaction: ItemReader = (payload, found) => {
  const trace = readContext(payload, found);
  const spans = sentSpans("transaction", payload);
  for (const span of spans) found.span(span, trace);
  found.vitalsOf(spans[0]!);
};

/** The event id, trace and recording of an event that is not listed itself, such as feedback. */
const readContext = (payload: unknown, found: EntryCollector): TraceEntryBuilder | undefined => {
  found.event(at(payload, "event_id"));
  return found.trace(at(payload, "contexts", "trace", "trace_id"), replayOf(payload));
};

/** https://develop.sentry.dev/sdk/telemetry/replays/#replay-event */
const readReplay: ItemReader = (payload, found) => {
  const replayId = at(payload, "replay_id");
  for (const traceId of listOf(at(payload, "trace_ids"))) found.trace(traceId, replayId);
  found.trace(undefined, replayId);
  readContext(payload, found);
};

const readFeedback: ItemReader = (payload, found) => {
  found.associatedEventId ??= hexId(at(payload, "contexts", "feedback", "associated_event_id"));
  readContext(payload, found);
};

const readSpans: ItemReader = (payload, found) => {
  for (const span of sentSpans("span", payload)) {
    found.span(span, traceOf(span.json, found));
    found.vitalsOf(span);
  }
};

const readLogs: ItemReader = (payload, found) => {
  for (const log of listOf(at(payload, "items"))) {
    const entry = logEntry(log, found.receivedAt);
    found.logs.push(entry);
    traceOf(log, found)?.log(entry.at, entry.body);
  }
};

const readMetrics: ItemReader = (payload, found) => {
  for (const metric of listOf(at(payload, "items"))) traceOf(metric, found);
};

/** The trace of a span, log or metric. */
function traceOf(entry: unknown, found: EntryCollector): TraceEntryBuilder | undefined {
  const replayId = attributeAt(at(entry, "attributes"), "sentry.replay_id") ??
    attributeAt(at(entry, "data"), "replay_id");
  return found.trace(at(entry, "trace_id"), replayId);
}

const ITEM_READERS: Readonly<Partial<Record<IndexedType, ItemReader>>> = {
  event: readEvent,
  transaction: readTransaction,
  feedback: readFeedback,
  replay_event: readReplay,
  // Its segment is read by `recordingEntry`.
  replay_recording: () => {},
  replay_video: readReplay,
  span: readSpans,
  log: readLogs,
  raw_security: readSecurity,
  trace_metric: readMetrics,
};
