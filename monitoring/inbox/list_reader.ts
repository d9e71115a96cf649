import process from "node:process";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { cursorOf, rowKeyOf, writeCursor } from "../models/index/list_cursor.ts";
import {
  type ApplicationList,
  type ApplicationRow,
  type ListCounts,
  MAX_COUNT,
  newestRelease,
} from "../models/application_rows.ts";
import { type Lists, MAX_LIST_ROWS, type Page } from "../models/rows.ts";
import type { ListQuery } from "../models/list_query.ts";
import type { Histogram, HistogramList } from "../models/histogram.ts";
import type { VitalsEntry } from "../models/trace/page_vitals.ts";
import { type EndpointContent, endpointContent } from "../models/trace/endpoint_content.ts";
import { endpointPage, withErrors } from "../models/trace/endpoints.ts";
import { queryPage } from "../models/trace/queries.ts";
import { pageRows } from "../models/trace/page_rows.ts";
import { LOG_LEVELS } from "../protocol/log_levels.ts";
import { transaction } from "../storage/open_database.ts";
import { MINUTE_MS, SECOND_MS } from "../models/time_units.ts";
import { reportsOf, reportsSql, type ReportSum } from "./reports.ts";
import {
  type FoundMetric,
  type MetricQuery,
  metricsSql,
  type ReadAll,
  readMetricContent,
  readMetrics,
} from "./metric_reader.ts";
import { QUERIES_OF_RUNS_SQL, queriesSql, runsSql } from "./endpoint_sql.ts";
import { feedbackOverTimeSql, feedbackSql } from "./feedback_sql.ts";
import {
  monitorPage,
  monitorRunsSql,
  monitorsSql,
  readMonitors,
  runPage,
} from "./monitor_lists.ts";
import { chartRange, histogramOf, readableRange, type TimedRow } from "./histogram_of.ts";
import { pageSql, type SqlList, valuesOf } from "./list_builder.ts";
import { ABOVE_SQL, aiSpansSql, foundRuns, pageOfRuns } from "./ai_sql.ts";
import { sumRows } from "../models/ai/ai_runs.ts";
import {
  APPLICATIONS_SQL,
  envelopesSql,
  errorGroupsSql,
  logsSql,
  occurrencesSql,
  opsSql,
  OVER_TIME_SQL,
  recordingsSql,
  tracesSql,
  vitalsSql,
} from "./list_sql.ts";
import { type Found, ROWS } from "./list_rows.ts";
import { ParameterError } from "./query_parameters.ts";
import { IN_TIME } from "./query_sql.ts";
import { profilesSql } from "./profile_sql.ts";

/** Newest web vitals that a table of pages is made of: read and sorted in some 50 ms. */
const MAX_VITALS = 20_000;

/** Maximum duration of a search, during which the process does nothing else. Of its own time: the machine may be busy. */
const MAX_SEARCH_MS = 5 * SECOND_MS;

/** Statements that are kept: some 20 KB each. */
const MAX_STATEMENTS = 200;

const WARN = LOG_LEVELS.indexOf("warn");

/** Reads lists from the tables that {@linkcode IndexWriter} writes: each with one statement. */
export class ListReader {
  /** By their SQL: each form of a query is another one. */
  readonly #statements = new Map<string, StatementSync>();
  #deadline = 0;
  #processorDeadline = 0;
  #isLate = false;

