import { Cron } from "croner";
import { SECOND_MS } from "../time_units.ts";
import { INTERVAL_UNITS, type MonitorConfig } from "./check_in.ts";
import { type Expected, MAX_ROW_RUNS, type Run } from "./runs.ts";

/** Clocks differ: so much earlier than expected a run may start. */
const EARLY_MS = 30 * SECOND_MS;

const NOTHING: Expected = { missed: [], next: null, afterNewest: null };

/**
 * When runs of a monitor were expected. A run is the one expected at a time if it started within the margin after it;
 * each run is at one time at most. Nothing is expected before the first run.
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
  const starts = runs.map(({ started_at }) => started_at).filter((at) => at <= now);
  if (schedule === null || starts.length === 0) return NOTHING;
  return schedule.type === "interval"
    ? byInterval(starts, schedule, config, now, most)
    : byCrontab(starts, schedule.value, config, now, most);
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
  const newest = starts.at(-1)!;
  return { missed, next: after(newest, passed(newest, now) + 1), afterNewest: after(newest, 1) };
}

function byCrontab(
  starts: readonly number[],
  crontab: string,
  { timezone, margin_ms }: MonitorConfig,
  now: number,
  most: number,
): Expected {
  const asked = { from: starts[0]! - EARLY_MS, late: now - margin_ms, now, most };
  const times = crontabTimes(crontab, timezone ?? "UTC", asked);
  if (times === undefined) return NOTHING;
  const late: number[] = [];
  let n = 0;
  for (const time of times.past.toReversed()) {
    while (n < starts.length && starts[n]! < time - EARLY_MS) n++;
    if (n < starts.length && starts[n]! <= time + margin_ms) n++;
    else late.push(time);
  }
  const missed = late.filter((time) => time + margin_ms < now).reverse();
  const sinceNewest = missed.filter((time) => time > starts.at(-1)!);
  return {
    missed,
    next: late.find((time) => time + margin_ms >= now) ?? times.next,
    afterNewest: sinceNewest.length < most
      ? sinceNewest.at(-1) ?? null
      : times.after(starts.at(-1)! + EARLY_MS),
  };
}

/** Newest times from one to another: `most` of those before `late`, which are missed, and of those after it. */
interface Asked {
  readonly from: number;
  readonly late: number;
  readonly now: number;
  readonly most: number;
}

interface CrontabTimes {
  /** Newest first. */
  readonly past: readonly number[];
  readonly next: number;
  readonly asked: Asked;
  after(time: number): number | null;
}

/** By crontab and time zone; undefined: it cannot be read, or has no time. A time takes 0.05 ms, a rare one up to 4 ms. */
const cache = new Map<string, CrontabTimes | undefined>();
const MAX_CACHED = 1_000;

/** Times are read again when the next one has come. */
function crontabTimes(crontab: string, timezone: string, asked: Asked): CrontabTimes | undefined {
  const key = `${timezone} ${crontab}`;
  const known = cache.get(key);
  const isValid = known === undefined
    ? cache.has(key)
    : known.asked.from <= asked.from && known.asked.late <= asked.late &&
      known.asked.most >= asked.most && known.asked.now <= asked.now && asked.now < known.next;
  const times = isValid ? known : readTimes(crontab, timezone, asked);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, times);
  return times && { ...times, past: times.past.filter((time) => time >= asked.from) };
}

function readTimes(crontab: string, timezone: string, asked: Asked): CrontabTimes | undefined {
  // Croner also reads seconds and dates.
  if (!/^\S+( \S+){4}$|^@/.test(crontab)) return undefined;
  try {
    const cron = new Cron(crontab, { timezone, mode: "5-part", paused: true });
    const after = (time: number) => cron.nextRun(new Date(time))?.getTime() ?? null;
    const next = after(asked.now);
    if (next === null) return undefined;
    const past: number[] = [];
    const readBack = (from: number, until: number) => {
      const before = (time: number) => cron.previousRuns(1, new Date(time))[0]?.getTime() ?? 0;
      // Its smallest unit is a second.
      let time = before(from + SECOND_MS);
      if (time > from) time = before(time);
      for (let count = 0; time >= until && count < asked.most; count++, time = before(time)) {
        past.push(time);
      }
    };
    readBack(asked.now, Math.max(asked.late, asked.from));
    readBack(asked.late - 1, asked.from);
    return { past, next, asked, after };
  } catch {
    // Not a crontab, or not a time zone.
    return undefined;
  }
}
