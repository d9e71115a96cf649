import type { LogAttributes, LogLevel } from "../protocol/log_levels.ts";
import type { StyleRun } from "./ansi.ts";
import type { Side } from "./side.ts";

/**
 * The queries and rows of the lists: wire types of `GET /monitoring/inbox?view=…`. All texts in rows are
 * untrusted: display them as text, never as markup or links.
 */

/** Rows, newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The `before` of the next page, with older rows; null: this is the last page. */
  readonly next: string | null;
}

/** Filters of a list. Filters that a list does not support are ignored. */
export interface ListQuery {
  /** Text in the row's ids, names, messages or item types; case-insensitive. */
  readonly q?: string;
  /** Trace id. */
  readonly trace?: string;
  /** Id of a recording: its segments, and the traces that name it with all of their errors and logs. */
  readonly replay?: string;
  /** Errors and occurrences: key of the group. */
  readonly group?: string;
  /** Envelopes: with an item of this type. */
  readonly type?: string;
  /** Logs and errors: this level and more severe ones, see `severityOf`. */
  readonly level?: LogLevel;
  /** Errors and occurrences: whether they were handled. */
  readonly handled?: boolean;
  /** Groups of errors: in this state. */
  readonly state?: GroupState;
  /**
   * Only rows that this source has sent: its key, or {@linkcode APPLICATIONS}. The counts of error groups are those
   * of the source.
   */
  readonly source?: string;
  /** Only rows that this release has sent. The counts of error groups are those of the release. */
  readonly release?: string;
  /** Only rows that were sent from this environment. The counts of error groups are those of the environment. */
  readonly environment?: string;
  /** Traces: with this status. */
  readonly status?: TraceStatus;
  /** Traces: with a span of this operation, and with a span of this name; of both, one span. */
  readonly op?: string;
  readonly name?: string;
  /** Traces: also those of preflight requests (`OPTIONS`) in which nothing failed. */
  readonly preflights?: boolean;
  /** Traces: loads of this page, see {@linkcode PageRow.page}. */
  readonly page?: string;
  /**
   * Only rows of this time or later, and before `until`, in milliseconds since 1970. By the senders' clocks; of
   * envelopes, when they were received. The counts of error groups are those of the range.
   */
  readonly since?: number;
  readonly until?: number;
  /** Of a histogram: which rows it counts. Default: traces. */
  readonly of?: HistogramList;
  /** When it was asked: the end of a chart without `until`. */
  readonly now?: number;
  /** Default: newest first. Rows without a value of that column are left out; another list's column is ignored. */
  readonly sort?: ListSort;
  /** The `next` of an earlier page. */
  readonly before?: string;
  /** At most {@linkcode MAX_LIST_ROWS}, which is also the default. */
  readonly limit?: number;
}

/** As a `source`: every source but Sightglass itself, or Sightglass if there is no other. */
export const APPLICATIONS = "apps";

/** The columns by which each list can be sorted. */
export const TRACE_COLUMNS = ["started_at", "duration", "spans", "errors", "logs"] as const;
export const GROUP_COLUMNS = ["first_seen", "last_seen", "count"] as const;
export const RECORDING_COLUMNS = ["started_at", "duration"] as const;
export const PAGE_COLUMNS = ["loads", "lcp", "inp", "cls", "fcp", "ttfb"] as const;

/** A column by which a list can be sorted. `duration`: of a trace or a recording, from its start to its end. */
export type SortColumn =
  | (typeof TRACE_COLUMNS)[number]
  | (typeof RECORDING_COLUMNS)[number]
  | (typeof GROUP_COLUMNS)[number]
  | (typeof PAGE_COLUMNS)[number];

/** Ascending, or with `-` descending. `slowest` is `-duration`, `frequent` is `-count`. */
export type ListSort = SortColumn | `-${SortColumn}` | "slowest" | "frequent";

/** The orders that a query may name. */
export const LIST_SORTS: readonly ListSort[] = [
  "slowest",
  "frequent",
  ...[...TRACE_COLUMNS, ...GROUP_COLUMNS, ...PAGE_COLUMNS].flatMap((
    column,
  ) => [column, `-${column}` as const]),
];

interface SortOrder {
  readonly column: SortColumn;
  readonly descending: boolean;
}

/** The column and direction of an order. */
export function readSort(sort: ListSort): SortOrder {
  if (sort === "slowest") return { column: "duration", descending: true };
  if (sort === "frequent") return { column: "count", descending: true };
  return { column: sort.replace("-", "") as SortColumn, descending: sort.startsWith("-") };
}

/**
 * `error`: with errors, or a root span (of the trace, a page or a process) that failed; `ok`: all others; `5xx` and its
 * like: with a root span that has such an HTTP status.
 */
export const TRACE_STATUSES = ["ok", "error", "2xx", "3xx", "4xx", "5xx"] as const;

type TraceStatus = (typeof TRACE_STATUSES)[number];

