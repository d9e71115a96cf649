const NBSP = "\u00a0";

/**
 * The day of a moment where the reader is, to stand before its time of day: `20 Nov`, of another year `20 Nov 2025`; empty
 * where it is the same day as `now`, and where it is no time. English, like the page.
 *
 * @param at milliseconds since 1970
 * @param now the same
 */
export function formatDay(at: number, now: number): string {
  const then = new Date(at);
  if (Number.isNaN(then.getTime()) || startOfDay(at) === startOfDay(now)) return "";
  const isThisYear = then.getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? undefined : "numeric";
  return then.toLocaleDateString("en-GB", { day: "numeric", month: "short", year })
    // In a narrow column the year may stand in a line of its own.
    .replace(" ", NBSP);
}

/** A time of day as `clock` writes it, after its date where that is not the day of `now`: `20 Nov 14:03:07`. */
export function formatDated(at: number, now: number, clock: (at: number) => string): string {
  const day = formatDay(at, now);
  return day === "" ? clock(at) : `${day} ${clock(at)}`;
}

/** When the day of a moment began where the reader is, milliseconds since 1970. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** When the next day begins there; a day has 23 to 25 hours. */
export function nextDay(at: number): number {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}
