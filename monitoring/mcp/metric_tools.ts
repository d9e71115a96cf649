import { readMetricParameters } from "../inbox/query_parameters.ts";
import { isoTime, type TelemetryReader, ToolError } from "./telemetry_reader.ts";
import type { ToolAnswer } from "./untrusted_text.ts";

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
    summary: `One metric, ${show}${estimated}: ${intervals.shown} of ${all} points shown.`,
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