/** The lists that are shown over time. */
export const HISTOGRAM_LISTS = ["traces", "errors", "logs"] as const;
export type HistogramList = (typeof HISTOGRAM_LISTS)[number];

/** The rows of a list in parts of equal length, oldest first. */
export interface Histogram {
  /** Start of the first part and end of the last one, milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Length of a part in milliseconds. */
  readonly step: number;
  readonly parts: readonly HistogramPart[];
}

export interface HistogramPart {
  /** Traces by their start, errors (not groups) and logs by their time. */
  readonly count: number;
  /** Of these: logs of level `warn`. */
  readonly warnings: number;
  /** Of these: traces with an error or a failed root span, unhandled errors, logs of level `error` and `fatal`. */
  readonly failures: number;
}

/** Parts of a histogram at most: bars that a pointer can hit. */
export const MAX_PARTS = 120;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Lengths of a part: a part begins at a multiple of its length, so that it stays the same while time passes. */
const STEPS = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
];

/**
 * The parts of a time range, at most {@linkcode MAX_PARTS}. They cover it whole.
 *
 * @param since milliseconds since 1970
 * @param until milliseconds since 1970; not before `since`
 */
export function histogramRange(
  since: number,
  until: number,
): Pick<Histogram, "from" | "to" | "step"> {
  const fits = (step: number) => (until - since) / step <= MAX_PARTS - 1;
  const step = STEPS.find(fits) ??
    DAY * Math.max(1, Math.ceil((until - since) / DAY / (MAX_PARTS - 1)));
  const from = Math.floor(since / step) * step;
  return { from, to: Math.max(from + step, Math.ceil(until / step) * step), step };
}

/** Rows of one page: a few screens, read and drawn in a few milliseconds. */
export const MAX_LIST_ROWS = 200;

/**
 * The row type of each list, by its `view`; the list of envelopes has `InboxRow`. Another list needs:
 *
 * 1. a row type here. The compiler then requires it in `monitoring/inbox/list_reader.ts`, `LIST_NAMES` of
 *    `monitoring/inbox/query_parameters.ts`, `LISTS` of `islands/data/lists.ts`, and in the reference
 *    implementation of the tests, `monitoring/inbox/testdata/memory_index.ts`
 * 2. its entries in `index/index_entries.ts`; if they come from another item type, that type in `parsed_envelope.ts`
 * 3. a table in `monitoring/inbox/schema.ts`, written by `index_writer.ts` and queried by `list_sql.ts` beside it: a new
 *    version of the schema, which indexes the stored envelopes again, see `NEW_INDEX` there
 * 4. its number in {@linkcode ListCounts}, for the tab, and a view that shows it: a folder in `islands/`, its name in
 *    `islands/shared/view.ts`, its place in `routes/index.tsx`, its selector in `components/styles/console.css`
 */
export interface Lists {
  readonly traces: TraceRow;
  readonly errors: ErrorGroupRow;
  readonly occurrences: OccurrenceRow;
  readonly logs: LogRow;
  readonly pages: PageRow;
  readonly recordings: RecordingRow;
}

/** A trace, from the envelopes received so far. Times are milliseconds since 1970, by the senders' clocks. */
export interface TraceRow {
  readonly trace_id: string;
  /**
   * Of the span that it is named for and measured by, see `ROOT_RANK` in `trace/trace_root.ts`; without spans, the text
   * of the first error, else of the first log. Null: those have no name.
   */
  readonly name: string | null;
  /** Operation of that span; null: none. */
  readonly op: string | null;
  /** Of that span; without spans, time of the first error or log. */
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly spans: number;
  readonly errors: number;
  readonly logs: number;
  /** Has errors, or a root span (of the trace, a page or a process) failed. */
  readonly failed: boolean;
  /** The highest HTTP status of its root spans; null: none was sent. */
  readonly http_status: number | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** When its newest envelope was received. */
  readonly received_at: number;
  /** Keys of the sources that sent its spans, errors and logs, in the order of arrival. */
  readonly sources: readonly string[];
}

/** The web vitals of a page over all its loads: 75th percentiles in milliseconds, CLS without unit; null: not sent. */
export interface PageRow {
  /** Name of its loads and of the navigations to it: its route, or its path. */
  readonly page: string;
  /** Key of the source. */
  readonly source: string;
  readonly loads: number;
  readonly lcp: number | null;
  readonly inp: number | null;
  readonly cls: number | null;
  readonly fcp: number | null;
  readonly ttfb: number | null;
}

/** A session recording, from its segments received so far. Times are milliseconds since 1970, by the sender's clock. */
export interface RecordingRow {
  readonly replay_id: string;
  /** `page`: of a web page, which can be played. `video`: of a mobile SDK. */
  readonly kind: "page" | "video";
  /** Address of its first page, as sent. */
  readonly page: string | null;
  readonly started_at: number;
  readonly ended_at: number;
  /** Numbered segments that have arrived, each counted once. */
  readonly segments: number;
  /** Segments before the last one that have not arrived. */
  readonly missing: number;
  /** Segments that arrived again. */
  readonly doubled: number;
  /** Errors that name it, or whose trace names it: those of `occurrences` with its `replay`. */
  readonly errors: number;
  /** Bytes of its segments, as sent. */
  readonly bytes: number;
  /** Key of the source. */
  readonly source: string;
}

