import type { LogAttributes, LogLevel } from "../protocol/log_levels.ts";
import type { AiSpan } from "./ai/ai_span.ts";
import type { AttachmentFacts } from "./feedback/attachment.ts";
import type { Figure } from "./metric/figures.ts";
import type { MetricId } from "./metric/metric_id.ts";
import type { PageVitals } from "./trace/page_vitals.ts";

/**
 * The rows of the lists: wire types of `GET /monitoring/inbox?view=…`. All texts in rows are
 * untrusted: display them as text, never as markup or links.
 */

/** Rows, newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The `before` of the next page, with older rows; null: this is the last page. */
  readonly next: string | null;
}

/** Rows of one page: a few screens, read and drawn in a few milliseconds. */
export const MAX_LIST_ROWS = 200;

/**
 * The row type of each list, by its `view`; the list of envelopes has `InboxRow`. Another list needs:
 *
 * 1. a row type here. The compiler then requires it in `monitoring/inbox/list_reader.ts`, `LIST_NAMES` of
 *    `monitoring/inbox/query_parameters.ts` and `KEYS` of `islands/data/lists.ts`
 * 2. its entries in `index/index_entries.ts`; if they come from another item type, that type in `parsed_envelope.ts`
 * 3. a table in `monitoring/inbox/schema.ts`, written by `index_writer.ts` and queried by `list_sql.ts` beside it: a new
 *    version of the schema, which indexes the stored envelopes again, see `NEW_INDEX` there
 * 4. its number in {@linkcode ListCounts}, for the tab, and a view that shows it: a folder in `islands/`, and its
 *    entry in `islands/shell/registry.ts`
 */
export interface Lists {
  readonly traces: TraceRow;
  readonly errors: ErrorGroupRow;
  readonly occurrences: OccurrenceRow;
  readonly logs: LogRow;
  readonly pages: PageRow;
  readonly endpoints: EndpointRow;
  readonly queries: QueryRow;
  readonly recordings: RecordingRow;
  readonly ai_runs: AiRunRow;
  readonly ai_sums: AiSumRow;
  readonly feedback: FeedbackRow;
  readonly profiles: ProfileRow;
  readonly monitors: MonitorRow;
  readonly runs: MonitorRunRow;
  readonly metrics: MetricRow;
}

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
  /** The highest HTTP status of its root spans; null: none was sent. */
  readonly http_status: number | null;
  /** Of the sender of the envelope with that span; null: none was sent. */
  readonly release: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** When its newest envelope was received. */
  readonly received_at: number;
  /** Keys of the applications that sent its spans, errors and logs: that of the span first, then in the order of arrival. */
  readonly applications: readonly string[];
  /** The span that matches most terms of the query, the first of several; null: none, or no query. */
  readonly match: { readonly span_id: string; readonly name: string } | null;
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

/** A span in its trace. */
export interface SpanPlace {
  readonly trace_id: string;
  readonly span_id: string | null;
  /** Its start, milliseconds since 1970. */
  readonly at: number;
}

/** A session recording, from its segments received so far. Times are milliseconds since 1970, by the sender's clock. */
export interface RecordingRow {
  readonly replay_id: string;
  /** `page`: of a web page, which can be played. `video`: of a mobile SDK. */
  readonly kind: "page" | "video";
  /** Address of its first page, as sent. */
  readonly page: string | null;
  /** As sent last: the user's name, email or id. */
  readonly user: string | null;
  /** "Chrome 148", by its context or its User-Agent. */
  readonly browser: string | null;
  readonly release: string | null;
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
  /** Key of the application. */
  readonly application: string;
}

/** A profile of one transaction, or a profiler's session from its chunks received so far. Times are milliseconds since 1970. */
export interface ProfileRow {
  /** Of the profile or of the profiler. */
  readonly profile_id: string;
  /** `transaction`: of one. `session`: of a profiler that runs on, while spans name it. */
  readonly of: "transaction" | "session";
  /** Of the transaction; of a session that of the longest span that names it and no other thread than `samples` are of. */
  readonly name: string | null;
  /** When its first and its last sample was taken. */
  readonly started_at: number;
  readonly ended_at: number;
  /** Of its main thread, each chunk counted once. */
  readonly samples: number;
  /** The function with most samples of its own, and its part of them; of a session, in its newest chunks. */
  readonly top:
    | { readonly function: string; readonly file: string | null; readonly share: number }
    | null;
  /** The first spans of pages and processes that name the session's profiler. */
  readonly spans: number;
  readonly release: string | null;
  /** Of the transaction. */
  readonly trace_id: string | null;
  /** Key of the application. */
  readonly application: string;
}

