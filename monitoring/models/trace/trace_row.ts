import type { PageVitals } from "./page_vitals.ts";

/** A trace, from the envelopes received so far. Times are milliseconds since 1970, by the senders' clocks. */
export interface TraceRow {
  readonly trace_id: string;
  /**
   * Of the span that it is named for and measured by, see `ROOT_RANK` in `trace/trace_root.ts`; of a query with an
   * application, among those that it sent. Without spans, the text of the first error, else of the first log. Null: those
   * have no name.
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
  /** Of that span; null: none was sent. */
  readonly http_status: number | null;
  /** Of the sender of the envelope with that span; null: none was sent. */
  readonly release: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** When its newest envelope was received. */
  readonly received_at: number;
  /** Keys of the applications that sent its spans, errors and logs: that of the span first, then in the order of arrival. */
  readonly applications: readonly string[];
  /** What matches most terms of the query, spans first; null: nothing, or no query. `name`: text of an error or log. */
  readonly match: { readonly span_id: string | null; readonly name: string } | null;
}

/** Measurements of a web vital, one for each trace: milliseconds, of CLS without unit. */
export interface VitalSample {
  readonly count: number;
  /** The 75th percentile; null: there are fewer than five. */
  readonly p75: number | null;
  /** Instead of it all of them, in ascending order. */
  readonly few: readonly number[];
}

/** The web vitals of a page over all its loads. */
export interface PageRow extends PageVitals<VitalSample> {
  /** Name of its loads and of the navigations to it: its route, or its path. */
  readonly page: string;
  /** Key of the application. */
  readonly application: string;
  readonly loads: number;
}

/** How often, and how many milliseconds, something ran; at least once. Of fewer than five there are no percentiles. */
export interface DurationSample {
  readonly count: number;
  readonly shortest: number;
  readonly median: number | null;
  readonly p95: number | null;
  readonly longest: number;
}

/** What an application ran. Times are milliseconds since 1970. */
export interface Runs extends DurationSample {
  readonly failed: number;
  /** Start of the first one. */
  readonly since: number;
  /** Start of the first one that failed; null: none did. */
  readonly failed_since: number | null;
  /** The newest ones. */
  readonly dots: readonly { readonly ms: number; readonly failed: boolean }[];
}

/**
 * What an application did under one name. If some runs are of its newest release and some of others, those of the
 * newest; else all.
 */
export interface EndpointRow extends Runs {
  /** Key of the application. */
  readonly application: string;
  readonly name: string;
  readonly op: string | null;
  /** Runs a minute, of all releases, in the time of the whole list. */
  readonly rate: number;
  /** With other releases; null: these figures are of all. */
  readonly before: Runs | null;
}

/** A statement that an application sent to a database or a cache. */
export interface QueryRow extends DurationSample {
  /** Key of the application. */
  readonly application: string;
  /** As sent; numbers in which its spans differ as `#`. */
  readonly statement: string;
  readonly total_ms: number;
  /** The request or job that had most of them, without one the trace. */
  readonly repeated: { readonly count: number; readonly trace_id: string };
  readonly slowest: SpanPlace;
  readonly newest: SpanPlace;
}

export interface SpanPlace {
  readonly trace_id: string;
  readonly span_id: string | null;
  /** Its start, milliseconds since 1970. */
  readonly at: number;
}
