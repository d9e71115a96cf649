import { formatDuration } from "../duration.ts";
import { at, integerAt, textAt, tidyText } from "../json.ts";
import type { RecordingRow } from "./recording_row.ts";
import { displayName, isStaticResource } from "../trace/trace_name.ts";
import type { Moment } from "../trace/trace.ts";
import type { TraceSpan } from "../trace/trace_span.ts";
import { MAX_DURATION_MS, type RecordedEvent } from "./recording.ts";

/** Milliseconds that what belongs to a recording may be outside of it: clocks of senders are not exact. */
export const SLACK_MS = 1_000;

/** Whether a moment can be found in a recording: by its clock, or its sender's shows a time within it. */
export const isPlaced = (
  { at_ms, application, isKnown }: Moment,
  { application: recorder, started_at, ended_at }: RecordingRow,
): boolean =>
  at_ms !== null && (isKnown || application === recorder ||
    at_ms >= started_at - SLACK_MS && at_ms <= ended_at + SLACK_MS);

/** What happened during a recording. */
export interface TimelineEvent {
  readonly kind: EventKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Untrusted. */
  readonly text: string;
  /** When it happened is not known: `at` is by a clock that may be wrong, and outside. */
  readonly isAstray?: boolean;
  /** At least {@linkcode RAGE_CLICKS} clicks on one element, without a reaction. */
  readonly isRage?: boolean;
}

