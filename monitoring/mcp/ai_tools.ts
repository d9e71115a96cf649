import { readMessages } from "../models/ai/ai_messages.ts";
import { readAiSpan } from "../models/ai/ai_span.ts";
import { hexId } from "../models/json.ts";
import { micro } from "../models/time_units.ts";
import { readTrace } from "../models/trace/trace.ts";
import { isoTime, type TelemetryReader, ToolError, type ToolInput } from "./telemetry_reader.ts";
import type { ToolAnswer } from "./untrusted_text.ts";

/** The tool `get_agent_run`: the AI spans of one trace with their messages. @throws {ToolError} */
export function getAgentRun({ trace_id }: ToolInput, { inbox }: TelemetryReader): ToolAnswer {
  const traceId = hexId(trace_id);
  if (traceId === null) {
    throw new ToolError("Cannot read the run: trace_id must have 32 hexadecimal digits.");
  }
  const { tree } = readTrace(inbox.trace(traceId));
  const known = new Set<string>();
  /** A call has the conversation so far, as those before it. */
  const isNew = (message: object) => known.size < known.add(JSON.stringify(message)).size;
  const spans = tree.nodes.flatMap(({ span, depth }) => {
    const ai = span && readAiSpan(span);
    if (!span || !ai) return [];
    const { asked: _, ...facts } = ai;
    const { span_id, start_ms, end_ms, failed, status, status_message } = span;
    return [{
      ...{ depth, span_id, ...facts, started_at: isoTime(start_ms) },
      duration_ms: start_ms === null || end_ms === null ? null : micro(end_ms - start_ms),
      ...failed && { failed, status: status_message ?? status },
      messages: readMessages(span).messages.filter(isNew),
    }];
  });
  if (spans.length === 0) throw new ToolError("No AI spans of this trace are stored.");
  return {
    summary: `AI spans of one trace: ${spans.length}. An agent's tokens and cost repeat those of` +
      " the calls below it that have their own. Messages of earlier spans are not repeated.",
    data: { trace_id: traceId, spans },
  };
}
