import { at, hexId, listOf, spanId, textAt } from "../json.ts";
import { EMPTY_ENVELOPE, MAX_ENTRIES, type ParsedEnvelope } from "../parsed_envelope.ts";
import type { Signal } from "../../protocol/format.ts";
import { levelNamed, LOG_LEVELS } from "../../protocol/log_levels.ts";
import { isReadable, type SentMetric } from "../metric/metric_entry.ts";
import { instanceOf, metricPoints } from "./otlp_metric.ts";
import {
  eventOfException,
  idsOfSameException,
  innermost,
  isException,
  type OtlpException,
  SAME_DIGITS,
} from "./otlp_exception.ts";
import {
  enumName,
  type PlainAttributes,
  plainAttributes,
  plainValue,
  secondsOf,
  sentAttributes,
} from "./otlp_values.ts";
import { nameOf, operationOf, type OtlpKind, SPAN_KINDS } from "./span_operation.ts";

/** What an OTLP request has, each resource in the form of an envelope. */
export interface OtlpTelemetry {
  readonly resources: readonly ParsedEnvelope[];
  /** Number of spans, log records or points of metrics. */
  readonly sent: number;
  /** Those that cannot be stored: see {@linkcode REASONS}. */
  readonly rejected: number;
  /** For the sender, in one sentence; null: all is read. */
  readonly message: string | null;
}

/** Where the entries of a request are, by signal. */
const LISTS = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
} as const;

const REASONS: Readonly<Record<Signal, string>> = {
  traces: "spans: traceId must have 32 and spanId and parentSpanId 16 hex digits (not base64)",
  logs: "log records: traceId must have 32 and spanId 16 hex digits (not base64), or be empty",
  metrics: "data points: a metric must have a name, and a point a finite number",
};

/** Of one request. Each may be an application of its own. Attack: 10,000 of them would block the server for seconds. */
export const MAX_RESOURCES = 1_000;

/**
 * Reads a decoded OTLP request. Its content is untrusted: never throws. What is beyond {@linkcode MAX_ENTRIES} and
 * {@linkcode MAX_RESOURCES} is omitted.
 *
 * https://opentelemetry.io/docs/specs/otlp/
 *
 * @param request in the shape of OTLP/JSON
 */
export function readOtlp(request: unknown, signal: Signal): OtlpTelemetry {
  const [resources, scopes, entries] = LISTS[signal];
  const found = new Map<string, ResourceReader>();
  const room = { entries: MAX_ENTRIES, omitted: 0 };
  let [sent, rejected] = [0, 0];
  let misnamed = misnamedIn(request, resources);
  for (const group of listOf(at(request, resources))) {
    misnamed ??= misnamedIn(group, scopes);
    const attributes = plainAttributes(at(group, "resource", "attributes"));
    // A collector may send one resource in many groups.
    const key = JSON.stringify(attributes);
    if (found.size === MAX_RESOURCES && !found.has(key)) room.entries = 0;
    const reader = found.getOrInsertComputed(key, () => new ResourceReader(attributes, room));
    for (const scope of listOf(at(group, scopes))) {
      misnamed ??= misnamedIn(scope, entries);
      // Every entry has it. Attack: 10,000 spans of a scope with a long name.
      const name = textAt(scope, "scope", "name")?.slice(0, MAX_NAME) ?? null;
      for (const entry of listOf(at(scope, entries))) {
        if (signal === "metrics") {
          const points = metricPoints(entry, instanceOf(attributes, name));
          sent += points.length;
          rejected += points.filter((point) => !reader.metric(point)).length;
          continue;
        }
        sent++;
        const isRead = signal === "traces" ? reader.span(entry, name) : reader.log(entry, name);
        if (!isRead) rejected++;
      }
    }
  }
  const [first, ...others] = [...found.values()].flatMap((reader) => reader.build() ?? []);
  const omitted = { items: 0, entries: room.omitted };
  return {
    resources: first === undefined ? [] : [{ ...first, omitted }, ...others],
    sent,
    rejected,
    message: rejected === 0
      ? misnamed ?? null
      : `Rejected ${rejected} of ${sent} ${REASONS[signal]}.`,
  };
}

/** Other fields of the objects that hold a list. */
const NOT_LISTS = ["resource", "scope", "schemaUrl"];

