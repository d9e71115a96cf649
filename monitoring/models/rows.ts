/**
 * The rows that the console lists. All text in them was written by whoever posted the envelope: it
 * is shown as text, never as markup, and never followed.
 */

/** Some rows, newest first. There may be none although older ones follow: a long search pauses. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Give it as `before` and the next, older rows come; null: there are none. */
  readonly next: string | null;
}

/** What a list is asked for. Each attribute narrows it; what a list does not know it ignores. */
export interface ListQuery {
  /** Must occur, in any case of letters, in the row's ids, names, messages or item types. */
  readonly q?: string;
  /** Only rows of this trace. */
  readonly trace?: string;
  /** Errors and occurrences: of this group. */
  readonly group?: string;
  /** Envelopes: those that hold an item of this type. */
  readonly type?: string;
  /** Logs: this level and all that are more urgent. */
  readonly level?: LogRow["level"];
  /** The `next` of an earlier answer. */
  readonly before?: string;
  /** At most {@linkcode MAX_LIST_ROWS}, which is also the default. */
  readonly limit?: number;
}

/** Most rows of one answer: some screens full, and a few milliseconds to read and draw. */
export const MAX_LIST_ROWS = 200;

/** The lists that a console asks for, by the name that the address carries. */
export interface Lists {
  readonly traces: TraceRow;
  readonly errors: ErrorGroupRow;
  readonly occurrences: OccurrenceRow;
  readonly logs: LogRow;
}

/** A trace, as far as its envelopes have come. Times are milliseconds since 1970. */
export interface TraceRow {
  readonly trace_id: string;
  /** Of the root, or of the earliest span where the root has not come; null: only errors or logs came. */
  readonly name: string | null;
  readonly op: string | null;
  /** The earliest start, the latest end that was told; the clocks are those of whoever sent it. */
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly spans: number;
  readonly errors: number;
  readonly logs: number;
  readonly replay_id: string | null;
  /** When its newest envelope came. */
  readonly received_at: number;
}

/** Errors that a person would call the same one. Of a search, "newest" is the newest that was found. */
export interface ErrorGroupRow {
  /** The key of the group: hex digits made of type, shape of the message and top frame. */
  readonly group: string;
  readonly type: string;
  /** The newest one's message. */
  readonly value: string;
  /** The frame that names the group, as "function (file)"; null: no frame is known. */
  readonly where: string | null;
  readonly level: string;
  /** False: the page or process did not catch it; null: not said. */
  readonly handled: boolean | null;
  readonly count: number;
  readonly first_seen: number;
  readonly last_seen: number;
  /** Where its newest occurrence stands. */
  readonly envelope: number;
  readonly trace_id: string | null;
}

/** One error event. */
export interface OccurrenceRow {
  readonly group: string;
  /** The envelope that it came in. */
  readonly envelope: number;
  readonly event_id: string | null;
  readonly at: number;
  readonly value: string;
  readonly trace_id: string | null;
  readonly replay_id: string | null;
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** One structured log. */
export interface LogRow {
  readonly envelope: number;
  /** Its place among the logs of its envelope. */
  readonly index: number;
  readonly at: number;
  readonly level: (typeof LOG_LEVELS)[number];
  /** The message with its parameters put in. */
  readonly body: string;
  /** By name; what is no text, number or boolean stands as its JSON. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly trace_id: string | null;
  readonly span_id: string | null;
}
