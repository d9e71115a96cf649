import type { ApplicationRow } from "../models/application_rows.ts";
import { KEYS_PER_ENVELOPE, rankedPage, rowKeyOf } from "../models/index/list_cursor.ts";
import type { ListQuery } from "../models/list_query.ts";
import { EARLY_MS, expectedRuns, missedDuring } from "../models/monitors/expected_runs.ts";
import {
  byMonitor,
  type CheckIn,
  configOf,
  joinRuns,
  monitorRow,
  runRows,
  worstFirst,
} from "../models/monitors/runs.ts";
import {
  MAX_ROW_RUNS,
  type MonitorRow,
  type MonitorRunRow,
} from "../models/monitors/monitor_row.ts";
import { MAX_LIST_ROWS, type Page } from "../models/rows.ts";
import { all, filtersOf, isGiven, TIME, when } from "./list_builder.ts";
import { entryMatches } from "./query_sql.ts";

/** Newest check-ins that runs are made of: read in some 60 ms. */
const MAX_CHECK_INS = 10_000;

const KEY =
  "coalesce((SELECT key FROM applications WHERE id = e.application), '') || '/' || e.environment || '/' || e.slug";

/** Conditions on the check-ins of a monitor, which hold for all or none of them. */
const onMonitor = (query: ListQuery) => [
  ...filtersOf(query, ["application"]),
  ...when(query.environment, "e.environment = :environment"),
  ...when(query.monitor, `${KEY} = :monitor`),
  "e.row_key < :asOf",
];

/** Conditions on a check-in. */
const matching = (query: ListQuery) => [
  ...filtersOf(query, ["trace", "release"]),
  ...entryMatches("check_in_entries", query.q),
];

/** The check-ins among `keys`, a `SELECT`, as JSON of `CheckIn`s. */
const asJson = (query: ListQuery, keys: string, conditions: readonly string[]) =>
  "SELECT json_group_array(json_object('row_key', row_key, 'application'," +
  " (SELECT key FROM applications WHERE id = e.application), 'environment', environment, 'slug', slug," +
  " 'check_in_id', check_in_id, 'status', status, 'at', at, 'duration', duration, 'trace_id', trace_id," +
  " 'config', config, 'release', (SELECT release FROM releases WHERE id = e.release), 'matches'," +
  ` (${all([...conditions, ...filtersOf(query, TIME)])}) IS TRUE)) AS rows` +
  ` FROM check_in_entries AS e WHERE row_key IN (${keys})`;

const HEARD_LAST =
  ` GROUP BY application, environment, slug ORDER BY max(row_key) DESC LIMIT ${MAX_LIST_ROWS}`;

/** Of the monitors that have such a check-in. */
const ofMonitors = (conditions: readonly string[], rest = "") =>
  "(application, environment, slug) IN (SELECT application, environment, slug" +
  ` FROM check_in_entries AS e WHERE ${all(conditions)}${rest})`;

/** Else the end of a run that was not over then would be missing. */
const STARTED_BEFORE = "e.at - coalesce(e.duration, 0) < :until";

/**
 * The newest check-ins, and the newest before `until`, of the monitors that were heard last, of those with one that
 * matches the query but for its time.
 */
export const monitorsSql = (query: ListQuery): string =>
  asJson(
    query,
    "SELECT row_key FROM (SELECT row_key, row_number() OVER" +
      ` (PARTITION BY ${["application, environment, slug", ...when(query.until, STARTED_BEFORE)]}` +
      " ORDER BY row_key DESC) AS n FROM check_in_entries AS e WHERE row_key < :asOf AND" +
      ` ${ofMonitors([...onMonitor(query), ...matching(query)], HEARD_LAST)})` +
      ` WHERE n <= ${2 * MAX_ROW_RUNS + 1}`,
    matching(query),
  );

/** The newest check-ins of the monitors with one that matches the query; of one with an envelope those beside it. */
export const monitorRunsSql = (query: ListQuery): string => {
  const conditions = [...matching(query), ...filtersOf(query, ["envelope"])];
  const distance = isGiven(query.envelope) ? `abs(row_key - :envelope * ${KEYS_PER_ENVELOPE})` : "";
  return asJson(
    query,
    "SELECT row_key FROM check_in_entries AS e WHERE" +
      ` ${all([...onMonitor(query), ...conditions.length > 0 ? [ofMonitors(conditions)] : []])}` +
      ` ORDER BY ${distance || "row_key DESC"} LIMIT ${MAX_CHECK_INS}`,
    conditions,
  );
};

type Monitor = ReturnType<typeof readMonitors>[number];

/** The monitors of check-ins, JSON of `CheckIn`s, with their runs. `ahead`: how much the clock of their sender is. */
export function readMonitors(json: string, applications: readonly ApplicationRow[], now: number) {
  const checkIns: readonly CheckIn[] = JSON.parse(json);
  const senders = new Map(applications.map((row) => [row.key, row]));
  return [...byMonitor(checkIns).values()].map((all) => {
    const runs = joinRuns(all);
    const { config, scheduled } = configOf(runs);
    const { starts = [], clock_ms: clock = 0 } = senders.get(all[0]!.application ?? "") ?? {};
    const ahead = Math.abs(clock ?? 0) > EARLY_MS ? clock! : 0;
    const rows = runRows(runs, config, starts, now + ahead);
    const matching = new Set(
      runs.filter(({ checkIns }) => checkIns.some(({ matches }) => matches)),
    );
    const shown = rows.filter((_, n) => matching.has(runs.at(-1 - n)!));
    return { all, runs, config, scheduled, ahead, rows, shown };
  });
}

/** Missed times of all monitors: to find them takes some 60 ms. */
const MAX_MISSED = 1_000;

/** One page of the monitors, the worst first. */
export function monitorPage(
  monitors: readonly Monitor[],
  query: ListQuery,
  asOf: number,
): Page<MonitorRow> {
  const { now = Date.now(), until = Infinity } = query;
  const most = 1 + Math.min(MAX_ROW_RUNS, Math.ceil(MAX_MISSED / monitors.length));
  const ranked = monitors.map(({ all, runs, config, scheduled, ahead, rows, shown }) => {
    const later = all.filter(({ at, duration }) => at - (duration ?? 0) >= until).length;
    const isApart = later > 2 * MAX_ROW_RUNS;
    const isWhole = all.length - later <= 2 * MAX_ROW_RUNS;
    const isKnown = isWhole || scheduled.length < runs.length;
    const expected = expectedRuns(scheduled, config, now + ahead, most);
    return monitorRow(
      // Between them and those before `until` some were not read.
      isApart ? rows.filter(({ started_at }, n) => n === 0 || started_at >= until) : rows,
      shown,
      config,
      { ...expected, next: expected.next && expected.next - ahead },
      missedDuring(scheduled, config, query, now + ahead, most, isKnown),
      !isApart && isWhole,
    );
  }).sort(worstFirst).map((row, rank) => ({ row, rank, key: 0 }));
  return rankedPage(ranked, false, query, asOf, ({ row }) => row);
}

/** One page of runs, by their start. */
export function runPage(
  monitors: readonly Monitor[],
  query: ListQuery,
  asOf: number,
): Page<MonitorRunRow> {
  const ranked = monitors.flatMap(({ shown }) => shown)
    .map((row) => ({ row, rank: row.started_at, key: rowKeyOf(row.envelope, row.index) }));
  return rankedPage(ranked, true, query, asOf, ({ row }) => row);
}
