import { formatCount, formatDuration, shortId } from "../components/format.ts";
import { formatTimeOfDayMs } from "../components/format_time.ts";
import { errorTitle } from "../monitoring/models/error/error_entry.ts";
import type { AiRunRow } from "../monitoring/models/ai/ai_row.ts";
import { type FeedbackRow, personOf } from "../monitoring/models/feedback/feedback_row.ts";
import type { LogRow } from "../monitoring/models/log_row.ts";
import type { MetricRow } from "../monitoring/models/metric/metric_row.ts";
import type { MonitorRunRow } from "../monitoring/models/monitors/monitor_row.ts";
import type { OccurrenceRow } from "../monitoring/models/error/error_row.ts";
import type { ProfileRow } from "../monitoring/models/profile/profile_row.ts";
import type { TraceRow } from "../monitoring/models/trace/trace_row.ts";
import { visibleText } from "./command_line.ts";

/** The `view=` that has the rows of each view, and what one is. A trace is printed before its errors and logs. */
export const KINDS = {
  traces: { list: "traces", kind: "trace" },
  errors: { list: "occurrences", kind: "error" },
  logs: { list: "logs", kind: "log" },
  metrics: { list: "metrics", kind: "metrics" },
  monitors: { list: "runs", kind: "run" },
  ai: { list: "ai_runs", kind: "ai" },
  profiles: { list: "profiles", kind: "profile" },
  feedback: { list: "feedback", kind: "feedback" },
} as const;
export type View = keyof typeof KINDS;
export const VIEWS = Object.keys(KINDS) as View[];

/** The metrics of one request. */
interface SentMetrics {
  readonly at: number;
  readonly application: string | null;
  readonly points: number;
  readonly names: readonly string[];
  readonly trace_id: null;
}

export function metricsLine(rows: readonly MetricRow[]): TailRow[] {
  if (rows.length === 0) return [];
  return [{
    kind: "metrics",
    at: Math.max(...rows.map(({ last_at }) => last_at)),
    application: rows[0]!.applications[0] ?? null,
    points: rows.reduce((sum, { points }) => sum + (points ?? 0), 0),
    names: rows.map(({ name }) => name),
    trace_id: null,
  }];
}

export type TailRow =
  | { readonly kind: "error" } & OccurrenceRow
  | { readonly kind: "log" } & LogRow
  | { readonly kind: "metrics" } & SentMetrics
  | { readonly kind: "run" } & MonitorRunRow
  | { readonly kind: "ai" } & Omit<AiRunRow, "kind">
  | { readonly kind: "profile" } & ProfileRow
  | { readonly kind: "trace" } & TraceRow
  | { readonly kind: "feedback" } & FeedbackRow;

/** Maximum number of characters of the text, and of the notes: some rows of a terminal. */
const MAX_TEXT = 1_000;

/** SGR codes (ECMA-48): https://en.wikipedia.org/wiki/ANSI_escape_code#Select_Graphic_Rendition_parameters */
const COLOURS: Readonly<Record<string, number>> = {
  fatal: 31,
  error: 31,
  warning: 33,
  warn: 33,
  info: 36,
  log: 36,
  debug: 90,
  span: 35,
  feedback: 32,
  faint: 90,
};

/** A row as one line of text, without a line feed. */
export function formatRow(row: TailRow, application: string, coloured: boolean): string {
  const paint = (name: string, text: string) =>
    coloured ? `\x1b[${COLOURS[name] ?? 0}m${text}\x1b[0m` : text;
  const { at, label, colour, text, notes } = partsOf(row);
  const [mainText, noteText] = [text, notes.filter(Boolean).join("  ")]
    .map((each) => shorten(visibleText(each)));
  return [
    paint("faint", formatTimeOfDayMs(at)),
    paint(colour, label.padEnd(7)),
    paint("faint", visibleText(application)),
    mainText,
    ...noteText ? [paint("faint", ` ${noteText}`)] : [],
  ].join(" ");
}

/** The parts of a line. `notes` are less important than the text. */
function partsOf(row: TailRow) {
  const trace = row.trace_id && `trace ${shortId(row.trace_id)}`;
  const took = (ms: number | null) => ms !== null && formatDuration(ms);
  switch (row.kind) {
    case "trace": {
      const { spans, started_at: at, ended_at, op, name } = row;
      const ms = ended_at === null ? null : ended_at - at;
      const notes = [took(ms), formatCount(spans, "span"), row.failed && "failed", trace];
      const text = [op, name].filter(Boolean).join(" ");
      return { at, label: "trace", colour: "span", text, notes };
    }
    case "metrics": {
      const { at, points, names } = row;
      const text = `${formatCount(points, "point")} of ${formatCount(names.length, "metric")}`;
      return { at, label: "metrics", colour: "info", text, notes: [names.join(", ")] };
    }
    case "run": {
      const { started_at: at, slug, state, duration } = row;
      const isOk = state === "ok" || state === "running";
      const [label, colour] = isOk ? ["run", "info"] : ["RUN", "error"];
      const text = `${slug} ${state.replace("_", " ")}`;
      return { at, label, colour, text, notes: [took(duration), trace] };
    }
    case "ai": {
      const { started_at: at, duration, name, calls, tools, failed } = row;
      const tokens = `${row.input_tokens ?? "?"} in, ${row.output_tokens ?? "?"} out`;
      const counts = [formatCount(calls, "call"), formatCount(tools, "tool"), tokens];
      const notes = [took(duration), ...counts, failed && "failed", trace];
      return { at, label: "ai", colour: failed ? "error" : "span", text: name, notes };
    }
    case "profile": {
      const { name, samples, started_at: at, ended_at, top } = row;
      const main = top && `${Math.round(top.share * 100)} % in ${top.function} itself`;
      const notes = [took(ended_at - at), formatCount(samples, "sample"), main, trace];
      const text = name ?? "session of a profiler";
      return { at, label: "profile", colour: "span", text, notes };
    }
    case "feedback": {
      const { at, kind, message, url } = row;
      return { at, label: kind, colour: kind, text: message, notes: [personOf(row), url, trace] };
    }
    case "log": {
      const { at, level, body, attributes } = row;
      // The SDK's own attributes are the same in every row.
      const notes = Object.entries(attributes).filter(([name]) => !name.startsWith("sentry."))
        .map(([name, value]) => `${name}=${value}`);
      // "trace" is a trace's.
      const label = level === "trace" ? "log" : level;
      return { at, label, colour: level, text: body, notes: [...notes, trace] };
    }
    case "error": {
      const { at, level, where, handled } = row;
      const notes = [where && `at ${where}`, handled === false && "unhandled", trace];
      // Not as the level of a log.
      return { at, label: level.toUpperCase(), colour: level, text: errorTitle(row), notes };
    }
  }
}

const shorten = (text: string) =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…` : text;
