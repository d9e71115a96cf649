import { at, hexId, spanId, tidyText } from "../json.ts";
import { timeMs } from "../time_ms.ts";
import { LOG_LEVELS, type LogRow } from "../rows.ts";

/** What the lists show of one structured log; its row without the envelope's id and the log's place. */
export type LogEntry = Omit<LogRow, "envelope" | "index">;

/** A line or some: a list of 200 stays below half a megabyte. The envelope has the whole. */
const MAX_BODY = 2_000;
/** Sentry's SDKs write about ten of their own. */
const MAX_ATTRIBUTES = 64;
const MAX_ATTRIBUTE_NAME = 100;
const MAX_ATTRIBUTE_VALUE = 500;
/** Of all names and values of one log together. */
const MAX_ATTRIBUTE_TEXT = 4_000;

/**
 * Reads one entry of a container of logs, in Sentry's form or OpenTelemetry's severity.
 * https://develop.sentry.dev/sdk/telemetry/logs/
 *
 * @param receivedAt stands in for a time that is missing or lies, ms since 1970
 */
export function logEntry(log: unknown, receivedAt: number): LogEntry {
  const body = at(log, "body");
  return {
    at: timeMs(at(log, "timestamp"), receivedAt) ?? receivedAt,
    level: levelOf(at(log, "level"), at(log, "severity_number")),
    body: tidyText(typeof body === "string" ? body : jsonOf(body), MAX_BODY) ?? "",
    attributes: attributesOf(at(log, "attributes")),
    trace_id: hexId(at(log, "trace_id")),
    span_id: spanId(at(log, "span_id")) ??
      spanId(attributeValue(at(log, "attributes", "sentry.trace.parent_span_id"))),
  };
}

/** Other SDKs' words for the same levels. */
const ALIASES: ReadonlyMap<unknown, LogEntry["level"]> = new Map([
  ...LOG_LEVELS.map((level) => [level, level] as const),
  ["warning", "warn"],
  ["critical", "fatal"],
]);

function levelOf(level: unknown, severity: unknown): LogEntry["level"] {
  const named = ALIASES.get(typeof level === "string" ? level.toLowerCase() : level);
  if (named !== undefined) return named;
  // Four numbers for each level: https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
  const numbered = typeof severity === "number" ? LOG_LEVELS[Math.ceil(severity / 4) - 1] : null;
  return numbered ?? "info";
}

function attributesOf(attributes: unknown): LogEntry["attributes"] {
  if (typeof attributes !== "object" || attributes === null) return {};
  const entries: [string, string | number | boolean][] = [];
  let budget = MAX_ATTRIBUTE_TEXT;
  for (const key in attributes) {
    if (!Object.hasOwn(attributes, key)) continue;
    if (entries.length === MAX_ATTRIBUTES) break;
    const name = tidyText(key, MAX_ATTRIBUTE_NAME) ?? "";
    const value = plain(attributeValue((attributes as Record<string, unknown>)[key]));
    budget -= name.length + (typeof value === "string" ? value.length : 0);
    if (budget < 0) break;
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

/** `{value, type}`, or the value by itself. */
function attributeValue(attribute: unknown): unknown {
  return at(attribute, "value") ?? attribute;
}

function plain(value: unknown): string | number | boolean {
  if (typeof value === "boolean" || Number.isFinite(value)) return value as boolean | number;
  const text = typeof value === "string" ? value : jsonOf(value);
  return tidyText(text, MAX_ATTRIBUTE_VALUE) ?? "";
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // Nested more deeply than can be written, though it could be read.
    return "…";
  }
}