/** Says that a JSON object does not have its list, but something else. Empty lists are often omitted. */
function misnamedIn(object: unknown, list: string): string | undefined {
  if (typeof object !== "object" || object === null || Array.isArray(at(object, list))) return;
  const name = Object.keys(object).find((name) => !NOT_LISTS.includes(name))?.slice(0, MAX_NAME);
  return name && `Cannot read ${JSON.stringify(name)}: here, OTLP's JSON has the list "${list}".`;
}

const STATUS_CODES = ["unset", "ok", "error"];
/** Four numbers for each level. https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const SEVERITIES = ["unspecified", ...LOG_LEVELS.flatMap((level) => [level, level, level, level])];
/** Characters. */
const MAX_NAME = 200;
const EXCEPTION_TEXTS = ["exception.message", "exception.stacktrace"];
/** Bits of a span's flags: whether the next one is known, and whether the parent is of another process. */
const IS_REMOTE_KNOWN = 0x100;
const IS_REMOTE = 0x200;

/** Collects what one resource sent. */
class ResourceReader {
  readonly #spans: unknown[] = [];
  readonly #logs: unknown[] = [];
  readonly #metrics: SentMetric[] = [];
  readonly #events: ReturnType<typeof eventOfException>[] = [];
  readonly #parents = new Map<string | null, string | null>();
  /** Ids of exceptions, by {@linkcode SAME_DIGITS}. */
  readonly #exceptions = new Map<string, string>();

  /** @param room for entries of all resources of a request; `omitted`: those for which there was none */
  constructor(
    readonly resource: PlainAttributes,
    readonly room: { entries: number; omitted: number },
  ) {}

