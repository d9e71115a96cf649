import { Buffer } from "node:buffer";
import { hexId } from "../models/json.ts";
import { omittedText } from "../models/trace/trace_content.ts";
import { repetitionText } from "../models/trace/repetitions.ts";
import { longestSpans } from "../models/trace/self_time.ts";
import { clocksNotCorrected } from "../models/trace/span_times.ts";
import type { SpanNode } from "../models/trace/span_tree.ts";
import { type PlacedMark, readTrace, type Trace } from "../models/trace/trace.ts";
import { durationOf, readAttributes } from "../models/trace/trace_span.ts";
import { rateVital } from "../models/trace/web_vitals.ts";
import { micro } from "../models/time_units.ts";
import { isoTime, type TelemetryReader, ToolError, type ToolInput } from "./telemetry_reader.ts";
import { countFitting, MAX_ROWS_BYTES, type ToolAnswer } from "./untrusted_text.ts";
import { visibleJson } from "../models/readable_json.ts";

/** Characters of a span's name or a mark's text. */
const MAX_TEXT = 300;
/** Errors, and logs. */
const MAX_MARKS = 20;
const LONGEST = 10;
const MAX_EVENTS = 20;

/** The tool `get_trace`: one trace as pages of spans. @throws {ToolError} */
export function getTrace(input: ToolInput, reader: TelemetryReader): ToolAnswer {
  const traceId = hexId(input.trace_id);
  if (traceId === null) {
    throw new ToolError("Cannot read the trace: trace_id must have 32 hexadecimal digits.");
  }
  const content = reader.inbox.trace(traceId);
  const trace = readTrace(content);
  const { nodes } = trace.tree;
  if (nodes.length === 0 && trace.marks.length === 0) {
    throw new ToolError("No spans, errors or logs of this trace are stored.");
  }
  const first = firstNode(nodes, input.after);
  const head = {
    trace_id: traceId,
    ...trace.summary,
    started_at: isoTime(trace.summary.started_at ?? trace.start_ms),
    name: cut(trace.summary.name),
    replay_id: content.replay_id,
    ...content.whole && { omitted: content.omitted },
    ...input.span_id !== undefined && { span: spanDetails(trace, input.span_id) },
    // The overview does not depend on `after`: only the first page has it.
    ...first === 0 && overview(trace, reader),
  };
  const rows = nodes.slice(first).map((node) => spanRow(trace, node));
  const room = MAX_ROWS_BYTES - Buffer.byteLength(visibleJson(head));
  const spans = rows.slice(0, Math.max(1, countFitting(rows, room)));
  const end = first + spans.length;
  const next = end < nodes.length ? nodes[end - 1]!.key : null;
  const { missing } = trace.summary;
  const what = missing && `rows: ${nodes.length - missing} spans, ${missing} missing parents`;
  const range = `${first + 1} to ${end} of ${nodes.length} ${what || "spans"}.`;
  const summary = [
    nodes.length === 0 ? "A trace without spans." : `One trace, ${range}`,
    next !== null && "For further ones call again with `after` set to `next`.",
    omittedText(content),
  ].filter(Boolean);
  return { summary: summary.join(" "), data: { ...head, spans, next } };
}

function firstNode(nodes: readonly SpanNode[], after: unknown): number {
  if (after === undefined) return 0;
  const index = nodes.findIndex(({ key }) => key === after);
  if (index === -1) throw new ToolError("`after` must be the `next` of an earlier answer.");
  return index + 1;
}

function overview(trace: Trace, { inbox }: TelemetryReader) {
  const offset = (mark: PlacedMark) => ({
    offset_ms: micro(mark.at_ms - trace.origin_ms),
    level: mark.level,
    text: cut(mark.text),
    span_id: mark.span_id,
    ...mark.error !== null && { error: mark.error },
  });
  const marks = (kind: PlacedMark["kind"]) => trace.marks.filter((mark) => mark.kind === kind);
  return {
    clocks_off: clocksNotCorrected(trace, inbox.applications({}).rows)
      .map(({ name, clock_ms }) => ({ application: name, clock_ms })),
    web_vitals: trace.vitals
      .map(({ name, value }) => ({ name, value, rating: rateVital({ name, value }) })),
    // Oldest first.
    first_errors: marks("error").slice(0, MAX_MARKS).map(offset),
    first_logs: marks("log").slice(0, MAX_MARKS).map(offset),
    longest_spans: longestSpans(trace.tree, trace.times, LONGEST).map(
      ({ node: { span }, repetition, self_ms, duration_ms }) => ({
        ...{ span_id: span!.span_id, op: span!.op },
        name: cut(repetition?.name ?? span!.name),
        duration_ms: micro(duration_ms),
        self_ms: micro(self_ms),
        ...repetition && { repeated: repetitionText(repetition).replaceAll("\u00a0", " ") },
      }),
    ),
  };
}

function spanRow({ times, origin_ms }: Trace, node: SpanNode) {
  const { span, depth } = node;
  const placed = times.byNode.get(node)!;
  return {
    depth,
    span_id: span?.span_id ?? null,
    op: span?.op ?? null,
    name: span === null ? "(missing parent)" : cut(span.name),
    start_ms: micro(placed.start_ms - origin_ms),
    duration_ms: span ? durationOf(span) : micro(placed.end_ms - placed.start_ms),
    side: span?.side,
    ...span?.failed && { failed: true, status: span.status },
    ...placed.isOpen && { anomalies: ["no end"] },
    ...span?.listed_at !== undefined && { anomalies: ["no plausible start"] },
  };
}

function spanDetails(trace: Trace, spanId: unknown) {
  const node = trace.tree.nodes.find(({ span }) => span?.span_id === spanId);
  if (!node?.span) throw new ToolError("This trace has no span with this span_id.");
  const { kind, status_message, events = [], links = [] } = node.span;
  const { shift_ms } = trace.times.byNode.get(node)!;
  return {
    ...spanRow(trace, node),
    parent_span_id: node.span.parent_span_id,
    ...kind !== undefined && { kind },
    ...status_message !== undefined && { status_message: cut(status_message) },
    attributes: pairsOf(node.span),
    ...events.length > 0 && {
      events: events.slice(0, MAX_EVENTS).map((event) => ({
        offset_ms: event.at_ms === null ? null : micro(event.at_ms + shift_ms - trace.origin_ms),
        name: cut(event.name),
        attributes: pairsOf(event),
      })),
    },
    ...links.length > 0 && {
      links: links.slice(0, MAX_EVENTS).map(({ trace_id, span_id, attributes }) => ({
        trace_id,
        span_id,
        attributes: pairsOf({ attributes }),
      })),
    },
  };
}

const pairsOf = (of: Parameters<typeof readAttributes>[0]) =>
  readAttributes(of).map(({ name, value, unit }) => [name, cut(value), ...unit ? [unit] : []]);

const cut = (text: string) => text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
