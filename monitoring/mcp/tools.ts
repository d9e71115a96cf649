import type { Inbox } from "../inbox/inbox.ts";
import { readListParameters } from "../inbox/query_parameters.ts";
import { MAX_QUERY_LENGTH } from "../models/query/query.ts";
import { applicationsNamed } from "../models/application_rows.ts";
import { FIGURES } from "../models/metric/figures.ts";
import { METRIC_KINDS } from "../models/metric/metric_id.ts";
import type { MonitorRow } from "../models/monitors/monitor_row.ts";
import type { Lists, Page } from "../models/rows.ts";
import { hasNewFailures, isSlower } from "../models/trace/endpoints.ts";
import type { EndpointRow, QueryRow } from "../models/trace/trace_row.ts";
import {
  APPLICATIONS,
  type FilterName,
  filtersOf,
  LIST_FILTERS,
  type ListFilter,
  type ListName,
  type ListSort,
} from "../models/list_query.ts";
import { getError } from "./error_details.ts";
import { getAgentRun, getProfile, queryMetric } from "./signal_details.ts";
import { isoTime, type TelemetryReader, ToolError, type ToolInput } from "./telemetry_reader.ts";
import { getTrace } from "./trace_details.ts";
import { countFitting, MAX_ROWS_BYTES, type ToolAnswer } from "./untrusted_text.ts";

/** A tool of the Model Context Protocol. All tools only read. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ReturnType<typeof object>;
  /** @param input fits {@linkcode Tool.input}. @throws {ToolError | ParameterError | CursorError} */
  run(input: ToolInput, reader: TelemetryReader): ToolAnswer | Promise<ToolAnswer>;
}

/** Rows of one answer, unless the call has another limit: what an assistant reads at once. */
const DEFAULT_ROWS = 25;

const text = (description: string) => ({ type: "string", description });

/** The order of a list without another. */
const NEWEST = "newest";
const ORDERS: Readonly<Record<string, string>> = {
  ...{ monitors: "worst", endpoints: "slowest", queries: "most time" },
};

/** Inputs that have another name than their filter: the one in what the tools return. */
const PARAMETERS: Record<string, string> = {
  query: "q",
  trace_id: "trace",
  replay_id: "replay",
  profile_id: "profile",
};

/** What a filter's value is, if not any text. */
const KINDS: Readonly<Record<string, object>> = {
  search: { maxLength: MAX_QUERY_LENGTH },
  id: { pattern: "^[\\da-fA-F-]{32,36}$" },
  flag: { type: "boolean" },
  number: { type: "integer" },
};

function filterInput(name: FilterName) {
  const { values, about }: ListFilter = LIST_FILTERS[name];
  return { ...text(about), ...typeof values === "string" ? KINDS[values] : { enum: values } };
}

/** The filters of a list, but for the envelope, which no row names; and which rows are returned. */
const listInputs = (list: ListName) => ({
  ...Object.fromEntries(
    filtersOf(list).filter((name) => name !== "envelope").map((name) => [
      Object.keys(PARAMETERS).find((input) => PARAMETERS[input] === name) ?? name,
      filterInput(name),
    ]),
  ),
  limit: { type: "integer", minimum: 1, maximum: 100, description: `Default: ${DEFAULT_ROWS}.` },
  before: text(
    "The `next` of an earlier answer with the same filters: continues after its rows. Rows that arrived since" +
      " the first page are left out.",
  ),
});

const sortedBy = (order: ListSort, what: string) => ({
  type: "string",
  enum: [NEWEST, order],
  description: `Default: ${NEWEST}. ${order}: by ${what}.`,
});

const choice = (values: readonly string[]) => ({ type: "string", enum: values });

const object = (properties: Readonly<Record<string, object>>, required: string[] = []) => ({
  type: "object" as const,
  properties,
  required,
  additionalProperties: false,
});

