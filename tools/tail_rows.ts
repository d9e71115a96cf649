import { formatCount, formatDuration, shortId } from "../components/format.ts";
import { formatTimeOfDayMs } from "../components/format_time.ts";
import { type ErrorEntry, errorTitle } from "../monitoring/models/error/error_entry.ts";
import type { IndexEntries } from "../monitoring/models/index/index_entries.ts";
import type { LogEntry } from "../monitoring/models/log_entry.ts";
import type { EnvelopeApplication } from "../monitoring/models/application.ts";
import type { TraceEntry } from "../monitoring/models/trace/trace_entry.ts";
import { ROOT_RANK } from "../monitoring/models/trace/trace_root.ts";
import { visibleText } from "./command_line.ts";

export const VIEWS = ["errors", "logs", "traces"] as const;
export type View = typeof VIEWS[number];

/** One printed line. */
type TailRow =
  & { readonly application: EnvelopeApplication }
  & (
    | { readonly kind: "error" } & ErrorEntry
    | { readonly kind: "log" } & LogEntry
    | { readonly kind: "trace" } & TraceEntry
  );

/**
 * The rows of one envelope: traces, then errors, then logs, as a trace starts before its errors and logs. A trace has a
 * row when the first span of a page or process arrives; later batches of its spans have none.
 */
export function rowsOf(entries: IndexEntries, views: readonly View[]): TailRow[] {
  const { application, errors, logs } = entries;
  const traces = entries.traces.filter(({ root }) => root && root.rank <= ROOT_RANK.parent);
  const shown = <T>(view: View, rows: readonly T[]) => views.includes(view) ? rows : [];
  return [
    ...shown("traces", traces).map((entry) => ({ kind: "trace" as const, application, ...entry })),
    ...shown("errors", errors).map((entry) => ({ kind: "error" as const, application, ...entry })),
    ...shown("logs", logs).map((entry) => ({ kind: "log" as const, application, ...entry })),
  ];
}

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
  faint: 90,
};

/**
 * A row as one line of text, without a line feed.
 *
 * @param coloured adds SGR codes for a terminal
 */
export function formatRow(row: TailRow, coloured: boolean): string {
  const paint = (name: string, text: string) =>
    coloured ? `\x1b[${COLOURS[name] ?? 0}m${text}\x1b[0m` : text;
  const { at, label, colour, text, notes } = partsOf(row);
  const [mainText, noteText] = [text, notes.join("  ")].map((each) => shorten(visibleText(each)));
  return [
    paint("faint", formatTimeOfDayMs(at)),
    paint(colour, label.padEnd(7)),
    paint("faint", visibleText(row.application.name)),
    mainText,
    ...noteText ? [paint("faint", ` ${noteText}`)] : [],
  ].join(" ");
}

interface LineParts {
  readonly at: number;
  readonly label: string;
  readonly colour: string;
  readonly text: string;
  /** Less important than the text. */
  readonly notes: readonly string[];
}

function partsOf(row: TailRow): LineParts {
  const trace = row.trace_id === null ? [] : [`trace ${shortId(row.trace_id)}`];
  if (row.kind === "trace") {
    const { root, spans, seen_at } = row;
    const { started_at = null, ended_at = null, op, name } = root ?? {};
    const isTimed = started_at !== null && ended_at !== null;
    return {
      at: started_at ?? seen_at,
      label: "trace",
      colour: "span",
      text: [op, name].filter(Boolean).join(" "),
      notes: [
        ...isTimed ? [formatDuration(ended_at - started_at)] : [],
        formatCount(spans, "span"),
        ...trace,
      ],
    };
  }
  const { at, level } = row;
  if (row.kind === "log") {
    // The SDK's own attributes are the same in every row.
    const attributes = Object.entries(row.attributes)
      .filter(([name]) => !name.startsWith("sentry."))
      .map(([name, value]) => `${name}=${value}`);
    return { at, label: level, colour: level, text: row.body, notes: [...attributes, ...trace] };
  }
  const place = row.where === null ? [] : [`at ${row.where}`];
  const unhandled = row.handled === false ? ["unhandled"] : [];
  return {
    at,
    label: level === "error" ? "ERROR" : level,
    colour: level,
    text: errorTitle(row),
    notes: [...place, ...unhandled, ...trace],
  };
}

const shorten = (text: string) =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…` : text;
