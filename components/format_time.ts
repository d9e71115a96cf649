/*
 * Times in the user's time zone. Call these in the browser only: text that the build renders in another time
 * zone would not match at hydration.
 */

/** Keeps day and month on one line. */
const NBSP = "\u00a0";

/**
 * The time of day to the second: `14:03:22`.
 *
 * @param at milliseconds since 1970; returns an en dash for an invalid time
 */
export function formatTimeOfDay(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "–";
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** {@linkcode formatTimeOfDay} to the millisecond: `14:03:22.084`. */
export function formatTimeOfDayMs(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "–";
  return `${formatTimeOfDay(at)}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}

/**
 * The date of a time, in English: `20 Nov`, or `20 Nov 2025` in another year. Empty on the day of `now` and for an
 * invalid time.
 *
 * @param at milliseconds since 1970
 * @param now milliseconds since 1970
 */
export function formatDay(at: number, now: number): string {
  const then = new Date(at);
  if (Number.isNaN(then.getTime()) || startOfDay(at) === startOfDay(now)) return "";
  const isThisYear = then.getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? undefined : "numeric";
  return then.toLocaleDateString("en-GB", { day: "numeric", month: "short", year })
    // Only the first space: in a narrow column the year may wrap.
    .replace(" ", NBSP);
}

/**
 * The time of day, with the date unless it is the day of `now`: `20 Nov 14:03:07`.
 *
 * @param at milliseconds since 1970
 * @param now milliseconds since 1970
 * @param formatTime formats the time of day
 */
export function formatDateAndTime(
  at: number,
  now: number,
  formatTime: (at: number) => string,
): string {
  const day = formatDay(at, now);
  return day === "" ? formatTime(at) : `${day} ${formatTime(at)}`;
}

/** The local midnight before a time, milliseconds since 1970. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
