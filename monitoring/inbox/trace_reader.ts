import type { DatabaseSync } from "node:sqlite";
import { type ErrorEntry, errorTitle } from "../models/error/error_entry.ts";
import { envelopeAt } from "../models/index/list_cursor.ts";
import { type LogEntry, messageOf, shortBody } from "../models/log_entry.ts";
import type { TraceRow } from "../models/trace/trace_row.ts";
import { spanOfRow } from "../models/trace/span_entry.ts";
import {
  MAX_TRACE_CHARACTERS,
  MAX_TRACE_ROWS,
  type TraceContent,
} from "../models/trace/trace_content.ts";
import { APPLICATION } from "./list_sql.ts";
import { RESOURCE } from "./query_sql.ts";
import type { SpanSender, TraceMark, TraceSpan } from "../models/trace/trace_span.ts";

/** The columns of a span that {@linkcode spanOfRow} reads. */
export const SPAN_COLUMNS =
  "span_id, parent_id AS parent_span_id, op, name, at, duration, failed, is_segment, entry";

const ofApplication = (column: string) =>
  `(SELECT ${column} FROM applications WHERE id = e.application)`;

/** What sent the span `e`. */
const SENDER_COLUMNS = `${APPLICATION},` +
  ` ${ofApplication("name")} AS application_name, ${ofApplication("environment")} AS environment,` +
  " (SELECT release FROM releases WHERE id = e.release) AS release";

/** A span, an error or a log. `entry` is JSON. */
interface FoundRow {
  readonly row_key: number;
  readonly entry: string;
  readonly resource: number;
}

type FoundSpan = FoundRow & SpanSender & Parameters<typeof spanOfRow>[0];

/** Returns a function that reads the newest spans, errors and logs of a trace, as many as the limits allow. */
export function traceReader(db: DatabaseSync) {
  const sql = prepare(db);
  /** @param row of the list */
  return (id: string, row: TraceRow | undefined): TraceContent => {
    /** Places of the JSON of resources. */
    const resources = new Map<string, number>();
    /** The rows of one table, oldest first. */
    const rowsOf = <T>(kind: keyof typeof sql, toRow: (found: FoundSpan) => T) => {
      const found: T[] = [];
      let [characters, omitted] = [0, 0];
      for (const one of sql[kind].newest.iterate(id) as Iterable<unknown>) {
        const { sent, ...row } = one as FoundSpan & { readonly sent: string | null };
        characters += row.entry.length;
        if (found.length === MAX_TRACE_ROWS || characters > MAX_TRACE_CHARACTERS) {
          const { count } = sql[kind].count.get(id) as { count: number };
          omitted = count - found.length;
          break;
        }
        const resource = resources.getOrInsert(sent ?? "{}", resources.size);
        found.push(toRow({ ...row, resource }));
      }
      return { found: found.reverse(), omitted };
    };
    const spans = rowsOf("spans", spanOf);
    const errors = rowsOf("errors", errorMark);
    const logs = rowsOf("logs", logMark);
    const omitted = { spans: spans.omitted, errors: errors.omitted, logs: logs.omitted };
    const marks = [...errors.found, ...logs.found];
    return {
      envelopes: [...new Set([...spans.found, ...marks].map(({ envelope }) => envelope))]
        .sort((a, b) => a - b),
      spans: spans.found,
      marks,
      resources: [...resources.keys()].map((json) => JSON.parse(json)),
      replay_id: row?.replay_id ?? null,
      omitted,
      whole: omitted.spans + omitted.errors + omitted.logs > 0 ? row ?? null : null,
    };
  };
}

function spanOf({ row_key, ...row }: FoundSpan): TraceSpan {
  const { application, application_name, environment, release } = row;
  return {
    ...spanOfRow(row),
    // A span without an id gets a unique one, so that it is displayed.
    span_id: row.span_id ?? `none:${row_key}`,
    application,
    application_name,
    environment,
    release,
    envelope: envelopeAt(row_key),
  };
}

function errorMark(found: FoundSpan): TraceMark {
  const error: ErrorEntry = JSON.parse(found.entry);
  return { ...markOf("error", found, error), text: errorTitle(error), error: error.event_id };
}

function logMark(found: FoundSpan): TraceMark {
  const log: LogEntry = JSON.parse(found.entry);
  const [text, message] = [shortBody(log) || "(log without a message)", messageOf(log)];
  return { ...markOf("log", found, log), text, error: null, ...message && { message } };
}

function markOf(
  kind: TraceMark["kind"],
  { row_key, application, resource }: FoundSpan,
  { at, span_id, level, attributes = {} }: ErrorEntry | LogEntry,
) {
  const [key, envelope] = [`${kind}:${row_key}`, envelopeAt(row_key)];
  return { kind, key, at_ms: at, span_id, level, attributes, envelope, application, resource };
}

function prepare(db: DatabaseSync) {
  const of = (table: string, columns: string, order = "row_key DESC") => ({
    // The keys first: SQLite would sort whole rows.
    newest: db.prepare(
      `SELECT row_key, ${RESOURCE} AS sent, ${columns} FROM ${table} AS e WHERE row_key IN (SELECT row_key FROM ${table} WHERE trace_id = ?` +
        ` ORDER BY row_key DESC LIMIT ${MAX_TRACE_ROWS + 1}) ORDER BY ${order}`,
    ),
    count: db.prepare(`SELECT count(*) AS count FROM ${table} WHERE trace_id = ?`),
  });
  return {
    spans: of("spans", `${SPAN_COLUMNS}, ${SENDER_COLUMNS}`),
    errors: of("error_entries", `entry, ${APPLICATION}`),
    logs: of("log_entries", `entry, ${APPLICATION}`, "at DESC, sequence DESC, row_key DESC"),
  };
}
