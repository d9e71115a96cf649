import assert from "node:assert/strict";
import {
  filtersOf,
  LIST_FILTERS,
  type ListFilter,
  type ListName,
  type ListQuery,
} from "../models/list_query.ts";
import { queriesSql, runsSql } from "./endpoint_sql.ts";
import { feedbackSql } from "./feedback_sql.ts";
import {
  envelopesSql,
  errorGroupsSql,
  logsSql,
  occurrencesSql,
  recordingsSql,
  tracesSql,
  vitalsSql,
} from "./list_sql.ts";
import { aiSpansSql } from "./ai_sql.ts";
import { monitorRunsSql, monitorsSql } from "./monitor_lists.ts";
import { metricsSql } from "./metric_reader.ts";
import type { SqlList } from "./list_builder.ts";
import { profilesSql } from "./profile_sql.ts";

// `runsOf` filters runs by these.
const aiRuns = ({ name, status, model, conversation, ...query }: ListQuery) =>
  `${aiSpansSql(query)} ${name} ${status} ${model} ${conversation}`;

const STATEMENTS: Readonly<Record<ListName, (query: object) => SqlList | string>> = {
  traces: tracesSql,
  errors: errorGroupsSql,
  occurrences: occurrencesSql,
  logs: logsSql,
  // Its text is searched in the names of pages, see `pageRows`.
  pages: ({ q, ...query }: { q?: string }) => ({ ...vitalsSql(query), table: `${q}` }),
  endpoints: runsSql,
  queries: queriesSql,
  recordings: recordingsSql,
  ai_runs: aiRuns,
  ai_sums: aiRuns,
  feedback: feedbackSql,
  profiles: profilesSql,
  monitors: monitorsSql,
  runs: monitorRunsSql,
  metrics: metricsSql,
  envelopes: envelopesSql,
};

Deno.test("each filter → a condition in the statements of its lists, and of no other", () => {
  for (const [list, sqlOf] of Object.entries(STATEMENTS)) {
    const own: readonly string[] = filtersOf(list as ListName);
    const unfiltered = JSON.stringify(sqlOf({}));
    for (const [name, { values }] of Object.entries<ListFilter>(LIST_FILTERS)) {
      const value = values === "flag" ? true : values === "number" ? 1 : "1";
      const hasCondition = JSON.stringify(sqlOf({ [name]: value })) !== unfiltered;
      assert.equal(hasCondition, own.includes(name), `${name} in list_sql.ts, ${list}`);
    }
  }
});