export const EVENT_KINDS = [
  "error",
  "feedback",
  "trace",
  "span",
  "request",
  "log",
  "vital",
  "click",
  "navigation",
  "resource",
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** What is stored of one recording besides its picture: the answer of `view=recording`. All texts are untrusted. */
export interface RecordingContent extends RecordingRow {
  /** Keys of the applications that sent the recording, its errors and its logs. */
  readonly applications: readonly string[];
  /** Addresses of its pages, each once. */
  readonly urls: readonly string[];
  /** In order of time, at most 5,000. */
  readonly events: readonly RecordingEvent[];
  /** Segments whose events were left out: too large, or not readable. */
  readonly unreadable: number;
  /** Traces that were not read: too many spans. */
  readonly unread_traces: number;
}

/** Something that happened while the page was recorded, and what identifies it in its own view. */
export interface RecordingEvent extends TimelineEvent {
  /** Of a trace, span, error or log. */
  readonly trace_id?: string | null;
  readonly span_id?: string;
  /** Of an error: its group and the id of its envelope; of feedback its key. */
  readonly group?: string;
  readonly envelope?: number;
  /** Of an error. */
  readonly level?: string;
  readonly handled?: boolean | null;
}

/** Characters. */
const MAX_TEXT = 300;
/** More than a person reads, and than a list displays fast. */
export const MAX_EVENTS = 5_000;
/** A navigation is reported as breadcrumb and as span. */
const SAME_MS = 150;

/**
 * The events that the SDK has recorded beside the picture: clicks, navigations, web vitals and requests, in order
 * of time; at most {@linkcode MAX_EVENTS}.
 *
 * @param entries those of type 5 count, see https://develop.sentry.dev/sdk/telemetry/replays/
 */
export function readEvents(entries: readonly RecordedEvent[]): TimelineEvent[] {
  const events: TimelineEvent[] = [];
  /** The last event of each kind and text, and of each web vital. */
  const last = new Map<string, TimelineEvent>();
  for (const { type, timestamp, data } of entries) {
    if (events.length >= MAX_EVENTS) break;
    const payload = at(data, "payload");
    const tag = type === 5 && at(data, "tag");
    const found = tag === "breadcrumb"
      ? ofBreadcrumb(payload)
      : tag === "performanceSpan"
      ? ofSpan(payload)
      : undefined;
    if (found === undefined) continue;
    const { text: sent, note = "", ...rest } = found;
    const text = tidyText(sent, MAX_TEXT) ?? "";
    const event = { ...rest, at: timestamp, text: text + note };
    const isVital = event.kind === "vital";
    const key = `${event.kind} ${isVital ? text.split(" ")[0] : text}`;
    const before = last.get(key);
    if (before === undefined || event.at - before.at >= SAME_MS) events.push(event);
    // The SDK reports a vital again when its value has changed, and a click when it had no reaction.
    else if (isVital || note !== "") events[events.indexOf(before)] = event;
    else continue;
    last.set(key, event);
  }
  return events.sort((a, b) => a.at - b.at);
}

/**
 * The start of a span of a trace: a `resource` if the page loaded a file, else a `span`. Undefined: it
 * has no start, or it is a root, which is that of its trace.
 *
 * @param shift_ms correction of its sender's clock
 */
export function spanEvent(
  { start_ms, parent_span_id, name, op }: TraceSpan,
  shift_ms: number,
): TimelineEvent | undefined {
  if (start_ms === null || parent_span_id === null) return undefined;
  const kind = isStaticResource(op) ? "resource" : "span";
  return { kind, at: start_ms + shift_ms, text: displayName({ name, op }) };
}

/** Spans, and files that the page loaded: many, and seldom what one looks for. */
export const DETAILS: ReadonlySet<EventKind> = new Set(["span", "resource"]);

/**
 * The end of a recording's time line: its last event, or what its session sent later, such as an error whose frames the
 * browser lost when it closed the page. Not spans: those of a server may go on for hours.
 *
 * @param recorded times of its first and last event, milliseconds since 1970
 */
export function timeLineEnd(
  { from, to }: { readonly from: number; readonly to: number },
  events: readonly TimelineEvent[],
): number {
  return events.filter(({ kind, at }) => !DETAILS.has(kind) && at <= from + MAX_DURATION_MS)
    .reduce((end, { at }) => Math.max(end, at), to);
}

/** An address without its origin, for display. */
export function addressPath(address: string): string {
  const url = URL.parse(address);
  return url === null || url.origin === "null" ? address : url.pathname + url.search + url.hash;
}

/** `note`: what a later report adds to an event. */
type Found = Omit<TimelineEvent, "at"> & { readonly note?: string } | undefined;

/** As for Sentry: https://docs.sentry.io/product/issues/issue-details/replay-issues/rage-clicks/ */
const RAGE_CLICKS = 5;

function ofBreadcrumb(payload: unknown): Found {
  const category = textAt(payload, "category") ?? "";
  const message = textAt(payload, "message") ?? "";
  const clicks = integerAt(payload, 2, "data", "clickCount");
  if (category === "ui.click") return { kind: "click", text: message };
  if (category === "ui.slowClickDetected") {
    const end = textAt(payload, "data", "endReason");
    const reaction = end === "mutation" ? "late reaction" : "no reaction";
    const note = clicks === null ? ` (${reaction})` : ` (${clicks} clicks, ${reaction})`;
    const isRage = clicks !== null && clicks >= RAGE_CLICKS && end === "timeout";
    return { kind: "click", text: message, note, ...isRage && { isRage } };
  }
  if (category === "ui.multiClick") {
    return { kind: "click", text: message, note: ` (${clicks ?? "many"} clicks)` };
  }
  if (category === "navigation") {
    return { kind: "navigation", text: addressPath(textAt(payload, "data", "to") ?? message) };
  }
  return undefined;
}

function ofSpan(payload: unknown): Found {
  const op = textAt(payload, "op") ?? "";
  const description = textAt(payload, "description") ?? "";
  if (op.startsWith("navigation.")) return { kind: "navigation", text: addressPath(description) };
  if (op === "web-vital") return { kind: "vital", text: vitalText(description, payload) };
  if (op === "resource.fetch" || op === "resource.xhr") {
    const method = textAt(payload, "data", "method") ?? "GET";
    const status = textAt(payload, "data", "statusCode");
    const text = `${method} ${addressPath(description)}${status === null ? "" : ` · ${status}`}`;
    return { kind: "request", text };
  }
  return undefined;
}

const VITAL_NAMES: ReadonlyMap<string, string> = new Map([
  ["largest-contentful-paint", "LCP"],
  ["cumulative-layout-shift", "CLS"],
  ["first-input-delay", "FID"],
  ["interaction-to-next-paint", "INP"],
]);

function vitalText(description: string, payload: unknown): string {
  const name = VITAL_NAMES.get(description) ?? description;
  const value = at(payload, "data", "value");
  if (typeof value !== "number" || !Number.isFinite(value)) return name;
  return name === "CLS" ? `${name} ${value.toFixed(2)}` : `${name} ${formatDuration(value)}`;
}
