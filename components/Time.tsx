import { formatClock } from "./format/clock.ts";

/** A time of day on the reader's clock, with date and milliseconds as the title. Browser only. */
export function Time({ at }: { at: number }) {
  const iso = Number.isNaN(new Date(at).getTime()) ? undefined : new Date(at).toISOString();
  return <time dateTime={iso} title={iso}>{formatClock(at)}</time>;
}
