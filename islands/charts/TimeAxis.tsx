import { formatDateAndTime, formatDay, formatTimeOfDay } from "../../components/format_time.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS, timeStep } from "../../monitoring/models/time_units.ts";

interface TimeTick {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly label: string;
}

/**
 * The ticks of a time axis in the browser's time zone: full minutes, hours or days.
 *
 * @param from milliseconds since 1970
 * @param to milliseconds since 1970
 * @param most number of ticks
 */
export function timeTicks(from: number, to: number, most: number): TimeTick[] {
  const least = Math.max(SECOND_MS, (to - from) / most);
  // Labels with seconds are half as wide again.
  const step = timeStep(timeStep(least) < MINUTE_MS ? least * 3 / 2 : least);
  // Local midnights and full hours, also in zones that are not whole hours from UTC.
  const offset = new Date(from).getTimezoneOffset() * MINUTE_MS;
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at < to; at += step) {
    ticks.push({ at, label: labelOf(at, step, to) });
  }
  return ticks;
}

function labelOf(at: number, step: number, now: number): string {
  if (step < MINUTE_MS) return formatTimeOfDay(at);
  const time = formatTimeOfDay(at).slice(0, 5);
  if (step >= DAY_MS) return formatDay(at, now) || "today";
  return time === "00:00" ? formatDay(at, now) || time : time;
}

/** Characters that fit between two ticks, about. */
const CHARACTERS = 9;

/** The labels of a time axis: its ends, the day if it is not today, and the ticks that are not too close to them. */
export function axisLabels(from: number, to: number, most: number): TimeTick[] {
  const formatTime = to - from < most * MINUTE_MS
    ? formatTimeOfDay
    : (at: number) => formatTimeOfDay(at).slice(0, 5);
  const [first, last] = [from, to].map((at) => ({
    at,
    label: formatDateAndTime(at, Date.now(), formatTime),
  })) as [TimeTick, TimeTick];
  const character = (to - from) / (most * CHARACTERS);
  const ticks = timeTicks(from, to, most).filter(({ at, label }) =>
    [first, last].every((end) =>
      Math.abs(at - end.at) > character * (end.label.length + label.length / 2 + 1)
    )
  );
  return [first, ...ticks, last];
}

/** The labels of a time axis. @param props.most number of ticks */
export function TimeAxis({ from, to, most }: { from: number; to: number; most: number }) {
  const percent = (at: number) => (at - from) / (to - from) * 100;
  return (
    <div className="time-axis" aria-hidden="true">
      {axisLabels(from, to, most).map(({ at, label }, index, { length }) => (
        <span
          key={at}
          // Left out where there is room for half of the labels: beside a detail, on phones.
          className={length > 5 && index % 2 === 1 && index < length - 1 ? "extra" : undefined}
          style={{ left: clamped(percent(at), label) }}
        >
          {label}
        </span>
      ))}
    </div>
  );
}

/** A line of a chart's scale, with its value at the right. @param props.percent of the height, from below */
export function Gridline({ percent, label }: { percent: number; label: string }) {
  return <i className="gridline" style={{ bottom: `${percent}%` }} aria-hidden="true">{label}</i>;
}

/** Half the width of a character, in rem. */
const HALF_CHARACTER = 0.23;

/** The place of a label, which would be cut at the edges. */
function clamped(percent: number, label: string): string {
  const half = `${label.length * HALF_CHARACTER}rem`;
  return `clamp(${half}, ${percent}%, 100% - ${half})`;
}
