import { useSyncExternalStore } from "react";
import {
  formatDateAndTime,
  formatTimeOfDay,
  formatTimeOfDayMs,
  startOfDay,
} from "./format_time.ts";

/**
 * The local time of day, with the date unless it is today; the tooltip shows the exact time. Browser only.
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
  const formatTime = precision === "ms" ? formatTimeOfDayMs : formatTimeOfDay;
  return <time dateTime={iso} title={iso}>{formatDateAndTime(at, today, formatTime)}</time>;
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
  }, startOfNextDay(now) - now);
}

/** The local midnight after a time, milliseconds since 1970. A day has 23 to 25 hours. */
export function startOfNextDay(at: number): number {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}

function notify(): void {
  for (const listener of listeners) listener();
}
