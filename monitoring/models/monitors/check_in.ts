import { at, hexId, integerAt, plausibleTime, tidyText } from "../json.ts";
import { idWords, wordsOf } from "../query/words.ts";
import { DEFAULTS } from "./monitor_row.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../time_units.ts";

/** When the runs of a monitor are expected, and how long one may take. */
export interface MonitorConfig {
  /** Null: no schedule was sent, or one that has no meaning. */
  readonly schedule:
    | { readonly type: "crontab"; readonly value: string }
    | { readonly type: "interval"; readonly value: number; readonly unit: IntervalUnit }
    | null;
  /** As sent: the name of a time zone. */
  readonly timezone: string | null;
  /** How late a run may start. */
  readonly margin_ms: number;
  readonly max_runtime_ms: number;
}

/** Milliseconds; of months and years about. */
export const INTERVAL_UNITS = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
} as const;

export type IntervalUnit = keyof typeof INTERVAL_UNITS;

export const CHECK_IN_STATUSES = ["in_progress", "ok", "error"] as const;

/** The index entry of one check-in: the start of a run of a job, its end, or both in one (a heart beat). */
export interface CheckInEntry {
  readonly slug: string;
  /** What start and end of a run have in common; null: not sent. */
  readonly check_in_id: string | null;
  readonly status: typeof CHECK_IN_STATUSES[number];
  /** When it was sent, by the sender's clock, milliseconds since 1970. */
  readonly at: number;
  /** Of the run, milliseconds; null: not sent. */
  readonly duration: number | null;
  readonly trace_id: string | null;
  /** JSON of {@linkcode MonitorConfig}; null: SDKs send it with the start only. */
  readonly config: string | null;
}

/** Characters. Sentry allows 50. */
const MAX_SLUG = 100;
const MAX_CRONTAB = 100;
const MAX_ZONE = 50;
const MAX_VALUE = 100_000;
/** A job that runs longer is one that never ends. */
const MAX_DURATION_MS = 10 * 365 * DAY_MS;

export const NO_CONFIG: MonitorConfig = { schedule: null, timezone: null, ...DEFAULTS };

/**
 * Reads a `check_in` item. https://develop.sentry.dev/sdk/telemetry/check-ins/
 *
 * @param payload untrusted
 * @param header of the envelope: SDKs for JavaScript write the time there only
 * @param receivedAt replaces a missing or implausible time
 * @returns undefined: it names no monitor, or has another status
 */
export function checkInEntry(
  payload: unknown,
  header: unknown,
  receivedAt: number,
): CheckInEntry | undefined {
  const slug = tidyText(at(payload, "monitor_slug"), MAX_SLUG)?.replace(/\s+/g, " ").trim();
  const status = CHECK_IN_STATUSES.find((status) => status === at(payload, "status"));
  if (!slug || status === undefined) return undefined;
  const config = at(payload, "monitor_config");
  const seconds = at(payload, "duration");
  const duration = typeof seconds === "number" ? seconds * SECOND_MS : -1;
  return {
    slug,
    check_in_id: hexId(at(payload, "check_in_id")),
    status,
    at: plausibleTime(at(payload, "timestamp"), receivedAt) ??
      plausibleTime(at(header, "sent_at"), receivedAt) ?? receivedAt,
    duration: duration >= 0 && duration <= MAX_DURATION_MS ? duration : null,
    trace_id: hexId(at(payload, "contexts", "trace", "trace_id")),
    config: typeof config === "object" && config !== null
      ? JSON.stringify(monitorConfig(config))
      : null,
  };
}

function monitorConfig(config: object): MonitorConfig {
  const minutes = (name: string) => {
    const value = integerAt(config, 1, name);
    return value === null ? undefined : Math.min(value, MAX_VALUE) * MINUTE_MS;
  };
  return {
    schedule: scheduleOf(at(config, "schedule")),
    timezone: tidyText(at(config, "timezone"), MAX_ZONE) ?? null,
    margin_ms: minutes("checkin_margin") ?? DEFAULTS.margin_ms,
    max_runtime_ms: minutes("max_runtime") ?? DEFAULTS.max_runtime_ms,
  };
}

function scheduleOf(schedule: unknown): MonitorConfig["schedule"] {
  const value = at(schedule, "value");
  if (at(schedule, "type") === "crontab") {
    const text = tidyText(value, MAX_CRONTAB)?.replace(/\s+/g, " ").trim();
    return text ? { type: "crontab", value: text } : null;
  }
  const count = integerAt(value, 1);
  const unit = at(schedule, "unit");
  const isInterval = at(schedule, "type") === "interval" && count !== null && count <= MAX_VALUE &&
    typeof unit === "string" && Object.hasOwn(INTERVAL_UNITS, unit);
  return isInterval ? { type: "interval", value: count, unit: unit as IntervalUnit } : null;
}

/** The words by which a check-in is found. */
export const checkInWords = ({ slug, status, check_in_id, trace_id }: CheckInEntry): string =>
  wordsOf(`${slug}\n${status}`) + idWords(check_in_id, trace_id);

/** "every 15 min", "daily at 02:00, Europe/Stockholm"; of other crontabs their text. */
export function scheduleWords({ schedule, timezone }: MonitorConfig): string | null {
  if (schedule === null) return null;
  if (schedule.type === "interval") return every(schedule.value, schedule.unit);
  const [, step = 0] = /^\*(?:\/(\d+))?(?: \*){4}$/.exec(schedule.value.replace(/^\* /, "*/1 ")) ??
    [];
  // Others begin again with each hour.
  if (60 % Number(step) === 0) return every(Number(step), "minute");
  const [, minute = "", hour] = /^([0-5]?\d) ([01]?\d|2[0-3]) \* \* \*$/.exec(schedule.value) ?? [];
  const words = hour && `daily at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  return `${words ?? schedule.value}, ${timezone ?? "UTC"}`;
}

const every = (count: number, unit: IntervalUnit): string =>
  count === 1 ? `every ${unit}` : `every ${count} ${unit === "minute" ? "min" : `${unit}s`}`;
