import { MAX_TRACE_IDS } from "../describe.ts";
import { type ErrorEntry, errorEntry, replayOf } from "./error_entry.ts";
import type { MapOf } from "./error_group.ts";
import { readDebugIds } from "../error/debug_ids.ts";
import { at, hexId, listOf } from "../json.ts";
import { type LogEntry, logEntry } from "./log_entry.ts";
import type { ParsedEnvelope } from "../parsed_envelope.ts";
import { type TraceEntry, TraceFindings } from "./trace_entry.ts";

/** What the console's lists are made of, for one envelope. */
export interface Entries {
  /** One for each trace that the envelope touches, in the order of their coming. */
  readonly traces: readonly TraceEntry[];
  readonly errors: readonly ErrorEntry[];
  readonly logs: readonly LogEntry[];
  /** Logs that were read beside these, and only count in their traces. */
  readonly moreLogs: number;
}

/** Logs listed of one envelope. SDKs send up to 100, OpenTelemetry's exporters 512; more are counted, not listed. */
export const MAX_LOGS = 1_000;

/** Errors of one envelope that are looked up in source maps; SDKs send one. Each takes up to half a millisecond. */
const MAX_LOOKED_UP = 32;

/**
 * The entries of an envelope. Anyone who may post decides what is in it, so nothing here throws and every text is
 * bounded: what cannot be read is left out.
 *
 * @param receivedAt ms since 1970; stands in for times that are missing or lie
 * @param mapWith gives the source map that has a debug id: errors are then grouped by where they are in the sources
 */
export function entriesOf(
  { header, items }: ParsedEnvelope,
  receivedAt: number,
  mapWith?: (debugId: string) => ReturnType<MapOf>,
): Entries {
  const found = new EnvelopeFindings(receivedAt, mapWith);
  found.trace(at(header, "trace", "trace_id"))?.replay(at(header, "trace", "replay_id"));
  for (const { type, json } of items) {
    if (json !== undefined) READERS.get(type)?.(json, found);
  }
  return {
    traces: [...found.traces.values()].map((trace) => trace.entry()),
    errors: found.errors,
    logs: found.logs,
    moreLogs: found.moreLogs,
  };
}

class EnvelopeFindings {
  readonly traces = new Map<string, TraceFindings>();
  readonly errors: ErrorEntry[] = [];
  readonly logs: LogEntry[] = [];
  moreLogs = 0;

  constructor(
    readonly receivedAt: number,
    readonly mapWith?: (debugId: string) => ReturnType<MapOf>,
  ) {}

  /** Leads from the scripts that an event names into their sources. */
  mapsOf(event: unknown): MapOf | undefined {
    const { mapWith } = this;
    if (mapWith === undefined || this.errors.length >= MAX_LOOKED_UP) return undefined;
    const debugIds = readDebugIds(event);
    return (file) => {
      const id = debugIds.get(file);
      return id === undefined ? undefined : mapWith(id);
    };
  }

  /** The trace of this id; undefined where that is no id, or one too many. */
  trace(value: unknown): TraceFindings | undefined {
    const id = hexId(value);
    if (id === null) return undefined;
    let trace = this.traces.get(id);
    if (trace === undefined && this.traces.size < MAX_TRACE_IDS) {
      this.traces.set(id, trace = new TraceFindings(id, this.receivedAt));
    }
    return trace;
  }
}

type ItemReader = (payload: unknown, found: EnvelopeFindings) => void;

const readEvent: ItemReader = (payload, found) => {
  const entry = errorEntry(payload, found.receivedAt, found.mapsOf(payload));
  found.errors.push(entry);
  const trace = found.trace(entry.trace_id);
  trace?.error(entry.at);
  trace?.replay(entry.replay_id);
};

const readTransaction: ItemReader = (payload, found) => {
  const trace = found.trace(at(payload, "contexts", "trace", "trace_id"));
  trace?.transaction(payload);
  trace?.replay(replayOf(payload));
};

/** Feedback and recordings stand in the trace that they were made in; they are no errors. */
const readFeedback: ItemReader = (payload, found) => {
  found.trace(at(payload, "contexts", "trace", "trace_id"))?.replay(replayOf(payload));
};

const readMetrics: ItemReader = (payload, found) => {
  for (const metric of listOf(at(payload, "items"))) {
    found.trace(at(metric, "trace_id"))
      ?.replay(at(metric, "attributes", "sentry.replay_id", "value"));
  }
};

const readReplay: ItemReader = (payload, found) => {
  for (const id of listOf(at(payload, "trace_ids"))) {
    found.trace(id)?.replay(at(payload, "replay_id"));
  }
  readFeedback(payload, found);
};

/** `{"items": […]}`; a span of the older form stands alone. */
const readSpans: ItemReader = (payload, found) => {
  const spans = at(payload, "items");
  for (const span of Array.isArray(spans) ? spans : [payload]) {
    const trace = found.trace(at(span, "trace_id"));
    trace?.span(span);
    trace?.replay(at(span, "attributes", "sentry.replay_id", "value"));
  }
};

const readLogs: ItemReader = (payload, found) => {
  for (const log of listOf(at(payload, "items"))) {
    if (found.logs.length < MAX_LOGS) {
      const entry = logEntry(log, found.receivedAt);
      found.logs.push(entry);
      found.trace(entry.trace_id)?.log(entry.at);
    } else {
      found.moreLogs++;
      found.trace(at(log, "trace_id"))?.log(found.receivedAt);
    }
    found.trace(at(log, "trace_id"))?.replay(at(log, "attributes", "sentry.replay_id", "value"));
  }
};

const READERS: ReadonlyMap<string, ItemReader> = new Map([
  ["event", readEvent],
  ["transaction", readTransaction],
  ["feedback", readFeedback],
  ["replay_event", readReplay],
  ["span", readSpans],
  ["log", readLogs],
  ["trace_metric", readMetrics],
]);
