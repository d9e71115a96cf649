/**
 * The time of day where the reader is, to the second: `14:03:22`.
 *
 * It depends on the reader's time zone: render it in the browser only, or hydration finds other text
 * than the build left.
 *
 * @param at milliseconds since the epoch; an invalid time gives an en dash
 */
export function formatClock(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "–";
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** The same to the millisecond: `14:03:22.084`. */
export function formatClockMs(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "–";
  return `${formatClock(at)}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}