  /** @param last the id of the newest envelope, read within the snapshot of a list */
  constructor(readonly db: DatabaseSync, readonly last: () => number) {
    // It must not throw: Deno's `all` would never return.
    db.function(IN_TIME, () => {
      this.#isLate ||= performance.now() > this.#deadline &&
        processorMs() > this.#processorDeadline;
      return Number(!this.#isLate);
    });
  }

  readonly #lists: {
    [Name in keyof Lists]: (query: ListQuery, asOf: number) => Page<Lists[Name]>;
  } = {
    traces: (query, asOf) => this.#page(query, asOf, tracesSql(query), ROWS.traces),
    errors: (query, asOf) => {
      const { from, to } = readableRange(query, this.#overTime("errors", query, asOf));
      return this.#page(query, asOf, errorGroupsSql(query), ROWS.errors, { from, to });
    },
    occurrences: (query, asOf) => this.#page(query, asOf, occurrencesSql(query), ROWS.occurrences),
    logs: (query, asOf) => this.#page(query, asOf, logsSql(query), ROWS.logs),
    pages: (query, asOf) => {
      const values = { asOf, limit: MAX_VITALS };
      type Found = VitalsEntry & { application: string };
      const entries = this.#all<Found>(pageSql(vitalsSql(query), false), query, values);
      return { rows: pageRows(entries, query), next: null };
    },
    endpoints: (query, asOf) => {
      const { runs, newest, ranges } = this.#runs(query, asOf);
      return endpointPage(runs, newest, ranges, query, asOf);
    },
    queries: (query, asOf) => {
      const [found] = this.#all<{ queries: string }>(queriesSql(query), query, { asOf });
      return queryPage(JSON.parse(found!.queries), query, asOf);
    },
    metrics: (query, asOf) => {
      const page = this.#page(query, asOf, metricsSql(query), (found: FoundMetric) => found);
      return readMetrics(this.#all, page, query, asOf);
    },
    recordings: (query, asOf) => this.#page(query, asOf, recordingsSql(query), ROWS.recordings),
    ai_runs: (query, asOf) => pageOfRuns(this.#aiRuns(query, asOf), query, asOf),
    ai_sums: (query, asOf) => ({
      rows: sumRows(this.#aiRuns(query, asOf).map(({ row }) => row())),
      next: null,
    }),
    feedback: (query, asOf) => this.#page(query, asOf, feedbackSql(query), ROWS.feedback),
    profiles: (query, asOf) => this.#page(query, asOf, profilesSql(query), ROWS.profiles),
    monitors: (query, asOf) =>
      monitorPage(this.#monitors(monitorsSql(query), query, asOf), query, asOf),
    runs: (query, asOf) => runPage(this.#monitors(monitorRunsSql(query), query, asOf), query, asOf),
    envelopes: (query, asOf) => this.#page(query, asOf, envelopesSql(query), ROWS.envelopes),
  };

  page<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]> {
    // Also of a later page the snapshot is that of the first.
    return this.#snapshot((asOf) => this.#lists[name](query, cursorOf(query.before, asOf).asOf));
  }

  metric(query: MetricQuery) {
    return this.#snapshot((asOf) => readMetricContent(this.#all, query, asOf));
  }

  /** What an application did under one name; undefined: nothing that is stored. @param query the list's, and the name */
  endpoint(
    { id, name, op, ...query }: ListQuery & { id: string; name: string },
  ): EndpointContent | undefined {
    return this.#snapshot((asOf) => {
      const { runs, newest, ranges } = this.#runs(query, asOf);
      const own = runs.filter((run) =>
        run.application === id && run.name === name && run.op === (op ?? null)
      );
      return own.length === 0 ? undefined : endpointContent(own, newest, ranges, (keys) => {
        const values = { asOf, runs: JSON.stringify(keys) };
        type Found = { queries: string; is_cut: number };
        const { queries, is_cut } = this.#all<Found>(QUERIES_OF_RUNS_SQL, {}, values)[0]!;
        return is_cut ? undefined : JSON.parse(queries);
      });
    });
  }

  histogram(query: ListQuery): Histogram {
    return this.#snapshot((asOf) =>
      histogramOf(query, this.#overTime(query.of ?? "traces", query, asOf))
    );
  }

  applications({ application, release, environment, since, until }: ListQuery): ApplicationList {
    const query = { application, release, environment, since, until };
    return this.#snapshot((asOf) => ({
      ...this.#reporting(query, asOf),
      counts: this.#counts(query, asOf),
      ops: this.#all<{ op: string }>(opsSql(query), query).map(({ op }) => op),
    }));
  }