/** What people decided about a group of errors. */
export const GROUP_STATES = ["open", "resolved", "muted"] as const;

export type GroupState = (typeof GROUP_STATES)[number];

/** A group of errors with the same cause. Of a search, "newest" is the newest match. */
export interface ErrorGroupRow {
  /** The key of the group, see `error/error_group.ts`. */
  readonly group: string;
  /** Type and message are what all of its errors share, see `error/group_title.ts`. */
  readonly type: string;
  readonly value: string;
  /** The top frame, as "function (file:line)"; null: no stack trace. */
  readonly where: string | null;
  /** The most severe one of the errors of `count`. */
  readonly level: string;
  /** True: all errors of `count` were handled; false: one was not; null: one did not say. */
  readonly handled: boolean | null;
  /** Of the errors of `count`, those that say that they were not handled. */
  readonly unhandled: number;
  readonly count: number;
  readonly first_seen: number;
  /** When the application's first stored error was received, of any release. */
  readonly first_received_at: number;
  readonly last_seen: number;
  /**
   * The errors of `count` in equal parts of time: from the query's `since` to its `until` or now; without these from the
   * first to the last error of all groups.
   */
  readonly chart: readonly number[];
  readonly chart_from: number;
  readonly chart_to: number;
  /** Envelope of the newest error. */
  readonly envelope: number;
  readonly trace_id: string | null;
  /** Key of the application that sent the newest error. */
  readonly application: string;
  /** Keys of the applications of the errors of `count`, those with most errors first. */
  readonly applications: readonly string[];
  /** Those of `applications` with an error of `unhandled`. */
  readonly unhandled_in: readonly string[];
  readonly state: GroupState;
  /** Not null: the group was resolved, and is open again because an error arrived. */
  readonly regression: Regression | null;
}

/** Releases are null if the sender did not name one. */
export interface Regression {
  /** Of the error with which the group came back. */
  readonly release: string | null;
  /** Of the newest error of its application when the group was resolved; null also if it is no longer stored. */
  readonly resolved_in: string | null;
  /** When the error with which the group came back was received, milliseconds since 1970. */
  readonly at: number;
}

/** A group of errors is new, or it came back after it was resolved. */
export interface GroupAlert extends Pick<ErrorGroupRow, "group" | "type"> {
  readonly kind: "new" | "regression";
  /** The group's {@linkcode ErrorGroupRow.value}. */
  readonly message: string;
  readonly release: string | null;
  readonly environment: string | null;
  /** Name of the application. */
  readonly application: string;
}

/** One error event. */
export interface OccurrenceRow
  extends Pick<ErrorGroupRow, "group" | "type" | "where" | "level" | "application"> {
  /** Id of its envelope. */
  readonly envelope: number;
  readonly event_id: string | null;
  readonly at: number;
  readonly value: string;
  /** False: uncaught; null: not sent. */
  readonly handled: boolean | null;
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
  /** Values of other types are converted to JSON. */
  readonly attributes: LogAttributes;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** Key of the application. */
  readonly application: string;
}

/** What calls of models used. Null: none of them sent it. */
export interface AiUsage {
  /** Calls that are in no other call. */
  readonly calls: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** US dollars, as sent. */
  readonly cost: number | null;
}

/** A run of an agent, or a call or tool in none: one AI span and those of its application below it. */
export interface AiRunRow
  extends AiUsage, Pick<AiSpan, "kind" | "name" | "asked" | "conversation"> {
  readonly trace_id: string;
  /** Of its topmost span. */
  readonly span_id: string;
  /** Key of the application. */
  readonly application: string;
  readonly release: string | null;
  /** Milliseconds since 1970, by the sender's clock. */
  readonly started_at: number;
  /** Null: its topmost span has no end. */
  readonly duration: number | null;
  readonly tools: number;
  readonly failed_calls: number;
  readonly failed_tools: number;
  /** It failed, or a call or a tool in it. */
  readonly failed: boolean;
  /** From the run's start to the first part of its first response. */
  readonly first_token_ms: number | null;
  /** By their first call, at most 20. */
  readonly models: readonly (AiUsage & { readonly model: string })[];
}

