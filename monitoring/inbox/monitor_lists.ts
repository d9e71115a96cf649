import type { ApplicationRow } from "../models/application_rows.ts";
import { cursorOf, rowKeyOf, writeCursor } from "../models/index/list_cursor.ts";
import type { ListQuery } from "../models/list_query.ts";
import { expectedRuns } from "../models/monitors/expected_runs.ts";
import {
  byMonitor,
  type CheckIn,
  configOf,
  joinRuns,
  MAX_ROW_RUNS,
  monitorRow,
  runRows,
  worstFirst,
} from "../models/monitors/runs.ts";
import { MAX_LIST_ROWS, type MonitorRow, type MonitorRunRow, type Page } from "../models/rows.ts";

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

/** The monitors, the worst first, all on one page. */
export function monitorRows(
  json: string,
  applications: readonly ApplicationRow[],
  { now = Date.now(), limit = MAX_LIST_ROWS }: ListQuery,
): Page<MonitorRow> {
  const monitors = readRuns(json, applications, now);
  const most = Math.min(MAX_ROW_RUNS, Math.ceil(MAX_MISSED / monitors.length));
  const rows = monitors.map(({ all, runs, config, first, rows, shown }) =>
    monitorRow(
      rows,
      shown,
      config,
      expectedRuns(runs.slice(runs.indexOf(first!)), config, now, most),
      all.length > 2 * MAX_ROW_RUNS,
    )
  );
  return { rows: rows.sort(worstFirst).slice(0, limit), next: null };
}

/** One page of runs, by their start. @param asOf the row key after all entries */
export function runPage(
  json: string,
  applications: readonly ApplicationRow[],
  { now = Date.now(), limit = MAX_LIST_ROWS, before }: ListQuery,
  asOf: number,
): Page<MonitorRunRow> {
  const cursor = cursorOf(before, asOf);
  const { at = Infinity } = cursor;
  const keyOf = ({ envelope, index }: MonitorRunRow) => rowKeyOf(envelope, index);
  const found = readRuns(json, applications, now).flatMap(({ shown }) => shown)
    .filter((row) => row.started_at < at || row.started_at === at && keyOf(row) < cursor.before)
    .sort((a, b) => b.started_at - a.started_at || keyOf(b) - keyOf(a));
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    rows,
    next: last && found.length > limit
      ? writeCursor({ ...cursor, before: keyOf(last), at: last.started_at })
      : null,
  };
}
