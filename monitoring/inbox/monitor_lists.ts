import type { ApplicationRow } from "../models/application_rows.ts";
import { rankedPage, rowKeyOf } from "../models/index/list_cursor.ts";
import type { ListQuery } from "../models/list_query.ts";
import { expectedRuns } from "../models/monitors/expected_runs.ts";
import {
  byMonitor,
  type CheckIn,
  configOf,
  joinRuns,
  monitorRow,
  runRows,
  worstFirst,
} from "../models/monitors/runs.ts";
import type { Page } from "../models/rows.ts";
import {
  MAX_ROW_RUNS,
  type MonitorRow,
  type MonitorRunRow,
} from "../models/monitors/monitor_row.ts";

/** Missed times of all monitors: to find them takes some 60 ms. */
const MAX_MISSED = 1_000;

/** What is read of the check-ins. @param json what the statement returns */
function readRuns(json: string, applications: readonly ApplicationRow[], now: number) {
  const checkIns: readonly CheckIn[] = JSON.parse(json);
  const starts = new Map(applications.map((row) => [row.key, row.starts]));
  return [...byMonitor(checkIns).values()].map((all) => {
    const runs = joinRuns(all);
    const { config, first } = configOf(runs);
    const rows = runRows(runs, config, starts.get(all[0]!.application ?? "") ?? [], now);
    const matching = new Set(
      runs.filter(({ checkIns }) => checkIns.some(({ matches }) => matches)),
    );
    const shown = rows.filter((_, n) => matching.has(runs.at(-1 - n)!));
    return { all, runs, config, first, rows, shown };
  });
}

/** @param json what the statement returns; asOf: the row key after all entries */
export type ToPage<Row> = (
  json: string,
  applications: readonly ApplicationRow[],
  query: ListQuery,
  asOf: number,
) => Page<Row>;

/** One page of the monitors, the worst first. */
export const monitorRows: ToPage<MonitorRow> = (json, applications, query, asOf) => {
  const { now = Date.now(), until = Infinity } = query;
  const monitors = readRuns(json, applications, now);
  const most = Math.min(MAX_ROW_RUNS, Math.ceil(MAX_MISSED / monitors.length));
  const found = monitors.map(({ all, runs, config, first, rows, shown }) => {
    const later = all.filter(({ at, duration }) => at - (duration ?? 0) >= until).length;
    const isApart = later > 2 * MAX_ROW_RUNS;
    const scheduled = runs.slice(runs.indexOf(first!));
    const expected = expectedRuns(scheduled, config, now, most);
    const earlier = scheduled.filter(({ started_at }) => started_at < until);
    return monitorRow(
      // Between them and those before `until` some were not read.
      isApart ? rows.filter(({ started_at }, n) => n === 0 || started_at >= until) : rows,
      shown,
      config,
      expected,
      until < now ? expectedRuns(earlier, config, until, most).missed : expected.missed,
      !isApart && all.length - later <= 2 * MAX_ROW_RUNS,
    );
  }).sort(worstFirst);
  const ranked = found.map((row, rank) => ({ row, rank, key: 0 }));
  return rankedPage(ranked, false, query, asOf, ({ row }) => row);
};

/** One page of runs, by their start. */
export const runPage: ToPage<MonitorRunRow> = (json, applications, query, asOf) => {
  const runs = readRuns(json, applications, query.now ?? Date.now()).flatMap(({ shown }) => shown);
  const ranked = runs.map((row) => ({
    ...{ row, rank: row.started_at, key: rowKeyOf(row.envelope, row.index) },
  }));
  return rankedPage(ranked, true, query, asOf, ({ row }) => row);
};
