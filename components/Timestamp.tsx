import { useSyncExternalStore } from "react";
import { formatClock, formatClockMs, formatDated, nextDay, startOfDay } from "./format_time.ts";

/**
 * The local time of day, with the date unless it is today; the title has the exact time. Browser only.
 *
 * @param props.at milliseconds since 1970; null or an invalid time is shown as an en dash
 * @param props.precision default `s`
 */
export function Timestamp({ at, precision = "s" }: {
  at: number | null;
  precision?: "s" | "ms";
}) {
  const today = useToday();
  if (at === null || Number.isNaN(new Date(at).getTime())) return "–";
  const iso = new Date(at).toISOString();
  const clock = precision === "ms" ? formatClockMs : formatClock;
  return <time dateTime={iso} title={iso}>{formatDated(at, today, clock)}</time>;
}

/** The start of the current day, milliseconds since 1970. Renders the component again at midnight. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, today, today);
}

const today = () => startOfDay(Date.now());
const listeners = new Set<() => void>();
/** One timer for all components. */
let timer: ReturnType<typeof setTimeout> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    waitForMidnight();
    // Timers do not run while a machine sleeps.
    document.addEventListener("visibilitychange", notify);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", notify);
  };
}

function waitForMidnight(): void {
  const now = Date.now();
  timer = setTimeout(() => {
    notify();
    waitForMidnight();
  }, nextDay(now) - now);
}

function notify(): void {
  for (const listener of listeners) listener();
}
