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
/** Characters below the narrowest chart, of a phone. */
const NARROW_CHARACTERS = 36;

/** The labels of a time axis: its ends, the day if it is not today, and the ticks that are not too close to them. */
export function axisLabels(from: number, to: number, most: number): TimeTick[] {
  const formatTime = to - from < most * MINUTE_MS
    ? formatTimeOfDay
    : (at: number) => formatTimeOfDay(at).slice(0, 5);
  const [first, last] = [from, to].map((at) => ({
    at,
    label: formatDateAndTime(at, Date.now(), formatTime),
  })) as [TimeTick, TimeTick];
  return fitting([first, ...timeTicks(from, to, most), last], most * CHARACTERS);
}

/** Those of an axis's labels that do not touch. Its ends, which are moved inwards, always. */
export function fitting(labels: readonly TimeTick[], characters: number): TimeTick[] {
  const [first, last] = [labels[0]!, labels.at(-1)!];
  const character = (last.at - first.at) / characters;
  let before = first;
  return labels.filter((label) => {
    const isFree = [before, last].every((other) => {
      const isEnd = other === first || other === last;
      const width = other.label.length / (isEnd ? 1 : 2) + label.label.length / 2 + 1;
      return Math.abs(label.at - other.at) > character * width;
    });
    if (!isFree && label !== first && label !== last) return false;
    before = label;
    return true;
  });
}

/** The labels of a time axis. @param props.most number of ticks */
export function TimeAxis({ from, to, most }: { from: number; to: number; most: number }) {
  const percent = (at: number) => (at - from) / (to - from) * 100;
  const labels = axisLabels(from, to, most);
  const narrow = new Set(fitting(labels, NARROW_CHARACTERS));
  return (
    <div className="time-axis" aria-hidden="true">
      {labels.map((tick) => (
        <span
          key={tick.at}
          // Left out where there is little room: beside a detail, on phones.
          className={narrow.has(tick) ? undefined : "extra"}
          style={{ left: clamped(percent(tick.at), tick.label) }}
        >
          {tick.label}
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
