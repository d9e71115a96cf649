/*
 * Times in the reader's time zone. Call these in the browser only: text that the build renders in another time
 * zone would not match at hydration.
 */

/** Keeps day and month on one line. */
const NBSP = "\u00a0";

/**
 * The time of day to the second: `14:03:22`.
 *
 * @param at milliseconds since 1970; an invalid time gives an en dash
 */
export function formatClock(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "–";
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** {@linkcode formatClock} to the millisecond: `14:03:22.084`. */
export function formatClockMs(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "–";
  return `${formatClock(at)}.${String(time.getMilliseconds()).padStart(3, "0")}`;
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

/** A time of day, with its date if that is not the day of `now`: `20 Nov 14:03:07`. */
export function formatDated(at: number, now: number, clock: (at: number) => string): string {
  const day = formatDay(at, now);
  return day === "" ? clock(at) : `${day} ${clock(at)}`;
}

/** The local midnight before a time, milliseconds since 1970. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** The local midnight after a time. A day has 23 to 25 hours. */
export function nextDay(at: number): number {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}
