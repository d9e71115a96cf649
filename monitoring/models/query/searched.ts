import type { ErrorEntry } from "../error/error_entry.ts";
import { attributeValue, toJson } from "../json.ts";
import type { LogEntry } from "../log_entry.ts";
import type { TraceSpan } from "../trace/trace_span.ts";
import { severityOf } from "../../protocol/log_levels.ts";
import type { Searched } from "./query.ts";
import { idWords, wordsOf } from "./words.ts";

type SearchedSpan = Pick<TraceSpan, "span_id" | "name" | "op" | "status" | "failed" | "attributes">;

/** @param duration milliseconds; null: it has no end */
export function searchedSpan(
  { span_id, name, op, status, failed, attributes: sent }: SearchedSpan,
  duration: number | null,
): Searched {
  const attributes = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, attributeValue(value)]),
  );
  return {
    words: words([op, name, status], attributes),
    ids: idWords(span_id),
    fields: { name, op, status: failed ? "error" : "ok", duration },
    attributes,
  };
}

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