/** The tools in the order in which assistants list them. docs/assistants.md describes them. */
export const TOOLS: readonly Tool[] = [
  {
    name: "list_errors",
    title: "List error groups",
    description:
      "Lists groups of errors with the same cause, newest first: type and message as far as its errors" +
      " share them (`…` where they differ), place in the source, count, first and last time, and the group's key for get_error.",
    input: object({ ...listInputs("errors"), sort: sortedBy("frequent", "count") }),
    run: (input, reader) => listRows("errors", "Error groups", input, reader),
  },
  {
    name: "get_error",
    title: "Get one error",
    description:
      "Returns one error with its causes, stack trace, source lines around each frame where source maps or the SDK have" +
      " them, breadcrumbs, tags and contexts. Needs `group` (its newest error is returned) or `event_id`.",
    input: object({
      group: text("Key of a group from list_errors: 14 hexadecimal digits."),
      event_id: text("Event id: 32 hexadecimal digits."),
    }),
    run: getError,
  },
  {
    name: "search_logs",
    title: "Search structured logs",
    description: "Lists structured logs, newest first, with their attributes.",
    input: object(listInputs("logs")),
    run: (input, reader) => listRows("logs", "Logs", input, reader),
  },
  {
    name: "list_traces",
    title: "List traces",
    description:
      "Lists traces, newest first: name, operation, HTTP status, start and end of the span that it is named for (its page" +
      " load, navigation or server request), and the number of spans, errors and logs.",
    input: object({ ...listInputs("traces"), sort: sortedBy("slowest", "duration") }),
    run: (input, reader) => listRows("traces", "Traces", input, reader),
  },
  {
    name: "get_trace",
    title: "Get one trace",
    description:
      "Returns one trace: its errors and logs, web vitals, the spans with the most self time, and the tree" +
      " of its spans with offsets and durations in milliseconds. Parents come before their children; `depth` is the" +
      " indentation. `clocks_off`: wrong clocks of servers, by whose times some spans are as sent.",
    input: object({
      trace_id: filterInput("trace"),
      after: text("The `next` of an earlier answer for this trace: continues with further spans."),
      span_id: text("Adds the attributes of this span."),
    }, ["trace_id"]),
    run: getTrace,
  },
  {
    name: "list_endpoints",
    title: "List endpoints or queries",
    description:
      "Lists what applications did by name (requests, page loads, navigations, jobs; of the newest 10,000), the slowest" +
      " first: count, rate (a minute; without `since` over at least one), failures, duration in milliseconds (percentiles from 5 on) of the release first seen last," +
      " `before`: of others, whether failures are new, and it is slower. With `of` queries, the statements that they sent to databases, those" +
      " that took most time first: count, sum, duration, how often one request repeated it, with trace_id, slowest, newest.",
    input: object({
      ...listInputs("endpoints"),
      of: choice(["endpoints", "queries"]),
      sort: choice(["slowest", "frequent", "-change", "-total_ms", "-repeated"]),
    }),
    run: ({ of, ...input }, reader) => {
      if ((of === "queries" ? /change/ : /total_ms|repeated/).test(`${input.sort}`)) {
        throw new ToolError("Endpoints are sorted by change, queries by total_ms and repeated.");
      }
      const names = new Map(reader.inbox.applications({}).rows.map(({ key, name }) => [key, name]));
      const toRow = (row: EndpointRow | QueryRow) => ({
        ...{ ...withTimes(row), application_name: names.get(row.application) },
        ..."before" in row && { new_failures: hasNewFailures(row), slower: isSlower(row) },
      });
      return of === "queries"
        ? listRows("queries", "Queries", input, reader, toRow)
        : listRows("endpoints", "Endpoints", input, reader, toRow);
    },
  },
  {
    name: "list_feedback",
    title: "List feedback of users",
    description:
      "Lists what users wrote, newest first: message, name, page, ids of its trace and recording, its attachments, and the" +
      " error that it names (`by: event`) or the last one of its recording (`by: recording`), for get_error.",
    input: object(listInputs("feedback")),
    run: (input, reader) => listRows("feedback", "Feedback", input, reader),
  },
  {
    name: "list_profiles",
    title: "List profiles",
    description:
      "Lists profiles of transactions and sessions of profilers, the last received first: name, times, samples, the" +
      " number of spans that a session covers, and the function with most self time.",
    input: object({ ...listInputs("profiles"), sort: sortedBy("slowest", "duration") }),
    run: (input, reader) => listRows("profiles", "Profiles", input, reader),
  },
  {
    name: "get_profile",
    title: "Get one profile",
    description:
      "Returns the functions of one profile with most self time, the application's function that most of the time was" +
      " spent in, and the spans that it covers. With `trace_id` and `span_id`: what ran during that span.",
    input: object({
      profile_id: filterInput("profile"),
      trace_id: filterInput("trace"),
      span_id: text("Of that trace: limits the profile to its time and thread."),
    }, ["profile_id"]),
    run: getProfile,
  },
  {
    name: "list_monitors",
    title: "List monitors",
    description:
      "Lists jobs that send check-ins, the worst first: state (`over_time`: runs longer than max_runtime; `unfinished`:" +
      " so did its last run, and the job or its process has started since; `missed`: the last expected run did not come)" +
      " and since when (`since_earlier`: or earlier), schedule, next expected run, the 5 newest runs and times when none" +
      " came (`has_more`: there may be others). Durations are in milliseconds. Times are by the sender's clock, `next_at`" +
      " by this server's; `clock_ms` of get_delivery_health: how far a sender's is ahead.",
    input: object(listInputs("monitors")),
    run: (input, reader) => listRows("monitors", "Monitors", input, reader, monitorSummary),
  },
  {
    name: "query_metric",
    title: "List metrics, or query one",
    description:
      "Without `name` lists the metrics: kind, unit, applications, and one figure of the time. With it returns one over" +
      " time, by the values of an attribute: figures of each group, points as [start, value, number of values], the" +
      " attributes to group by, the largest values (of histograms: exemplars) with their traces, and how many intervals" +
      " have too few values for a percentile (fewer than 5) or none. `kind` and `unit`: if several metrics have the name.",
    input: object({
      ...listInputs("metrics"),
      ...{ name: text("From a call without a name."), kind: choice(METRIC_KINDS), unit: text("") },
      by: text("Name of an attribute; or application, environment, release."),
      show: choice(FIGURES),
      every: text("Length of an interval: 10s, 5m, 1h. Default: as fits."),
    }),
    run: ({ name, kind, unit, by, show, every, ...filters }, reader) =>
      name === undefined ? listRows("metrics", "Metrics", filters, reader) : queryMetric(
        parametersOf("metric", { ...filters, name, kind, unit, by, show, every }, reader.inbox),
        reader,
      ),
  },
  {
    name: "list_agent_runs",
    title: "List runs of AI agents",
    description:
      "Lists runs of AI agents, and calls of models, tools and steps outside of one, newest first: `kind`, name, question, models, calls," +
      " tools, failures, tokens (each counted once), cost as sent, time to first token, and the trace_id for get_agent_run.",
    input: object({ ...listInputs("ai_runs"), sort: sortedBy("slowest", "duration") }),
    run: (input, reader) => listRows("ai_runs", "Runs", input, reader),
  },
  {
    name: "get_agent_run",
    title: "Get the AI runs of one trace",
    description:
      "Returns the agents, calls of models and tools of one trace as a tree, with their messages, arguments, results" +
      " and failures. Parents come before their children; `depth` is the indentation.",
    input: object({ trace_id: filterInput("trace") }, ["trace_id"]),
    run: getAgentRun,
  },
  {
    name: "get_delivery_health",
    title: "Get the state of delivery",
    description:
      "Returns whether the server takes telemetry, how many envelopes ended in which way since it" +
      " started, how many are stored, and the applications that sent them, with their keys, sessions and" +
      " what their SDKs gave up before sending (`unassigned`: those of no known application).",
    input: object({}),
    run: getDeliveryHealth,
  },
];