  /** False: its ids are not valid. */
  span(span: unknown, scope: string | null): boolean {
    const trace_id = hexId(at(span, "traceId"));
    const span_id = spanId(at(span, "spanId"));
    const parent = optionalId(at(span, "parentSpanId"), spanId);
    if (trace_id === null || span_id === null || parent === undefined) return false;
    if (!this.#takeRoom()) return true;
    const sentName = textAt(span, "name") ?? "";
    const kind = kindNamed(enumName(at(span, "kind"), "SPAN_KIND_", SPAN_KINDS));
    const attributes = sentAttributes(at(span, "attributes"), { "otel.scope.name": scope });
    const op = operationOf({ name: sentName, kind, attributes });
    const code = enumName(at(span, "status", "code"), "STATUS_CODE_", STATUS_CODES);
    const message = textAt(span, "status", "message");
    const start = secondsOf(at(span, "startTimeUnixNano"));
    const end = secondsOf(at(span, "endTimeUnixNano"));
    const links = listOf(at(span, "links")).map(readLink).filter(({ trace_id }) => trace_id);
    const { exception = [], other: events = [] } = Object.groupBy(
      listOf(at(span, "events")).map(readEvent),
      ({ name, attributes }) => isException(name, attributes) ? "exception" : "other",
    );
    for (const { attributes, timestamp = end ?? start } of exception) {
      const ids = { trace_id, span_id };
      this.#exception({ attributes, timestamp, level: "error", ...ids, transaction: sentName });
    }
    this.#parents.set(span_id, parent);
    this.#spans.push({
      trace_id,
      span_id,
      ...parent !== null && { parent_span_id: parent },
      name: nameOf(sentName, op),
      ...op !== null && { op },
      kind,
      status: code === "error" ? "error" : "ok",
      ...message !== null && { status_message: message },
      is_segment: parent === null || isFirst(at(span, "flags"), kind),
      start_timestamp: start,
      end_timestamp: end,
      attributes,
      ...links.length > 0 && { links },
      ...events.length > 0 && { events },
    });
    return true;
  }

  /** False: its ids are not valid. */
  log(log: unknown, scope: string | null): boolean {
    const trace_id = optionalId(at(log, "traceId"), hexId);
    const span_id = optionalId(at(log, "spanId"), spanId);
    if (trace_id === undefined || span_id === undefined) return false;
    if (!this.#takeRoom()) return true;
    const timestamp = secondsOf(at(log, "timeUnixNano")) ??
      secondsOf(at(log, "observedTimeUnixNano"));
    const event = textAt(log, "eventName");
    const body = plainValue(at(log, "body")) ?? "";
    const severity = enumName(at(log, "severityNumber"), "SEVERITY_NUMBER_", SEVERITIES);
    const text = textAt(log, "severityText");
    const attributes = sentAttributes(at(log, "attributes"), {
      "otel.scope.name": scope,
      "event.name": event,
      // The number is standardized, the text is the logging library's own.
      severity_text: levelNamed(text) === undefined ? text : null,
    });
    const level = levelNamed(severity?.replace(/\d$/, "")) ?? text;
    const ids = { trace_id, span_id };
    if (isException(event, attributes)) {
      this.#exception({ attributes, timestamp, level: level ?? "error", ...ids });
      const texts = EXCEPTION_TEXTS.map((name) => textAt(attributes, name)?.trim());
      // Only the exception again.
      if (typeof body === "string" && ["", ...texts].includes(body.trim())) return true;
    }
    const shown = body === "" ? event ?? "" : body;
    this.#logs.push({ timestamp, ...ids, level, body: shown, attributes });
    return true;
  }

  /** False: it has no name, or no value and does not say so. */
  metric(point: SentMetric): boolean {
    if (!isReadable(point)) return false;
    if (this.#takeRoom()) this.#metrics.push(point);
    return true;
  }

  /** Adds an exception, once if it is sent again. */
  #exception(exception: Omit<OtlpException, "resource">): void {
    // Before its text is parsed. Attack: 200,000 exceptions in one request.
    if (this.room.entries === 0) return void this.room.omitted++;
    const event = eventOfException({ ...exception, resource: this.resource });
    const same = event.event_id.slice(0, SAME_DIGITS);
    const [first, last] = idsOfSameException(event.event_id);
    const before = this.#exceptions.get(same) ?? "";
    const isAgain = exception.trace_id !== null && first <= before && before <= last;
    if (isAgain || !this.#takeRoom()) return;
    this.#exceptions.set(same, event.event_id);
    this.#events.push(event);
  }

  #takeRoom(): boolean {
    if (this.room.entries === 0) this.room.omitted++;
    else this.room.entries--;
    return this.room.omitted === 0;
  }

  /** Undefined: nothing of it is read. */
  build(): ParsedEnvelope | undefined {
    const items = [
      ...this.#spans.length > 0 ? [{ type: "span", json: { items: this.#spans } }] : [],
      ...this.#logs.length > 0 ? [{ type: "log", json: { items: this.#logs } }] : [],
      ...this.#metrics.length > 0 ? [{ type: "trace_metric", json: { items: this.#metrics } }] : [],
      ...innermost(this.#events, this.#parents).map((json) => ({ type: "event", json })),
    ];
    if (items.length === 0) return undefined;
    const sdk = ["opentelemetry", textAt(this.resource, "telemetry.sdk.language") ?? []].flat();
    return {
      header: {
        sdk: { name: sdk.join("."), version: textAt(this.resource, "telemetry.sdk.version") },
      },
      resource: this.resource,
      // No bytes of a request belong to one entry alone.
      items: items.map((item) => ({ ...item, bytes: 0 })),
      omitted: EMPTY_ENVELOPE.omitted,
    };
  }
}

/** Null: not sent, which may be written as zeros. Undefined: not valid. */
function optionalId(
  id: unknown,
  read: (id: unknown) => string | null,
): string | null | undefined {
  const isSent = typeof id === "string" ? !/^0*$/.test(id) : id !== undefined && id !== null;
  return isSent ? read(id) ?? undefined : null;
}

const readLink = (link: unknown) => ({
  trace_id: hexId(at(link, "traceId")),
  span_id: spanId(at(link, "spanId")),
  attributes: plainAttributes(at(link, "attributes")),
});

const readEvent = (event: unknown) => ({
  name: textAt(event, "name") ?? "",
  timestamp: secondsOf(at(event, "timeUnixNano")),
  attributes: plainAttributes(at(event, "attributes")),
});

/** Whether a span with a parent is the first of its process. */
function isFirst(flags: unknown, kind: OtlpKind): boolean {
  return typeof flags === "number" && (flags & IS_REMOTE_KNOWN) !== 0
    ? (flags & IS_REMOTE) !== 0
    : kind === "server" || kind === "consumer";
}

const kindNamed = (name: string | undefined): OtlpKind =>
  SPAN_KINDS.find((kind) => kind === name) ?? "internal";
