import { formatClock } from "./clock.ts";

/** The reader's time of day with milliseconds: `14:03:22.041`. Browser only, like {@linkcode formatClock}. */
export function formatFineClock(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "–";
  return `${formatClock(at)}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}
