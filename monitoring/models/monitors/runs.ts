import {
  MAX_ROW_RUNS,
  type MonitorRow,
  type MonitorRunRow,
  type MonitorState,
  type RunState,
} from "./monitor_row.ts";
import { envelopeAt, indexAt } from "../index/list_cursor.ts";
import { type CheckInEntry, type MonitorConfig, NO_CONFIG, scheduleWords } from "./check_in.ts";

export interface CheckIn extends CheckInEntry {
  readonly row_key: number;
  /** Key of the application; null: not known. */
  readonly application: string | null;
  readonly environment: string;
  readonly release: string | null;
  readonly matches: boolean;
}

/** A run of a job, from its check-ins. */
export interface Run {
  started_at: number;
  /** Null: it has no end. */
  ended: "ok" | "error" | null;
  /** Null also of a heart beat that sent none. */
  duration: number | null;
  /** In the order of time. */
  readonly checkIns: CheckIn[];
}

export const byMonitor = (checkIns: readonly CheckIn[]): Map<string, CheckIn[]> =>
  Map.groupBy(checkIns, monitorKey);

/** What `:monitor` is compared with in SQL, too. */
const monitorKey = ({ application, environment, slug }: CheckIn) =>
  `${application ?? ""}/${environment}/${slug}`;

/**
 * Joins starts and ends, which may have arrived in any order and more than once. The first end counts. One without an id
 * belongs to the newest run without an end, else it is a run of its own.
 *
 * @param checkIns of one monitor
 * @returns in the order of their start
 */
export function joinRuns(checkIns: readonly CheckIn[]): readonly Run[] {
  const isStart = ({ status }: CheckIn) => status === "in_progress";
  const sorted = checkIns.toSorted((a, b) =>
    a.at - b.at || Number(isStart(b)) - Number(isStart(a)) || a.row_key - b.row_key
  );
  const runs: Run[] = [];
  const byId = new Map<string, Run>();
  const open: Run[] = [];
  for (const checkIn of sorted) {
    const { check_in_id: id, status, at, duration } = checkIn;
    while (open.length > 0 && open.at(-1)!.ended !== null) open.pop();
    let run = id !== null ? byId.get(id) : isStart(checkIn) ? undefined : open.at(-1);
    if (run === undefined) {
      const started_at = at - (duration ?? 0);
      run = { started_at, ended: null, duration: null, checkIns: [] };
      runs.push(run);
      if (isStart(checkIn)) open.push(run);
      if (id !== null) byId.set(id, run);
    }
    run.checkIns.push(checkIn);
    if (isStart(checkIn)) run.started_at = Math.min(run.started_at, at);
    else if (run.ended === null) {
      const isKnown = run.checkIns.some(isStart);
      run.ended = status as "ok" | "error";
      run.duration = duration ?? (isKnown ? at - run.started_at : null);
    }
  }
  return runs.sort((a, b) => a.started_at - b.started_at);
}

/** The newest configuration, and the runs that were sent with it or after it. */
export function configOf(runs: readonly Run[]): { config: MonitorConfig; scheduled: Run[] } {
  const configs = runs.map(({ checkIns }) => checkIns.find(({ config }) => config)?.config ?? null);
  const newest = configs.findLast((config) => config !== null) ?? null;
  const other = configs.findLastIndex((config) => config !== null && config !== newest);
  const config: MonitorConfig = newest === null ? NO_CONFIG : JSON.parse(newest);
  return { config, scheduled: runs.slice(other + 1) };
}

/**
 * The rows of a monitor's runs, newest first.
 *
 * @param runs in the order of their start
 * @param starts when processes of the application started
 */
