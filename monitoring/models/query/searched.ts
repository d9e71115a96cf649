import { readAiSpan } from "../ai/ai_span.ts";
import type { ErrorEntry } from "../error/error_entry.ts";
import type { FeedbackEntry } from "../feedback/feedback_entry.ts";
import type { EnvelopeIndex } from "../index/index_entries.ts";
import type { ProfileEntry } from "../profile/profile_entry.ts";
import type { RecordingEntry } from "../recording/recording_entry.ts";
import { toJson } from "../json.ts";
import type { MetricEntry } from "../metric/metric_entry.ts";
import type { LogEntry } from "../log_entry.ts";
import type { SpanEntry } from "../trace/span_entry.ts";
import { severityOf } from "../../protocol/log_levels.ts";
import type { Searched } from "./query.ts";
import type { TraceMark, TraceSpan } from "../trace/trace_span.ts";
import { displayName } from "../trace/trace_name.ts";
import { idWords, wordsOf } from "./words.ts";

/** @param duration milliseconds; null: it has no end */
export function searchedSpan(
  span: Omit<SpanEntry, "trace_id">,
  duration: number | null,
): Searched {
  const { span_id, name, op, status, status_message = null, failed, attributes, events = [] } =
    span;
  const texts = [op, displayName({ op, name }), status, status_message];
  return {
    words: words(texts, attributes) +
      events.map((event) => words([event.name], event.attributes)).join(""),
    ids: idWords(span_id),
    fields: { name, op, status: failed ? "error" : "ok", duration },
    attributes,
  };
}

export const resourceWords = (attributes: LogEntry["attributes"]): string => words([], attributes);

/** @param resource what the trace has of its sender */
export function searchedTraceSpan(span: TraceSpan, resource?: LogEntry["attributes"]): Searched {
  const { start_ms, end_ms, application, application_name, environment, release } = span;
  const duration = start_ms === null || end_ms === null ? null : end_ms - start_ms;
  const { fields, ...entry } = searchedSpan(span, duration);
  const names = [application_name, application];
  const sender = { application: names, environment, release: releaseNames(release) };
  // As its AI run is named, too.
  const name = [span.name, readAiSpan(span)?.name];
  return { ...entry, fields: { ...fields, name, ...sender }, resource };
}

/** An error or a log of a trace. */
export function searchedMark(
  { level, text, attributes }: TraceMark,
  resource?: LogEntry["attributes"],
): Searched {
  return {
    words: words([level, text], attributes),
    ids: " ",
    fields: { message: text, level: severityOf(level) },
    attributes,
    resource,
  };
}

/** A release is found by its version, too, as lists show it: "shop@1.4.0", "1.4.0". */
export const releaseNames = (release: string | null): readonly string[] =>
  release === null ? [] : [release, release.slice(release.lastIndexOf("@") + 1)];

export function searchedLog(log: Omit<LogEntry, "replay_id">): Searched {
  const { trace_id, span_id, level, body, attributes } = log;
  return {
    words: words([level, body], attributes),
    ids: idWords(trace_id, span_id),
    fields: { message: body, level: severityOf(level) },
    attributes,
  };
}

export function searchedError(error: ErrorEntry): Searched {
  const { event_id, trace_id, replay_id, group, type, level, where, value, attributes = {} } =
    error;
  return {
    words: words([type, level, where, value], attributes),
    ids: idWords(event_id, trace_id, replay_id, group),
    fields: { type, message: value, level: severityOf(level) },
    attributes,
  };
}

export const feedbackWords = (entry: FeedbackEntry): string =>
  words([
    ...[entry.message, entry.name, entry.email, entry.url, entry.browser],
    ...entry.attachments.map(({ name }) => name),
  ], entry.attributes) +
  idWords(entry.event_id, entry.about, entry.trace_id, entry.replay_id);

/** Traces of a series that are found by their id. */
const MAX_TRACES = 100;

export const metricWords = ({ name, kind, unit, attributes, ids }: MetricEntry): string =>
  words([name, kind, unit], attributes) +
  idWords(...new Set(ids.slice(-MAX_TRACES).map((of) => of === 0 ? null : of[0])));

export const recordingWords = ({ replay_id, kind, user, browser, urls }: RecordingEntry): string =>
  wordsOf([kind, user, browser, ...urls].join("\n")) + idWords(replay_id);

export const profileWords = ({ name, profile_id, trace_id, words }: ProfileEntry): string =>
  wordsOf([name ?? "", ...words].join("\n")) +
  idWords(profile_id, trace_id);

/** The envelope's own: those of its entries are searched beside them. */
export function envelopeWords({ description, resources }: EnvelopeIndex): string {
  const { event_id, replay_id, trace_ids, items } = description;
  const ids = resources.map(({ associatedEventId }) => associatedEventId);
  const types = new Set(items.map(({ type }) => type));
  return wordsOf([...types].join("\n")) + idWords(event_id, replay_id, ...trace_ids, ...ids);
}

/** What is written into the index of words. */
export const indexed = ({ words, ids }: Searched): string => words + ids;

/** A line for each text and attribute. */
function words(
  texts: readonly (string | null)[],
  attributes: Readonly<Record<string, unknown>>,
): string {
  const pairs = Object.entries(attributes).map(([name, value]) =>
    `${name} ${typeof value === "string" ? value : toJson(value)}`
  );
  return wordsOf([...texts.filter(Boolean), ...pairs].join("\n"));
}