/** What people decided about a group of errors. */
export const GROUP_STATES = ["open", "resolved", "muted"] as const;

export type GroupState = (typeof GROUP_STATES)[number];

/** A group of errors with the same cause. Of a search, "newest" is the newest match. */
export interface ErrorGroupRow {
  /** The key of the group, see `error/error_group.ts`. */
  readonly group: string;
  readonly type: string;
  /** Message of the newest error. */
  readonly value: string;
  /** The top frame, as "function (file:line)"; null: no stack trace. */
  readonly where: string | null;
  readonly level: string;
  /** False: uncaught; null: not sent. */
  readonly handled: boolean | null;
  readonly count: number;
  readonly first_seen: number;
  readonly last_seen: number;
  /**
   * The errors of `count` in equal parts of time, from the query's `since` to its `until` or now; without these from
   * `first_seen` to `last_seen`.
   */
  readonly chart: readonly number[];
  readonly chart_from: number;
  readonly chart_to: number;
  /** Envelope of the newest error. */
  readonly envelope: number;
  readonly trace_id: string | null;
  /** Key of the source that sent the newest error. */
  readonly source: string;
  readonly state: GroupState;
  /** Not null: the group was resolved, and is open again because an error arrived. */
  readonly regression: Regression | null;
}

/** Releases are null if the sender did not name one. */
export interface Regression {
  /** Of the error with which the group came back. */
  readonly release: string | null;
  /** Of the newest error when the group was resolved. */
  readonly resolved_in: string | null;
}

/** News of a group of errors: it is new, or it came back after it was resolved. */
export interface GroupAlert extends Pick<ErrorGroupRow, "group" | "type"> {
  readonly kind: "new" | "regression";
  readonly message: string;
  readonly release: string | null;
  readonly environment: string | null;
  /** Name of the application. */
  readonly source: string;
}

/** One error event. */
export interface OccurrenceRow extends Pick<ErrorGroupRow, "group" | "type" | "where" | "source"> {
  /** Id of its envelope. */
  readonly envelope: number;
  readonly event_id: string | null;
  readonly at: number;
  readonly value: string;
  readonly trace_id: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
}

/** One structured log. */
export interface LogRow {
  readonly envelope: number;
  /** Index among the logs of its envelope. */
  readonly index: number;
  readonly at: number;
  readonly level: LogLevel;
  /** The message with its parameters filled in, without escape sequences of terminals. */
  readonly body: string;
  /** Its colours and styles (`ansi.ts`); undefined: none. */
  readonly styles?: readonly StyleRun[];
  /** Values of other types are converted to JSON. */
  readonly attributes: LogAttributes;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** Key of the source. */
  readonly source: string;
}

/**
 * The application that sent an envelope. It is identified by name, environment and side, which do not change
 * when a new version is released. All texts are untrusted.
 */
export interface Source {
  /** {@linkcode OWN_SOURCE}'s, or 14 hex digits, see `source.ts`. */
  readonly key: string;
  /** Of the service, the application or the release; without these the SDK's, such as `sentry.python`. */
  readonly name: string;
  /** Null: not known. */
  readonly environment: string | null;
  readonly side: Side;
}

/** This page and this server. */
export const OWN_SOURCE: Source = {
  key: "sightglass",
  name: "Sightglass",
  environment: null,
  side: "unknown",
};

/** Name of a source that sends neither a name nor its SDK, such as a script that uses `curl`. */
export const UNKNOWN_NAME = "unknown";

/** A source and what it has sent: a row of `view=sources`. */
export interface SourceRow extends Source {
  /** Newest first, at most {@linkcode MAX_RELEASES}. */
  readonly releases: readonly string[];
  readonly envelopes: number;
  /** When its newest envelope was received, milliseconds since 1970. */
  readonly last_seen: number;
}

/**
 * Rows of each list that match the source, release, environment and time of a query; at most
 * {@linkcode MAX_COUNT}.
 */
export interface ListCounts {
  readonly traces: number;
  /** Open groups. */
  readonly errors: number;
  readonly logs: number;
  readonly recordings: number;
  readonly envelopes: number;
}

/** The response of `view=sources`. */
export interface SourceList {
  /** Last seen first, at most {@linkcode MAX_SOURCES}. */
  readonly rows: readonly SourceRow[];
  readonly counts: ListCounts;
  /** Operations of the spans of the query's source, sorted; at most {@linkcode MAX_OPS}. */
  readonly ops: readonly string[];
}

/** More operations than a person can choose from. */
export const MAX_OPS = 100;

/** More sources than a person can choose from. */
export const MAX_SOURCES = 100;
export const MAX_RELEASES = 20;
/** Counting further takes time that grows with the inbox. */
export const MAX_COUNT = 1_000;