/** One page of a list, with as many rows as fit into an answer. */
function listRows(
  view: keyof Lists,
  what: string,
  input: ToolInput,
  { inbox }: TelemetryReader,
  toRow: (row: never) => object = withTimes,
) {
  const { query } = readListParameters(parametersOf(view, input, inbox), Date.now());
  const read = (limit = query.limit) => {
    const { rows, next }: Page<object> = inbox.page(view, { ...query, limit });
    return { rows: (rows as never[]).map(toRow), next };
  };
  let page = read();
  const fitting = countFitting(page.rows, MAX_ROWS_BYTES);
  const isShortened = fitting < page.rows.length;
  // Read again, so that `next` is after the last row that fits.
  if (isShortened) page = read(Math.max(1, fitting));
  const order = query.sort ?? ORDERS[view] ?? NEWEST;
  const summary = [`${what}, ${order} first: ${page.rows.length}.`];
  if (isShortened) summary.push("Truncated: further rows of this page did not fit.");
  summary.push(
    page.next === null
      ? "There are no more."
      : "There may be more: call again with `before` set to `next`.",
  );
  return { summary: summary.join(" "), data: page };
}

/** The parameters of the inbox that a call's inputs are. */
function parametersOf(view: string, input: ToolInput, inbox: Inbox): URLSearchParams {
  const parameters = new URLSearchParams({
    view,
    application: APPLICATIONS,
    limit: `${DEFAULT_ROWS}`,
  });
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || (name === "sort" && value === NEWEST)) continue;
    // A time as answers have it: the parameter takes milliseconds.
    const isIso = /^(since|until)$/.test(name) && /^\d{4}-\d\d-\d\d/.test(`${value}`);
    const read = name === "application" ? keyOf(`${value}`, input.environment, inbox) : value;
    parameters.set(PARAMETERS[name] ?? name, `${isIso ? Date.parse(`${value}`) : read}`);
  }
  return parameters;
}

