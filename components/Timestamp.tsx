import { type RefObject, useCallback, useRef, useSyncExternalStore } from "react";
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
 */
export function Timestamp({ at, precision = "s" }: {
  at: number | null;
  precision?: "s" | "ms";
}) {
  const formatTime = precision === "ms" ? formatTimeOfDayMs : formatTimeOfDay;
  return <Time at={at} format={(at, now) => formatDateAndTime(at, now, formatTime)} />;
}

/** How long ago a time was, for lists; the exact time on hover, and while its row has the focus. Browser only. */
export function TimeAgo({ at }: { at: number | null }) {
  return <Time at={at} format={formatTimeAgo} className="ago" />;
}

function Time({ at, format, className }: {
  at: number | null;
  format: (at: number, now: number) => string;
  className?: string;
}) {
  const element = useRef<HTMLTimeElement>(null);
  const textNow = () => at === null ? "" : format(at, Date.now());
  const latest = useRef(textNow);
  latest.current = textNow;
  const subscribe = useCallback((update: () => void) => {
    const isOutdated = () => element.current?.textContent !== latest.current();
    return subscribeToClock({ element, isOutdated, update });
  }, []);
  const text = useSyncExternalStore(subscribe, textNow, textNow);
  if (at === null || Number.isNaN(new Date(at).getTime())) return "–";
  return (
    <time
      ref={element}
      dateTime={new Date(at).toISOString()}
      title={formatExactTime(at, Date.now())}
      className={className}
    >
      {text}
    </time>
  );
}

/** Texts of the last minute change each second. */
const TICK_MS = 1_000;

interface ShownTime {
  readonly element: RefObject<HTMLTimeElement | null>;
  /** Whether its text would be another one now. */
  isOutdated(): boolean;
  /** Renders it again. */
  update(): void;
}

const shownTimes = new Set<ShownTime>();
/** One timer for all times on the page; none while the page is hidden. */
let timer: ReturnType<typeof setInterval> | undefined;

function subscribeToClock(time: ShownTime): () => void {
  shownTimes.add(time);
  if (shownTimes.size === 1) {
    startOrStop();
    document.addEventListener("visibilitychange", startOrStop);
  }
  return () => {
    shownTimes.delete(time);
    if (shownTimes.size > 0) return;
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

/** Renders outdated times that are in sight: rendering the times of 2,000 rows each second would be slow. */
function tick(): void {
  // First those that have changed, which are few: reading a position causes a layout.
  const inSight = [...shownTimes].filter(({ isOutdated }) => isOutdated()).filter(({ element }) => {
    const box = element.current?.getBoundingClientRect();
    // The times of other views have no height.
    return box !== undefined && box.height > 0 && box.bottom > 0 && box.top < innerHeight;
  });
  for (const { update } of inSight) update();
}
