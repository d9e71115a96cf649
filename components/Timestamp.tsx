import { useSyncExternalStore } from "react";
import {
  formatDateAndTime,
  formatExactTime,
  formatTimeAgo,
  formatTimeOfDay,
  formatTimeOfDayMs,
} from "./format_time.ts";

/**
 * The local time of day, with the date unless it is today; the tooltip shows the exact time. Browser only.
 *
 * @param props.at milliseconds since 1970; null or an invalid time is shown as an en dash
 * @param props.precision default `s`
 * @param props.isAsSent the tooltip states that it is not by the clock of the trace
 */
export function Timestamp({ at, precision = "s", isAsSent = false }: {
  at: number | null;
  precision?: "s" | "ms";
  isAsSent?: boolean;
}) {
  const formatTime = precision === "ms" ? formatTimeOfDayMs : formatTimeOfDay;
  return (
    <Time
      at={at}
      format={(at, now) => formatDateAndTime(at, now, formatTime)}
      whose={isAsSent ? ", by its sender’s clock, if it sent a valid time" : ""}
    />
  );
}

/** How long ago a time was, for lists; the exact time on hover, and while its row has the focus. Browser only. */
export function TimeAgo({ at }: { at: number | null }) {
  return <Time at={at} format={formatTimeAgo} className="ago" />;
}

function Time({ at, format, whose = "", className }: {
  at: number | null;
  format: (at: number, now: number) => string;
  whose?: string;
  className?: string;
}) {
  // Rendered again when the text is another one.
  const text = useSyncExternalStore(
    subscribeToClock,
    () => at === null ? "" : format(at, Date.now()),
  );
  if (at === null || Number.isNaN(new Date(at).getTime())) return "–";
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={formatExactTime(at, Date.now()) + whose}
      className={className}
    >
      {text}
    </time>
  );
}

/** Texts of the last minute change each second. */
const TICK_MS = 1_000;

const listeners = new Set<() => void>();
/** One timer for all times on the page; none while the page is hidden. */
let timer: ReturnType<typeof setInterval> | undefined;

function subscribeToClock(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    startOrStop();
    document.addEventListener("visibilitychange", startOrStop);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", startOrStop);
  };
}

function startOrStop(): void {
  clearInterval(timer);
  if (document.hidden) return;
  tick();
  timer = setInterval(tick, TICK_MS);
}

function tick(): void {
  for (const update of listeners) update();
}
