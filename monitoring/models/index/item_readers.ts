import { type ErrorEntry, errorEntry, errorTitle, replayOf } from "../error/error_entry.ts";
import type { MapOf } from "../error/error_group.ts";
import { eventOfViolation } from "../error/security_event.ts";
import { readDebugIds } from "../error/stack.ts";
import { at, attributeAt, hexId, listOf } from "../json.ts";
import type { AttachmentFacts } from "../feedback/attachment.ts";
import { type FeedbackEntry, feedbackEntry } from "../feedback/feedback_entry.ts";
import { type LogEntry, logEntry } from "../log_entry.ts";
import { type CheckInEntry, checkInEntry } from "../monitors/check_in.ts";
import { MetricCollector } from "../metric/metric_entry.ts";
import {
  aggregateEntries,
  discardedEntries,
  type ReportEntry,
  sessionEntries,
} from "../report_entry.ts";
import type { IndexedType } from "../parsed_envelope.ts";
import { type SentSpan, sentSpans } from "../trace/sent_span.ts";
import type { SpanEntry } from "../trace/span_entry.ts";
import { profiledSpan, type ProfileEntry, profileEntry } from "../profile/profile_entry.ts";
import { type VitalsEntry, vitalsEntry } from "../trace/page_vitals.ts";
import { TraceEntryBuilder } from "../trace/trace_entry.ts";

/** Maximum number of errors and profiles of an envelope that are mapped to their sources: up to 20 ms each. SDKs send one. */
const MAX_MAPPED = 32;

/** Maximum number of spans with web vitals of an envelope. SDKs send a few. */
const MAX_VITALS = 100;

/** Maximum number of counts of an envelope. SDKs send a few dozen. */
const MAX_REPORTS = 1_000;

/** Collects the entries of an envelope while its items are read. */
export class EntryCollector {
  eventId: string | null = null;
  replayId: string | null = null;
  readonly traces = new Map<string, TraceEntryBuilder>();
  readonly spans: SpanEntry[] = [];
  readonly errors: ErrorEntry[] = [];
  readonly logs: LogEntry[] = [];
  readonly vitals: VitalsEntry[] = [];
  readonly feedback: FeedbackEntry[] = [];
  readonly attachments: AttachmentFacts[] = [];
  readonly profiles: ProfileEntry[] = [];
  readonly checkIns: CheckInEntry[] = [];
  readonly reports: ReportEntry[] = [];
  readonly metrics = new MetricCollector();
  associatedEventId: string | null = null;
  unlisted = 0;
  readonly unmapped = new Set<string>();

  constructor(
    readonly receivedAt: number,
    readonly sdk: string | null,
    readonly mapWith?: (debugId: string) => ReturnType<MapOf>,
  ) {}

  /** Finds source maps by script URL, by the debug ids of an event or a profile. */
  mapsOf(event: unknown): MapOf | undefined {
    const { mapWith } = this;
    const mapped = this.errors.length + this.profiles.length;
    if (mapWith === undefined || mapped >= MAX_MAPPED) return undefined;
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
    if (trace === undefined) return void this.unlisted++;
    const entry = trace.span(span);
    this.spans.push(entry);
    this.profile(profiledSpan(entry, span.transaction, this.receivedAt));
  }

  /** The logs or metrics of an item. */
  itemsOf(payload: unknown): readonly unknown[] {
    const items = at(payload, "items");
    if (!Array.isArray(items)) this.unlisted++;
    return listOf(items);
  }

  /** @param entry undefined: it has none, or cannot be read */
  profile(entry: ProfileEntry | undefined): void {
    if (entry !== undefined) this.profiles.push(entry);
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

/** Reads one item: its entries, or at least the trace that it names. @param header of the envelope */
export function readItem(type: string, payload: unknown, found: EntryCollector, header: unknown) {
  (ITEM_READERS[type as IndexedType] ?? readContext)(payload, found, header);
}

type ItemReader = (payload: unknown, found: EntryCollector, header: unknown) => void;

const readEvent = (payload: unknown, found: EntryCollector) => {
  const entry = errorEntry(payload, found.receivedAt, found.mapsOf(payload));
  found.event(at(payload, "event_id"));
  found.errors.push(entry);
  found.trace(entry.trace_id, entry.replay_id)?.error(entry.at, errorTitle(entry));
};

const readSecurity: ItemReader = (payload, found, header) => {
  const event = eventOfViolation(payload, header);
  if (event === undefined) found.unlisted++;
  else readEvent(event, found);
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
  const entry = feedbackEntry(payload, found.receivedAt);
  if (found.feedback.every(({ group }) => group !== entry.group)) found.feedback.push(entry);
};

const readAttachment: ItemReader = (facts, found) => {
  found.attachments.push(facts as AttachmentFacts);
};

const readSpans: ItemReader = (payload, found) => {
  for (const span of sentSpans("span", payload)) {
    found.span(span, traceOf(span.json, found));
    found.vitalsOf(span);
  }
};

const readLogs: ItemReader = (payload, found) => {
  for (const log of found.itemsOf(payload)) {
    const entry = logEntry(log, found.receivedAt);
    found.logs.push(entry);
    traceOf(log, found)?.log(entry.at, entry.body);
  }
};

const readMetrics: ItemReader = (payload, found) => {
  for (const metric of found.itemsOf(payload)) {
    traceOf(metric, found);
    if (!found.metrics.add(metric, found.receivedAt)) found.unlisted++;
  }
};

/** The trace of a span, log or metric. */
function traceOf(entry: unknown, found: EntryCollector): TraceEntryBuilder | undefined {
  const replayId = attributeAt(at(entry, "attributes"), "sentry.replay_id") ??
    attributeAt(at(entry, "data"), "replay_id");
  return found.trace(at(entry, "trace_id"), replayId);
}

const readProfile = (type: "profile" | "profile_chunk"): ItemReader => (payload, found) => {
  const entry = profileEntry(type, payload, found.receivedAt, found.mapsOf(payload));
  if (entry === undefined) found.unlisted++;
  found.profile(entry);
  found.trace(entry?.trace_id);
};

const readCheckIn: ItemReader = (payload, found, header) => {
  const entry = checkInEntry(payload, header, found.receivedAt);
  if (entry === undefined) found.unlisted++;
  else found.checkIns.push(entry);
  readContext(payload, found);
};

const readReports = (entriesOf: typeof sessionEntries): ItemReader => (payload, found) => {
  for (const entry of entriesOf(payload, found.receivedAt)) {
    if (found.reports.length === MAX_REPORTS) return void found.unlisted++;
    found.reports.push(entry);
  }
};

const ITEM_READERS: Readonly<Partial<Record<IndexedType | "attachment", ItemReader>>> = {
  event: readEvent,
  transaction: readTransaction,
  feedback: readFeedback,
  user_report: readFeedback,
  attachment: readAttachment,
  replay_event: readReplay,
  // Its segment is read by `recordingEntry`.
  replay_recording: () => {},
  replay_video: readReplay,
  span: readSpans,
  log: readLogs,
  raw_security: readSecurity,
  trace_metric: readMetrics,
  profile: readProfile("profile"),
  profile_chunk: readProfile("profile_chunk"),
  check_in: readCheckIn,
  client_report: readReports(discardedEntries),
  session: readReports(sessionEntries),
  sessions: readReports(aggregateEntries),
};
