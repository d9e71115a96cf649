import { LOG_LEVELS } from "../protocol/log_levels.ts";
import type { HistogramList } from "./histogram.ts";
import { GROUP_STATES } from "./error/error_row.ts";
import type { Lists } from "./rows.ts";

/** A list, by its `view`. */
export type ListName = keyof Lists;

export interface ListFilter {
  /** All values, or how `query_parameters.ts` of the inbox reads one. */
  readonly values:
    | readonly string[]
    | ("search" | "text" | "id" | "group" | "application" | "type" | "flag" | "number" | "time");
  /** Default: all. Their statements in `list_sql.ts` of the inbox have a condition for it. */
  readonly lists?: readonly ListName[];
  /** Of the rows that it leaves: for assistants. */
  readonly about: string;
}

/** Lists whose rows name a trace and a recording, and those of AI runs. */
const IN_TRACE = ["traces", "occurrences", "logs", "feedback", "profiles"] as const;
const AI = ["ai_runs", "ai_sums"] as const;

/**
 * The filters of lists, which combine. The parameters of the inbox and of the page's addresses and the inputs of the tools
 * for assistants follow from them; `islands/data/filters.ts` has the words with which the page offers them.
 */
export const LIST_FILTERS = {
  q: {
    values: "search",
    about:
      'Words or beginnings of words, "a phrase", from 8 digits on an id; attribute:value (order.id:A-1, status_code:>=500)' +
      " or name:, op:, type:, message:, level:, duration:>500ms; -term excludes. All terms must match.",
  },
  trace: {
    values: "id",
    lists: [...IN_TRACE, "errors", "pages", "envelopes", ...AI, "monitors", "runs"],
    about: "Trace id: 32 hexadecimal digits.",
  },
  replay: {
    values: "id",
    lists: [...IN_TRACE, "recordings", "envelopes", ...AI],
    about: "Id of a recording: its segments, traces that name it, and their errors and logs.",
  },
  profile: { values: "id", lists: ["profiles"], about: "Id of a profile or of a profiler." },
  group: {
    values: "group",
    lists: ["errors", "occurrences", "feedback"],
    about: "Key of a group of errors, or of a feedback.",
  },
  envelope: {
    values: "number",
    lists: [...IN_TRACE, ...AI, "runs", "metrics"],
    about: "Of an envelope.",
  },
  type: { values: "type", lists: ["envelopes"], about: "With an item of this type." },
  level: {
    values: LOG_LEVELS,
    lists: ["errors", "occurrences", "logs"],
    about: "This level and more severe ones.",
  },
  handled: { values: "flag", lists: ["errors", "occurrences"], about: "Whether it was handled." },
  state: {
    values: GROUP_STATES,
    lists: ["errors", "feedback"],
    about: "What a person decided; default: any.",
  },
  status: {
    values: ["ok", "error", "2xx", "3xx", "4xx", "5xx"],
    lists: ["traces", ...AI],
    about:
      "error: with errors, or a root span (of the trace, a page or a process) that failed; of AI runs, a call or tool" +
      " that failed; ok: all others. 5xx and its like: of the span that the row is named for.",
  },
  preflights: {
    values: "flag",
    lists: ["traces"],
    about: "Also traces of preflight requests (OPTIONS) in which nothing failed.",
  },
  // Of both, one span.
  op: {
    values: "text",
    lists: ["traces", "errors", "occurrences", "logs"],
    about: "In a trace with a span of this operation, such as db.",
  },
  name: {
    values: "text",
    lists: ["traces", "errors", "occurrences", "logs", ...AI],
    about: "In a trace with a span of this name, `GET /cart`; an AI run of this agent or model.",
  },
  endpoint: {
    values: "text",
    lists: ["traces", "errors", "occurrences", "logs"],
    about: "In a trace with a run of this name, from list_endpoints.",
  },
  model: { values: "text", lists: AI, about: "AI runs that used this model." },
  conversation: {
    values: "text",
    lists: AI,
    about: "AI runs of the conversation with this id.",
  },
  page: { values: "text", lists: ["traces"], about: "Loads of this page, navigations to it." },
  monitor: { values: "text", lists: ["monitors", "runs"], about: "Key of a monitor." },
  application: {
    values: "application",
    about:
      "Application that sent the row: its name, also as `shop (server)`, its key from get_delivery_health, or" +
      " `sightglass`. Default: `apps`, every application but Sightglass itself.",
  },
  environment: { values: "text", about: "Sent from this environment, such as production." },
  release: { values: "text", about: "Sent by this release." },
  // By the senders' clocks; of envelopes, when they were received.
  since: { values: "time", about: "At this time or later: an age (10m, 2h, 7d), or ISO 8601." },
  until: { values: "time", about: "Before this time, in the same forms." },
} as const satisfies Readonly<Record<string, ListFilter>>;

type Filters = typeof LIST_FILTERS;
export type FilterName = keyof Filters;
type ValueOf<Values> = Values extends readonly (infer Choice)[] ? Choice
  : Values extends "flag" ? boolean
  : Values extends "number" | "time" ? number
  : string;

/** The values of {@linkcode LIST_FILTERS}; times in milliseconds since 1970. */
export type FilterValues = { readonly [Name in FilterName]?: ValueOf<Filters[Name]["values"]> };

/** The filters of a list; without a name, those of all lists. */
export const filtersOf = (list?: ListName): FilterName[] =>
  (Object.keys(LIST_FILTERS) as FilterName[])
    .filter((name) => (LIST_FILTERS[name] as ListFilter).lists?.includes(list!) ?? true);

/** What is read of a list. It ignores filters of others. */
export interface ListQuery extends FilterValues {
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

/** The columns by which each list can be sorted. `duration`: of a trace or a recording, from its start to its end. */
export const SORT_COLUMNS = {
  traces: ["started_at", "duration", "spans", "errors", "logs"],
  errors: ["first_seen", "last_seen", "count"],
  recordings: ["started_at", "duration"],
  ai_runs: ["started_at", "duration", "input_tokens", "output_tokens"],
  profiles: ["started_at", "duration", "samples"],
  pages: ["loads", "lcp", "inp", "cls", "fcp", "ttfb"],
  endpoints: ["duration", "count", "change"],
  queries: ["total_ms", "count", "duration", "repeated"],
} as const;
export type SortedList = keyof typeof SORT_COLUMNS;
export type SortColumn<List extends SortedList = SortedList> = (typeof SORT_COLUMNS)[List][number];

/** Ascending, or with `-` descending. `slowest` is `-duration`, `frequent` is `-count`. */
export type ListSort = SortColumn | `-${SortColumn}` | "slowest" | "frequent";

/** The orders that a query may name. */
export const LIST_SORTS: readonly ListSort[] = [
  "slowest",
  "frequent",
  ...[...new Set(Object.values(SORT_COLUMNS).flat())]
    .flatMap((column) => [column, `-${column}` as const]),
];

/** The column and direction of an order. */
export function readSort(sort: ListSort) {
  if (sort === "slowest") return { column: "duration", descending: true } as const;
  if (sort === "frequent") return { column: "count", descending: true } as const;
  return { column: sort.replace("-", "") as SortColumn, descending: sort.startsWith("-") };
}
