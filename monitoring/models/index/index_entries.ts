import { boundedAttributes } from "../attributes.ts";
import { type ErrorEntry, errorTitle } from "../error/error_entry.ts";
import type { MapOf } from "../error/error_group.ts";
import { MAX_ATTACHMENTS } from "../feedback/attachment.ts";
import type { FeedbackEntry } from "../feedback/feedback_entry.ts";
import { at, plausible, plausibleTime } from "../json.ts";
import { LOG_ATTRIBUTES, type LogEntry } from "../log_entry.ts";
import type { CheckInEntry } from "../monitors/check_in.ts";
import type { MetricEntry } from "../metric/metric_entry.ts";
import { KEYS_PER_ENVELOPE } from "./list_cursor.ts";
import { EMPTY_ENVELOPE, isReplay, MAX_ITEMS, type ParsedEnvelope } from "../parsed_envelope.ts";
import { MAX_TYPE_LENGTH } from "../../protocol/envelope.ts";
import type { EnvelopeSummary, InboxRow } from "../../protocol/inbox_row.ts";
import { namedProfile, type ProfileEntry } from "../profile/profile_entry.ts";
import { type RecordingEntry, recordingEntry } from "../recording/recording_entry.ts";
import type { RecordedRange } from "../recording/recording.ts";
import { type EnvelopeApplication, readApplication } from "../application.ts";
import type { ReportEntry } from "../report_entry.ts";
import { isOpenTelemetry } from "../side.ts";
import type { SpanEntry } from "../trace/span_entry.ts";
import { displayName } from "../trace/trace_name.ts";
import type { VitalsEntry } from "../trace/page_vitals.ts";
import type { TraceEntry } from "../trace/trace_entry.ts";
import { EntryCollector, readItem } from "./item_readers.ts";

/** The part of an envelope's row that is read from its content. */
export type EnvelopeDescription = Pick<InboxRow, "event_id" | "trace_ids" | "replay_id" | "items">;

/** The index entries of one resource of a body: what the lists are made of. */
export interface IndexEntries {
  readonly application: EnvelopeApplication;
  /** `sent_at` of an envelope, of OpenTelemetry its newest time, less when it was received. Null: not known. */
  readonly clock: number | null;
  /** Index in the body of the first entry of each list below: entries of two resources have different ones. */
  readonly first: number;
  /** Length of the longest list, at least 1. */
  readonly keys: number;
  /** One for each trace that it mentions, in order of appearance. */
  readonly traces: readonly TraceEntry[];
  readonly spans: readonly SpanEntry[];
  readonly errors: readonly ErrorEntry[];
  readonly logs: readonly LogEntry[];
  /** Of the first spans that have some. */
  readonly vitals: readonly VitalsEntry[];
  /** One for each series. */
  readonly metrics: readonly MetricEntry[];
  /** At most one: the segment that the envelope contains. */
  readonly recordings: readonly RecordingEntry[];
  readonly feedback: readonly FeedbackEntry[];
  /** Also of spans that name their profiler. */
  readonly profiles: readonly ProfileEntry[];
  readonly checkIns: readonly CheckInEntry[];
  readonly reports: readonly ReportEntry[];
  /** At most one: the attributes that OpenTelemetry sends once for all entries. */
  readonly resources: readonly LogEntry["attributes"][];
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
  // The resources of a request of OpenTelemetry share its list of spans, logs or metrics.
  const lists = new Set<string>();
  const isItem = (type: string) => type === "event" || (!lists.has(type) && lists.add(type));
  if (first === 0) resources.push(indexResource(EMPTY_ENVELOPE, receivedAt, options, 0).entries);
  return {
    description: {
      event_id: eventId,
      trace_ids: [...traceIds].slice(0, MAX_TRACE_IDS),
      replay_id: replayId,
      items: body.flatMap(({ items, resource }) =>
        items.filter(({ type }) => resource === undefined || isItem(type))
      ).slice(0, MAX_ITEMS).map(({ type, bytes }) => ({ type: tidyType(type), bytes })),
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
  const { header, items, resource } = parsed;
  const recording = recordingEntry(parsed, receivedAt, recorded);
  const application = readApplication(parsed, isOwn, dsnKey);
  const found = new EntryCollector(receivedAt, application.sdk, mapWith);
  found.event(at(header, "event_id"));
  found.trace(at(header, "trace", "trace_id"), at(header, "trace", "replay_id"));
  for (const { type, json } of items) {
    // Only indexed types have `json`.
    if (json !== undefined) readItem(type, json, found, header);
  }
  found.trace(undefined, recording?.replay_id);
  const replays = items.filter(({ type }) => isReplay(type));
  const events = replays.filter(({ type }) => type === "replay_event").length;
  found.unlisted += Math.max(events, replays.length - events) - (recording === undefined ? 0 : 1);
  const attachments = found.attachments.slice(0, MAX_ATTACHMENTS);
  if (found.feedback.length > 0) found.unlisted += found.attachments.length - attachments.length;
  const lists = {
    traces: [...found.traces.values()].map((trace) => trace.build()),
    spans: found.spans,
    errors: found.errors,
    logs: found.logs,
    vitals: found.vitals,
    metrics: found.metrics.entries,
    recordings: recording === undefined ? [] : [recording],
    feedback: found.feedback.map((entry) => ({ ...entry, attachments })),
    profiles: found.profiles.map((profile) => namedProfile(profile, found.spans)),
    checkIns: found.checkIns,
    reports: found.reports,
    resources: resource === undefined ? [] : [boundedAttributes(resource, LOG_ATTRIBUTES)],
  };
  const times = isOpenTelemetry(application.sdk)
    ? [
      ...found.spans.map((span) => span.end_ms ?? 0),
      ...[found.logs, found.metrics.entries].flat().map((one) => one.at),
    ]
    : [];
  const sentAt = plausibleTime(at(header, "sent_at"), receivedAt) ??
    plausible(Math.max(...times), receivedAt);
  const entries: IndexEntries = {
    application,
    clock: sentAt === undefined ? null : sentAt - receivedAt,
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

/** Summarizes a body. Its title is that of the first error, the root of the first trace, the first log or check-in. */
export function summarizeBody({ resources, unlisted }: EnvelopeIndex): EnvelopeSummary {
  const traces = resources.flatMap((one) => one.traces);
  const logs = resources.flatMap((one) => one.logs);
  const [error] = resources.flatMap((one) => one.errors);
  const [checkIn] = resources.flatMap((one) => one.checkIns);
  const root = traces[0]?.root;
  const title = error
    ? errorTitle(error)
    : root
    ? displayName(root)
    : logs[0]?.body ?? checkIn?.slug;
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
