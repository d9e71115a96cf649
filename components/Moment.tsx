import { formatClockMs } from "./format/clock.ts";

/** Milliseconds; what is further from now than half a day needs its date. */
const DATED_MS = 12 * 3_600_000;

/**
 * A time of day to the millisecond on the reader's clock, with the date where it is another day's.
 * Browser only.
 *
 * @param props.at milliseconds since 1970; null or no time at all: an en dash
 */
export function Moment({ at }: { at: number | null }) {
  if (at === null || Number.isNaN(new Date(at).getTime())) return "–";
  const iso = new Date(at).toISOString();
  const day = Math.abs(Date.now() - at) > DATED_MS ? `${iso.slice(0, iso.indexOf("T"))} ` : "";
  return <time dateTime={iso} title={iso}>{`${day}${formatClockMs(at)}`}</time>;
}