export function runRows(
  runs: readonly Run[],
  { max_runtime_ms }: MonitorConfig,
  starts: readonly number[],
  now: number,
): readonly MonitorRunRow[] {
  return runs.map((run, n) => {
    const { started_at, ended, checkIns } = run;
    const [first] = checkIns;
    const stops = [runs[n + 1]?.started_at, ...starts]
      .filter((at) => at !== undefined && at > started_at && at <= now) as number[];
    // A job may run twice at a time, and in one of several processes.
    const state: RunState = ended !== null
      ? ended === "ok" ? "ok" : "failed"
      : now - started_at <= max_runtime_ms
      ? "running"
      : stops.length > 0
      ? "unfinished"
      : "over_time";
    const until = state === "unfinished" ? Math.min(...stops) : now;
    const key = Math.min(...checkIns.map(({ row_key }) => row_key));
    const found = <T>(read: (checkIn: CheckIn) => T | null) =>
      checkIns.map(read).find((value) => value !== null) ?? null;
    return {
      envelope: envelopeAt(key),
      index: indexAt(key),
      monitor: monitorKey(first!),
      slug: first!.slug,
      application: first!.application,
      environment: first!.environment || null,
      check_in_id: first!.check_in_id,
      started_at,
      state,
      duration: ended === null ? Math.max(0, until - started_at) : run.duration,
      release: found(({ release }) => release),
      trace_id: found(({ trace_id }) => trace_id),
    };
  }).reverse();
}

/** When runs were expected and did not come, newest first, and when the next one is. */
export interface Expected {
  readonly missed: readonly number[];
  /** Of earlier times it is not known whether they were missed. */
  readonly from: number;
  readonly next: number | null;
  /** The first one after the newest run, if it was missed. */
  readonly afterNewest: number | null;
  /** The schedule cannot be read, or has no time. */
  readonly isInvalid?: boolean;
}

const WORST: readonly MonitorState[] = [
  "failed",
  "missed",
  "unfinished",
  "over_time",
  "running",
  "ok",
];

/**
 * @param rows the newest ones, at least one, newest first
 * @param shown those that match the query
 * @param shownMissed what is missed in the time of the query
 * @param isAll whether `rows` are all of its runs
 */
export function monitorRow(
  rows: readonly MonitorRunRow[],
  shown: readonly MonitorRunRow[],
  config: MonitorConfig,
  { missed, next, afterNewest, isInvalid }: Expected,
  shownMissed: Pick<MonitorRow, "missed" | "missed_from">,
  isAll: boolean,
): MonitorRow {
  const [newest] = rows as [MonitorRunRow];
  const { monitor, slug, application, environment } = newest;
  const isOpen = newest.state === "running" || newest.state === "over_time";
  const isMissed = !isOpen && missed[0] !== undefined && missed[0] > newest.started_at;
  const absent = missed.find((at) => at < newest.started_at) ?? -Infinity;
  const other = rows.findIndex((row) => row.state !== newest.state || row.started_at < absent);
  const { started_at } = rows.at(other === -1 ? -1 : other - 1)!;
  const listed = shown.slice(0, MAX_ROW_RUNS);
  const words = scheduleWords(config);
  return {
    monitor,
    slug,
    application,
    environment,
    state: isMissed ? "missed" : newest.state,
    since: isMissed
      ? afterNewest ?? missed[0]!
      : started_at + (newest.state === "over_time" ? config.max_runtime_ms : 0),
    since_earlier: !isMissed && other === -1 && !isAll,
    schedule: isInvalid ? `${words}: not valid, or never due` : words,
    timezone: config.schedule?.type === "crontab" ? config.timezone ?? "UTC" : null,
    margin: config.margin_ms,
    max_runtime: config.max_runtime_ms,
    next_at: next,
    runs: listed.map(({ envelope, index, started_at, state, duration }) => (
      { envelope, index, started_at, state, duration }
    )),
    ...shownMissed,
    has_more: !isAll || rows.length > listed.length,
  };
}

/** The worst first, of a state the newest. */
export const worstFirst = (a: MonitorRow, b: MonitorRow): number =>
  WORST.indexOf(a.state) - WORST.indexOf(b.state) || b.since - a.since ||
  (a.monitor < b.monitor ? -1 : 1);