/** Runs with one agent, model or conversation in common; of `all`, all. */
export interface AiSumRow extends AiUsage {
  readonly by: "all" | "agent" | "model" | "conversation";
  readonly value: string;
  readonly runs: number;
  readonly failed: number;
  /** Those whose cost was sent, which `cost` adds up. */
  readonly runs_with_cost: number;
}

/** What a user wrote. */
export interface FeedbackRow {
  readonly envelope: number;
  /** Its key, by which its state is set: `f` and 14 hexadecimal digits. */
  readonly group: string;
  /** Of the feedback itself. */
  readonly event_id: string | null;
  /** Id of the error that it names. */
  readonly about: string | null;
  /** By the clock of its page; of a `user_report`, when it was received. */
  readonly at: number;
  readonly message: string;
  /** As the user named himself. */
  readonly name: string | null;
  readonly email: string | null;
  /** Address of the page. */
  readonly url: string | null;
  /** As the application named the user: name, email or id. */
  readonly user: string | null;
  readonly browser: string | null;
  readonly release: string | null;
  readonly trace_id: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** Of its envelope. */
  readonly attachments: readonly AttachmentFacts[];
  /** What it names; if it names none, the last one of its application before it in its recording. Null: none is stored. */
  readonly error: FeedbackError | null;
  /** Key of the application. */
  readonly application: string;
  readonly state: GroupState;
}

/**
 * `over_time`: longer than its monitor allows, and without an end. `unfinished`: without an end, and the job or a process of
 * its application has started since.
 */
export type RunState = "ok" | "failed" | "running" | "over_time" | "unfinished";

/** `missed`: the last expected run did not come. */
export type MonitorState = RunState | "missed";

/** A run of a job that is monitored, from its check-ins. */
export interface MonitorRunRow {
  /** Of the first check-in that arrived. */
  readonly envelope: number;
  /** Index among the check-ins of its envelope. */
  readonly index: number;
  /** Key of the monitor: key of the application, environment and slug. */
  readonly monitor: string;
  readonly slug: string;
  /** Key of the application; null: not known. */
  readonly application: string | null;
  readonly environment: string | null;
  readonly check_in_id: string | null;
  readonly started_at: number;
  readonly state: RunState;
  /** Milliseconds; without an end, those until now, `unfinished` until the job or a process started. Null: not sent. */
  readonly duration: number | null;
  readonly release: string | null;
  readonly trace_id: string | null;
}

/** A job that is monitored. Its state is that at the time of the query. */
export interface MonitorRow
  extends Pick<MonitorRunRow, "monitor" | "slug" | "application" | "environment"> {
  readonly state: MonitorState;
  /** Start of the first of the newest runs that all have this state, `over_time` its end; of missed ones the first's time. */
  readonly since: number;
  /** It may have had this state before: earlier runs were not read. */
  readonly since_earlier: boolean;
  /** In words; null: none was sent. */
  readonly schedule: string | null;
  /** Of its crontab; null: it has none. */
  readonly timezone: string | null;
  /** How late a run may start, milliseconds. */
  readonly margin: number;
  readonly max_runtime: number;
  /** When the next run is expected; null: not known. */
  readonly next_at: number | null;
  /** The newest ones that match the query, newest first. */
  readonly runs: readonly Pick<
    MonitorRunRow,
    "envelope" | "index" | "started_at" | "state" | "duration"
  >[];
  /** When runs were expected that did not come, newest first. */
  readonly missed: readonly number[];
  /** Other runs are stored. */
  readonly has_more: boolean;
}

/** A metric: what applications send under one name, of one kind and unit. */
export interface MetricRow extends MetricId {
  /** Keys of the applications. */
  readonly applications: readonly string[];
  /** Time of its newest point. */
  readonly last_at: number;
  /** The figure of `value` and `chart`; of a p95 the chart has averages. */
  readonly show: Figure;
  /** Null: too few values, or too many points to read them all. */
  readonly value: number | null;
  /** Number of its values, of a counter of its points; null: too many to read them all. */
  readonly count: number | null;
  /** Number of points; null: too many. */
  readonly points: number | null;
  /** Parts of equal length from `chart_from` to `chart_to`; null: no values. */
  readonly chart: readonly (number | null)[];
  readonly chart_from: number;
  readonly chart_to: number;
}

export interface FeedbackError
  extends Pick<OccurrenceRow, "group" | "envelope" | "type" | "value" | "where" | "at"> {
  readonly by: "event" | "recording";
}
