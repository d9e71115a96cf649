import type { LogLevel } from "../protocol/log_levels.ts";
import type { HistogramList } from "./histogram.ts";
import type { GroupState } from "./rows.ts";

/** Filters of a list. Filters that a list does not support are ignored. */
export interface ListQuery {
  /** See `parseQuery`. */
  readonly q?: string;
  readonly trace?: string;
  /** Id of a recording: its segments, and the traces that name it with all of their errors and logs. */
  readonly replay?: string;
  /** Errors and occurrences: key of the group. */
  readonly group?: string;
  /** Occurrences, logs, traces: in the envelope with this id. */
  readonly envelope?: number;
  /** Envelopes: with an item of this type. */
  readonly type?: string;
  /** Logs and errors: this level and more severe ones, see `severityOf`. */
  readonly level?: LogLevel;
  /** Errors and occurrences: whether they were handled. */
  readonly handled?: boolean;
  /** Groups of errors: in this state. */
  readonly state?: GroupState;
  /** Only rows that this application has sent: its key, or {@linkcode APPLICATIONS}. */
  readonly application?: string;
  readonly release?: string;
  /** Only rows that were sent from this environment. */
  readonly environment?: string;
  /** Traces: with this status. */
  readonly status?: TraceStatus;
  /** Traces: with a span of this operation, and with a span of this name; of both, one span. */
  readonly op?: string;
  readonly name?: string;
  /** Traces: also those of preflight requests (`OPTIONS`) in which nothing failed. */
  readonly preflights?: boolean;
  /** Traces: loads of this page and navigations to it, see {@linkcode PageRow.page}. */
  readonly page?: string;
  /**
   * Only rows of this time or later, and before `until`, in milliseconds since 1970. By the senders' clocks; of
   * envelopes, when they were received.
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
  /** Default: {@linkcode MAX_LIST_ROWS}. Requests can ask for at most so many. */
  readonly limit?: number;
}

/** As `application`: every application but Sightglass itself. */
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
