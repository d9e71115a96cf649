import { NBSP } from "../monitoring/models/duration.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../monitoring/models/time_units.ts";

/*
 * Times in the user's time zone. Call these in the browser only: text that the build renders in another time
 * zone would not match at hydration. `at` and `now` are milliseconds since 1970; of an invalid time, the text is an
 * en dash.
 */

/** The time of day to the second: `14:03:22`. */
export function formatTimeOfDay(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "–";
  return time.toTimeString().slice(0, 8);
}

/** {@linkcode formatTimeOfDay} to the millisecond: `14:03:22.084`. */
export function formatTimeOfDayMs(at: number): string {
  const time = formatTimeOfDay(at);
  return time === "–" ? time : `${time}.${String(new Date(at).getMilliseconds()).padStart(3, "0")}`;
}

/**
 * The date of a time, in English: `20 Nov`, or `20 Nov 2025` in another year. Empty on the day of `now` and for an
 * invalid time.
 */
export function formatDay(at: number, now: number): string {
  const isToday = startOfDay(at) === startOfDay(now);
  return isToday || Number.isNaN(new Date(at).getTime()) ? "" : formatDate(at, now);
}

function formatDate(at: number, now: number): string {
  const then = new Date(at);
  const isThisYear = then.getFullYear() === new Date(now).getFullYear();
  const day = `${then.getDate()}${NBSP}${MONTHS[then.getMonth()]}`;
  // In a narrow column the year may wrap.
  return isThisYear ? day : `${day} ${then.getFullYear()}`;
}

/** `toLocaleDateString` takes ten times as long, and a list has a thousand times. */
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The time of day, with the date unless it is the day of `now`: `20 Nov 14:03:07`. */
export function formatDateAndTime(
  at: number,
  now: number,
  formatTime: (at: number) => string,
): string {
  const day = formatDay(at, now);
  return day === "" ? formatTime(at) : `${day} ${formatTime(at)}`;
}

/** A time with date and milliseconds: `20 Nov 14:03:07.120`, in another year than that of `now` with the year. */
export function formatExactTime(at: number, now: number): string {
  return `${formatDate(at, now)} ${formatTimeOfDayMs(at)}`;
}

/** Longer ago, a date is easier to read. */
const MAX_AGO_MS = 7 * DAY_MS;
const UNITS = [[SECOND_MS, "s"], [MINUTE_MS, "min"], [HOUR_MS, "h"], [DAY_MS, "d"]] as const;

/**
 * How long ago a time was, in its largest unit: `12 s ago`, `5 min ago`, `23 h ago`, `6 d ago`, from a week on its
 * date. A sender's clock may be ahead: `in 5 min`.
 */
export function formatTimeAgo(at: number, now: number): string {
  if (Number.isNaN(new Date(at).getTime())) return "–";
  const age = Math.abs(now - at);
  if (age >= MAX_AGO_MS) return formatDate(at, now);
  const [unitMs, unit] = UNITS.findLast(([ms]) => age >= ms) ?? UNITS[0];
  const units = `${Math.floor(age / unitMs)}${NBSP}${unit}`;
  return at >= now + SECOND_MS ? `in${NBSP}${units}` : `${units}${NBSP}ago`;
}

/** The local midnight before a time, milliseconds since 1970. */
function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** A time within a recording: `0:07`, `12:30`, `1:02:03`; before its start with a minus. */
export function formatClock(ms: number): string {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  if (seconds >= 3600) parts.unshift(Math.floor(seconds / 3600));
  const text = parts.map((part, index) => index === 0 ? part : String(part).padStart(2, "0"))
    .join(":");
  return ms <= -1000 ? `−${text}` : text;
}