  /** Runs several queries in one transaction. @param work gets the row key after all entries */
  #snapshot<T>(work: (asOf: number) => T): T {
    this.#deadline = performance.now() + MAX_SEARCH_MS;
    this.#processorDeadline = processorMs() + MAX_SEARCH_MS;
    this.#isLate = false;
    return transaction(this.db, () => work(rowKeyOf(this.last() + 1, 0)), "BEGIN");
  }

  #page<Row extends Found, T>(
    query: ListQuery,
    asOf: number,
    list: SqlList,
    toRow: (found: Row) => T,
    more: Record<string, number> = {},
  ): Page<T> {
    const { at, tie = 0, ...cursor } = cursorOf(query.before, asOf);
    const limit = query.limit ?? MAX_LIST_ROWS;
    const values = { ...cursor, rank: at ?? cursor.before, tie, limit: limit + 1, ...more };
    const found = this.#all<Row>(pageSql(list, query.before !== undefined), query, values);
    const rows = found.slice(0, limit);
    const end = rows.at(-1);
    return {
      rows: rows.map(toRow),
      next: end && found.length > limit
        ? writeCursor({
          ...cursor,
          before: end.key,
          at: end.rank === end.key ? undefined : end.rank,
          tie: end.tie,
        })
        : null,
    };
  }

  /** What the applications did, the newest release and the time of each. @param asOf of the first page */
  #runs(query: ListQuery, asOf: number) {
    type Found = Record<"runs" | "errors", string> & { oldest: number | null };
    const values = { asOf, error: LOG_LEVELS.indexOf("error") };
    const { runs: json, errors, oldest } = this.#all<Found>(runsSql(query), query, values)[0]!;
    const runs = withErrors(JSON.parse(json), JSON.parse(errors));
    const newest = new Map(this.#applications().map((row) => [row.key, newestRelease(row)]));
    const byApplication = [...Map.groupBy(runs, ({ application }) => application)];
    const ranges = new Map(byApplication.map(([key, own]) => {
      const { from, to } = chartRange(query, own.map(({ at }) => [at, 0, null]));
      const least = query.since === undefined ? MINUTE_MS : 0;
      return [key, { from: Math.max(from, oldest ?? from), to: Math.max(to, from + least) }];
    }));
    return { runs, newest, ranges };
  }

  #aiRuns(query: ListQuery, asOf: number) {
    const [found] = this.#all<{ spans: string }>(aiSpansSql(query), query, { asOf });
    return foundRuns(found!.spans, query, (starts) => {
      const [up] = this.#all<{ above: string }>(ABOVE_SQL, {}, { starts, asOf });
      return up!.above;
    });
  }

  #monitors(sql: string, query: ListQuery, asOf: number) {
    const [found] = this.#all<{ rows: string }>(sql, query, { asOf });
    return readMonitors(found!.rows, this.#applications(), query.now ?? Date.now());
  }

  /** Counts the rows of all lists, each up to {@linkcode MAX_COUNT}. */
  #counts(filters: ListQuery, asOf: number): ListCounts {
    const query: ListQuery = { ...filters, state: "open" };
    const lists: Readonly<Record<keyof ListCounts, SqlList>> = {
      traces: tracesSql(query),
      errors: errorGroupsSql(query),
      logs: logsSql(query),
      recordings: recordingsSql(query),
      feedback: feedbackSql(query),
      profiles: profilesSql(query),
      envelopes: envelopesSql(query),
    };
    const counts = Object.entries(lists).map(([name, { rows }]) =>
      `(SELECT count(*) FROM (SELECT 1 FROM (${rows}) LIMIT :limit)) AS ${name}`
    );
    const sql = `SELECT ${counts.join()}`;
    return { ...this.#all<ListCounts>(sql, query, { asOf, limit: MAX_COUNT })[0]! };
  }

  #overTime(of: HistogramList, query: ListQuery, asOf: number): readonly TimedRow[] {
    if (of === "endpoints") {
      return this.#runs(query, asOf).runs.map(({ at, failed, ms }) => [at, failed ? 2 : 0, ms]);
    }
    const values = { asOf, warn: WARN };
    const sql = of === "feedback" ? feedbackOverTimeSql(query) : OVER_TIME_SQL[of](query);
    const [found] = this.#all<{ rows: string }>(sql, query, values);
    return JSON.parse(found!.rows);
  }

  #reporting(query: ListQuery, asOf: number): Pick<ApplicationList, "rows" | "unassigned"> {
    const found = this.#all<ReportSum>(reportsSql(query), query, { asOf });
    const sums = Map.groupBy(found, ({ application }) => application);
    const rows = this.#applications().map((row) => ({ ...row, ...reportsOf(sums.get(row.key)) }));
    return { rows, unassigned: reportsOf(sums.get(null)) };
  }

  #applications(): ApplicationRow[] {
    const found = this.#all<ApplicationRow & { releases: string; starts: string }>(
      APPLICATIONS_SQL,
      {},
    );
    return found.map((row) => {
      const releases = JSON.parse(row.releases) as [release: string, since: number][];
      return {
        ...row,
        releases: releases.map(([release]) => release),
        releases_since: releases.map(([, since]) => since),
        starts: JSON.parse(row.starts) as number[],
      };
    });
  }

  /** The rows of a statement. `Row` is the type that it returns. */
  readonly #all: ReadAll = <Row>(sql: string, query: ListQuery, values?: object): Row[] => {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size === MAX_STATEMENTS) this.#statements.clear();
      statement = this.db.prepare(sql);
      statement.setAllowUnknownNamedParameters(true);
      this.#statements.set(sql, statement);
    }
    const rows = statement.all({ ...valuesOf(query), ...values }) as Row[];
    if (this.#isLate) {
      throw new ParameterError(
        "The query",
        "answered within 5 seconds of processor time: use fewer terms, or words instead of key:value",
      );
    }
    return rows;
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