/** Of a name of one application, as sent or shown, of several of that in the environment, its key. Others stay. */
function keyOf(name: string, environment: unknown, inbox: Inbox): string {
  const { rows } = inbox.applications({});
  if (name === APPLICATIONS || rows.some(({ key }) => key === name)) return name;
  const all = applicationsNamed(rows, name);
  const inIt = all.filter((row) => row.environment === environment);
  const named = inIt.length > 0 ? inIt : all;
  if (named.length > 1) {
    throw new ToolError("Several applications have this name: get_delivery_health has their keys.");
  }
  if (named.length === 0 && !/^(sightglass|[\da-f]{14})$/.test(name)) {
    throw new ToolError("No application has this name. get_delivery_health lists all.");
  }
  return named[0]?.key ?? name;
}

/** Fields of rows that are times, such as `at`, `started_at` and `last_seen`. */
const TIME = /^(at|since|failed_since)$|_(at|seen)$/;
const TIMES = new Set(["starts", "releases_since"]);

/** The row's place in its envelope, which no tool takes, and what is drawn. */
const LEFT_OUT = /^(envelope|index|dots|chart.*|resource)$/;

/** Fields that are rows, unlike attributes. */
const NESTED = new Set(["error", "before", "slowest", "newest"]);

/** What an assistant gets of a row: its times are texts. */
function withTimes(row: object): object {
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !LEFT_OUT.test(name)).map(([name, value]) => {
      if (TIME.test(name)) return [name, isoTime(value)];
      if (TIMES.has(name)) return [name, value.map(isoTime)];
      return [name, NESTED.has(name) && value ? withTimes(value) : value];
    }),
  );
}

/** Runs of a monitor, and times without one, that an assistant gets. */
const MAX_RUNS = 5;

const monitorSummary = ({ runs, missed, missed_from, ...row }: MonitorRow): object => ({
  ...withTimes(row),
  has_more: row.has_more || missed_from !== null || Math.max(runs.length, missed.length) > MAX_RUNS,
  runs: runs.slice(0, MAX_RUNS).map(withTimes),
  missed: missed.slice(0, MAX_RUNS).map(isoTime),
});

async function getDeliveryHealth(_: ToolInput, { inbox, health }: TelemetryReader) {
  const report = await health();
  const state = report.is_healthy ? "takes telemetry" : "cannot take telemetry now";
  const { envelopes } = inbox.extent();
  const { rows, unassigned } = inbox.applications({ application: APPLICATIONS });
  return {
    summary: `The server ${state}. Stored envelopes: ${envelopes}.`,
    data: {
      ...report,
      inbox: { envelopes, can_store: inbox.canStore() },
      applications: rows.map(withTimes),
      unassigned,
    },
  };
}
