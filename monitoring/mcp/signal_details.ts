import { readProfileContent } from "../inbox/details/profile_content.ts";
import { readMetricParameters } from "../inbox/query_parameters.ts";
import { readMessages } from "../models/ai/ai_messages.ts";
import { readAiSpan } from "../models/ai/ai_span.ts";
import { hexId } from "../models/json.ts";
import { busySamples, functionRows, mainFunction } from "../models/profile/call_tree.ts";
import { profileTimes } from "../models/profile/frame_bars.ts";
import { omittedText, placeOf } from "../models/profile/profile_content.ts";
import { micro } from "../models/time_units.ts";
import { readTrace } from "../models/trace/trace.ts";
import { durationOf } from "../models/trace/trace_span.ts";
import { isoTime, type TelemetryReader, ToolError, type ToolInput } from "./telemetry_reader.ts";
import type { ToolAnswer } from "./untrusted_text.ts";

const MAX_FUNCTIONS = 30;
const MAX_SPANS = 20;

/** The tool `get_profile`. @throws {ToolError} */
export async function getProfile(
  input: ToolInput,
  { inbox }: TelemetryReader,
): Promise<ToolAnswer> {
  const [id, trace] = [hexId(input.profile_id), hexId(input.trace_id)];
  if (id === null) {
    throw new ToolError("Cannot read the profile: profile_id must have 32 hexadecimal digits.");
  }
  const span = input.span_id === undefined ? undefined : `${input.span_id}`;
  if (span !== undefined && trace === null) throw new ToolError("span_id needs its trace_id.");
  const asked = span === undefined ? { id } : { id, trace: trace!, span };
  const profile = await readProfileContent(inbox, asked);
  if (profile === undefined) throw new ToolError("No profile with this profile_id is stored.");
  if (span !== undefined && profile.span?.span_id !== span) {
    throw new ToolError("This trace has no span with this span_id of the profile's application.");
  }
  const { row, interval_ms, samples, frames, threads, thread } = profile;
  const time = (count: number) => micro(count * interval_ms);
  const nameOf = (thread: string | null) => threads.find(({ id }) => id === thread)?.name ?? thread;
  const rows = functionRows(profile);
  const main = mainFunction(profile, rows);
  const rowOf = ({ frame, self, total }: typeof rows[number]) => ({
    function: frames[frame]!.function,
    where: placeOf(frames[frame]!),
    own: frames[frame]!.own,
    self_ms: time(self),
    total_ms: time(total),
  });
  return {
    summary: ["One profile: times are samples, each for the distance of two.", omittedText(profile)]
      .filter(Boolean).join(" "),
    data: {
      ...{ profile_id: id, of: row.of, release: row.release },
      name: profile.span?.name ?? row.name,
      started_at: isoTime(profile.start_ms),
      ...profileTimes(profile),
      thread: nameOf(thread),
      samples: samples.length,
      interval_ms,
      in_functions_ms: time(busySamples(profile)),
      main_function: main ? rowOf(main) : null,
      functions: rows.slice(0, MAX_FUNCTIONS).map(rowOf),
      spans: profile.spans.slice(0, MAX_SPANS).map(({ start_ms, end_ms, op: _, ...span }) => ({
        ...span,
        thread: nameOf(span.thread),
        duration_ms: micro(end_ms - start_ms),
      })),
    },
  };
}

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
    const { span_id, start_ms, failed, status, status_message } = span;
    return [{
      ...{ depth, span_id, ...facts, started_at: isoTime(start_ms) },
      duration_ms: durationOf(span),
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

/** The tool `query_metric` with a name: figures of one metric over time. @throws {ToolError | ParameterError} */
export function queryMetric(parameters: URLSearchParams, { inbox }: TelemetryReader): ToolAnswer {
  const content = inbox.metric(readMetricParameters(parameters, Date.now()));
  if (content === undefined) {
    throw new ToolError("No such metric is stored. Without a name the stored metrics are listed.");
  }
  const { from, to, counted_from, counted_to, samples: _, ...metric } = content;
  const { groups, largest, show, intervals, kind } = metric;
  const all = Object.values(intervals).reduce((sum, count) => sum + count, 0);
  const estimated = kind === "histogram" && show.startsWith("p") ? ", estimated" : "";
  return {
    summary: `One metric, ${show}${estimated}: ${intervals.shown} of ${all} intervals shown.`,
    data: {
      ...metric,
      ...{ from: isoTime(from), to: isoTime(to) },
      ...{ counted_from: isoTime(counted_from), counted_to: isoTime(counted_to) },
      groups: groups.map((group) => ({
        ...group,
        points: group.points.map(({ at, value, count }) => [isoTime(at), value, count]),
      })),
      largest: largest.map((sample) => ({ ...sample, at: isoTime(sample.at) })),
    },
  };
}
