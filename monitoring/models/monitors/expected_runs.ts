import { Cron } from "croner";
import type { ListQuery } from "../list_query.ts";
import { MINUTE_MS, SECOND_MS } from "../time_units.ts";
import { INTERVAL_UNITS, type MonitorConfig } from "./check_in.ts";
import { MAX_ROW_RUNS, type MonitorRow } from "./monitor_row.ts";
import type { Expected, Run } from "./runs.ts";

/** Clocks differ: so much earlier than expected a run may start. */
export const EARLY_MS = 30 * SECOND_MS;

const NOTHING: Expected = { missed: [], from: -Infinity, next: null, afterNewest: null };

/**
 * When runs of a monitor were expected. A run is the one expected at a time if it started within the margin after it, or
 * ended then without having reported its start; each run is at one time at most. Nothing is expected before the first run.
 *
 * @param runs with this configuration, in the order of their start
 * @param most number of missed ones
 */
export function expectedRuns(
  runs: readonly Run[],
  config: MonitorConfig,
  now: number,
  most = MAX_ROW_RUNS,
): Expected {
  const { schedule } = config;
  const started = runs.filter(({ started_at }) => started_at <= now);
  const starts = started.map(({ started_at }) => started_at);
  const reported = started.map(({ started_at, checkIns: [first] }) => first?.at ?? started_at);
  if (schedule === null || starts.length === 0) return NOTHING;
  return schedule.type === "interval"
    ? byInterval(starts, schedule, config, now, most)
    : byCrontab(starts, reported, schedule.value, config, now, most);
}

/**
 * The missed times that lists show of a query.
 *
 * @param most one more than are listed
 * @param isKnown whether `runs` are all before `until` that could have the configuration
 */
export function missedDuring(
  runs: readonly Run[],
  config: MonitorConfig,
  { since = -Infinity, until = Infinity }: Pick<ListQuery, "since" | "until">,
  now: number,
  most: number,
  isKnown: boolean,
): Pick<MonitorRow, "missed" | "missed_from"> {
  // A time before `until` is missed once its margin is over.
  const end = Math.min(until + config.margin_ms, now);
  const { missed, from } = expectedRuns(runs, config, end, most);
  const listed = missed.slice(0, most - 1);
  const known = Math.max(
    missed.length < most ? from : listed.at(-1)!,
    isKnown ? -Infinity : runs[0]?.started_at ?? -Infinity,
  );
  return {
    missed: listed.filter((time) => time >= since && time < until),
    missed_from: known > since ? known : null,
  };
}

/** An interval counts from the last run. */
function byInterval(
  starts: readonly number[],
  { value, unit }: { value: number; unit: keyof typeof INTERVAL_UNITS },
  { margin_ms }: MonitorConfig,
  now: number,
  most: number,
): Expected {
  const length = value * INTERVAL_UNITS[unit];
  const after = (start: number, times: number) => {
    if (unit !== "month" && unit !== "year") return start + times * length;
    const date = new Date(start);
    return date.setUTCMonth(date.getUTCMonth() + times * value * (unit === "year" ? 12 : 1));
  };
  /** How many times have passed between a start and a time, at least 0. */
  const passed = (start: number, until: number) => {
    let times = Math.max(0, Math.floor((until - start) / length) + 1);
    while (times > 0 && after(start, times) + margin_ms >= until) times--;
    return times;
  };
  const missed: number[] = [];
  for (let n = starts.length - 1; n >= 0 && missed.length < most; n--) {
    const times = passed(starts[n]!, starts[n + 1] ?? now);
    for (let time = times; time > 0 && missed.length < most; time--) {
      missed.push(after(starts[n]!, time));
    }
  }
  const from = missed.length < most ? -Infinity : missed.at(-1)!;
  const newest = starts.at(-1)!;
  const next = after(newest, passed(newest, now) + 1);
  return { missed, from, next, afterNewest: after(newest, 1) };
}

function byCrontab(
  starts: readonly number[],
  reported: readonly number[],
  crontab: string,
  { timezone, margin_ms }: MonitorConfig,
  now: number,
  most: number,
): Expected {
  const earliest = starts[0]! - EARLY_MS;
  const minute = Math.floor(now / MINUTE_MS);
  const schedule = `${timezone} ${crontab}`;
  const key = [minute, earliest, margin_ms, most, schedule].join(" ");
  let times = cache.has(schedule) ? null : cache.get(key);
  if (times === undefined) {
    if (cache.size >= MAX_CACHED) cache.clear();
    times = crontabTimes(crontab, timezone ?? "UTC", earliest, now - margin_ms, now, most);
    // One without times never has any.
    cache.set(times === null ? schedule : key, times);
  }
  if (times === null) return { ...NOTHING, isInvalid: true };
  const unmet: number[] = [];
  let n = 0;
  for (const time of times.past) {
    while (n < starts.length && reported[n]! < time - EARLY_MS) n++;
    if (n < starts.length && starts[n]! <= time + margin_ms) n++;
    else unmet.push(time);
  }
  const missed = unmet.filter((time) => time + margin_ms < now).reverse();
  const sinceNewest = missed.filter((time) => time > starts.at(-1)!);
  return {
    missed,
    from: times.from,
    next: unmet.find((time) => time + margin_ms >= now) ?? times.after(now),
    afterNewest: sinceNewest.length < most
      ? sinceNewest.at(-1) ?? null
      : times.after(starts.at(-1)! + EARLY_MS),
  };
}

type CrontabTimes = ReturnType<typeof crontabTimes>;

/** A time takes 0.05 ms, of a rare one up to 4 ms: lists are read often, and times change once a minute. */
const cache = new Map<string, CrontabTimes>();
const MAX_CACHED = 1_000;

/**
 * Times from `earliest` to `now`, oldest first: the last `most` of those before `late`, which have been missed, and of those
 * since; `from`: the first of these if there are earlier ones. Null: the crontab or the zone cannot be read, or it has no
 * time.
 */
function crontabTimes(
  crontab: string,
  timezone: string,
  earliest: number,
  late: number,
  now: number,
  most: number,
) {
  // Croner also reads seconds and dates.
  if (!/^\S+( \S+){4}$|^@/.test(crontab)) return null;
  try {
    const cron = new Cron(crontab, { timezone, mode: "5-part", paused: true });
    const after = (time: number) => cron.nextRun(new Date(time))?.getTime() ?? null;
    const before = (time: number) => cron.previousRuns(1, new Date(time))[0]?.getTime() ?? 0;
    if (after(now) === null) return null;
    const past: number[] = [];
    const readBack = (from: number, until: number) => {
      // Its smallest unit is a second.
      let time = before(from + SECOND_MS);
      if (time > from) time = before(time);
      for (let count = 0; time >= until && count < most; count++, time = before(time)) {
        past.unshift(time);
      }
      return time >= until;
    };
    readBack(now, Math.max(late, earliest));
    const hasMore = readBack(late - 1, earliest);
    return { past, from: hasMore ? past[0]! : -Infinity, after };
  } catch {
    return null;
  }
}
