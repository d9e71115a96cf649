import { formatClock } from "./format/clock.ts";
import { formatDated } from "./format/day.ts";
import { useToday } from "./today.ts";

/** A time of day on the reader's clock, with the date where it is another day's; exact as the title. Browser only. */
export function Time({ at, clock = formatClock }: {
  /** Milliseconds since 1970; no time at all is an en dash. */
  at: number;
  /** Writes the time of day. */
  clock?: (at: number) => string;
}) {
  const today = useToday();
  if (Number.isNaN(new Date(at).getTime())) return "–";
  const iso = new Date(at).toISOString();
  return <time dateTime={iso} title={iso}>{formatDated(at, today, clock)}</time>;
}
