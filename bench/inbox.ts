import { join } from "node:path";
import { loadConfig } from "../config/config.ts";
import { Inbox } from "../monitoring/inbox/inbox.ts";
import { admitted } from "../monitoring/inbox/testdata/envelopes.ts";
import { rowKeyOf, writeCursor } from "../monitoring/models/index/list_cursor.ts";
import { OWN_APPLICATION } from "../monitoring/models/application_rows.ts";
import { GROUP_STATES } from "../monitoring/models/error/error_row.ts";
import type { Lists } from "../monitoring/models/rows.ts";
import {
  APPLICATIONS,
  LIST_FILTERS,
  type ListQuery,
  SORT_COLUMNS,
  type SortColumn,
} from "../monitoring/models/list_query.ts";
import { HISTOGRAM_LISTS } from "../monitoring/models/histogram.ts";
import { LOG_LEVELS } from "../monitoring/protocol/log_levels.ts";
import { BUDGETS } from "./budgets.ts";
import { type Figure, median, worst } from "./figures.ts";
import { makeEnvelope, timeOf, traceOf } from "./inbox_envelopes.ts";

/** Of each query. Their median is compared with the budget. */
const REPETITIONS = 3;
const NO_MATCH = "nothing holds this";
/** Words, ids and attributes, of a few and of many entries; `order` is in each trace. */
const SEARCHES = ["checkout", "E", "ÄÖ größe", NO_MATCH, '"order 7"', "-checkout step", "order"]
  .concat("checkout step order", "status_code:>=500", "http.response.status_code:404")
  .concat("-status_code:200 op:http.server");
const HOUR_MS = 3_600_000;

type Queries = Record<keyof Lists | "metric" | "applications" | "histogram", ListQuery[]>;

export async function bench(): Promise<Figure[]> {
  const folder = Deno.makeTempDirSync({ prefix: "bench-inbox-" });
  const { inboxMaxBytes, inboxMaxAgeDays } = loadConfig({});
  const count = { envelopes: 0 };
  const inbox = new Inbox({
    path: join(folder, "inbox.sqlite"),
    maxBytes: inboxMaxBytes,
    maxAgeDays: inboxMaxAgeDays,
    now: () => timeOf(count.envelopes),
  });
  try {
    for (let bytes = 0; bytes < inboxMaxBytes;) {
      const envelope = makeEnvelope(++count.envelopes);
      bytes += envelope.byteLength;
      await inbox.store(admitted(envelope, timeOf(count.envelopes)));
    }
    return measureQueries(inbox, queriesOf(inbox, count.envelopes));
  } finally {
    inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
}

function measureQueries(inbox: Inbox, queries: Queries): Figure[] {
  return Object.entries(queries).map(([list, ofList]) => {
    const read = (query: ListQuery) =>
      list === "applications" || list === "histogram"
        ? inbox[list](query)
        : list === "metric"
        ? inbox.metric({ name: "shop.metric2", by: "route", ...query })
        : inbox.page(list as keyof Lists, query);
    const times = ofList.map((query) => ({ query, ms: medianOf(() => read(query)) }));
    const slowest = times.toSorted((a, b) => b.ms - a.ms).slice(0, 5);
    return {
      ...worst(BUDGETS.inboxQuery, ...times.map(({ ms }) => ms)),
      what: `${BUDGETS.inboxQuery.what} of ${ofList.length}: ${list}`,
      details: slowest.map(({ query, ms }) => `${ms.toFixed(0)} ms: ${JSON.stringify(query)}`),
    };
  });
}

const medianOf = (work: () => void): number =>
  median(Array.from({ length: REPETITIONS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  }));

function queriesOf(inbox: Inbox, count: number): Queries {
  const now = timeOf(count);
  const trace = traceOf(count / 2);
  const groups = inbox.page("errors", { sort: "-count", limit: 40 }).rows.map(({ group }) => group);
  groups.slice(1).forEach((group, n) => inbox.changeGroup(group, n % 2 ? "resolved" : "muted"));
  const { key, environment, releases: [release] } = inbox.applications({}).rows
    .find(({ key }) => key !== OWN_APPLICATION.key)!;
  const ofSender: readonly ListQuery[] = [
    { application: APPLICATIONS },
    { application: OWN_APPLICATION.key },
    { application: key, release: release!, environment: environment! },
    { release: "none" },
    { since: now - HOUR_MS },
    { until: now - HOUR_MS },
  ];
  const ofEveryList: readonly ListQuery[] = [
    {},
    ...[...SEARCHES, trace.slice(0, 24)].map((q) => ({ q })),
    { trace },
    ...ofSender,
  ];
  const ofErrors: readonly ListQuery[] = [
    ...LOG_LEVELS.map((level) => ({ level })),
    { handled: false, level: "fatal", application: APPLICATIONS },
  ];
  const ofTraces: readonly ListQuery[] = [
    ...LIST_FILTERS.status.values.map((status) => ({ status })),
    ...[{ op: "ui.action" }, { name: "checkout step 3" }, { page: "checkout" }],
  ];
  // An old page: most of the inbox is newer.
  const before = writeCursor({
    before: rowKeyOf(Math.floor(count / 50), 0),
    asOf: rowKeyOf(count + 1, 0),
  });
  const list = (filters: readonly ListQuery[], columns: readonly SortColumn[] = []): ListQuery[] =>
    [undefined, ...columns.flatMap((column) => [column, `-${column}`] as const)].flatMap((sort) =>
      [...ofEveryList, ...filters].map((filter): ListQuery => ({ ...filter, sort }))
    ).concat({ before });
  const ofOneGroup = [{}, { q: NO_MATCH }, ...ofSender]
    .map((filter) => ({ ...filter, group: groups[0]! }));
  return {
    traces: list(ofTraces, SORT_COLUMNS.traces),
    // With their charts, which end now.
    errors: list([...ofErrors, ...GROUP_STATES.map((state) => ({ state }))], SORT_COLUMNS.errors)
      .map((query) => ({ ...query, now })),
    occurrences: list([...ofErrors, ...ofOneGroup]),
    logs: list(LOG_LEVELS.map((level) => ({ level }))),
    pages: list([], SORT_COLUMNS.pages),
    endpoints: list([], SORT_COLUMNS.endpoints),
    queries: list([], SORT_COLUMNS.queries),
    recordings: list([], SORT_COLUMNS.recordings),
    profiles: list([], SORT_COLUMNS.profiles),
    ai_runs: list([{ status: "error" }], SORT_COLUMNS.ai_runs),
    ai_sums: list([]),
    feedback: list(GROUP_STATES.map((state) => ({ state }))),
    monitors: list([]),
    runs: list([]),
    metrics: list([]),
    metric: list([]),
    envelopes: list(["span", "profile", "event"].map((type) => ({ type }))),
    applications: [{}, ...ofSender],
    histogram: HISTOGRAM_LISTS.flatMap((of) => ofEveryList.map((query) => ({ ...query, of, now }))),
  };
}
