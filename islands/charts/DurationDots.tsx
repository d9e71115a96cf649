import { formatFineDuration, formatNumber } from "../../components/format.ts";
import { TimeAxis } from "./TimeAxis.tsx";

/** Something that took some time. */
interface Dot {
  /** Its start, milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  readonly failed: boolean;
}

const WIDTH = 1_000;
const HEIGHT = 100;
const MOST_TICKS = 5;

/**
 * Durations over time, a dot for each: few of them need no percentile. The scale is logarithmic: a slow one among fast
 * ones hides none of them.
 *
 * @param props.which they are, if not all: "newest", "ended"
 */
export function DurationDots({ dots, from, to, which }: {
  dots: readonly Dot[];
  from: number;
  to: number;
  which: string;
}) {
  const durations = dots.map(({ ms }) => Math.max(1, ms)).sort((a, b) => a - b);
  const [low = 1, high = 10] = [durations[0], durations.at(-1)];
  const median = medianOf(durations);
  // A decade at least: a single duration is in the middle.
  const [bottom, top] = [Math.log10(low) - 0.5, Math.log10(high) + 0.5];
  const yOf = (ms: number) =>
    HEIGHT * (1 - (Math.log10(Math.max(1, ms)) - bottom) / (top - bottom));
  const xOf = (at: number) => (at - from) / (to - from) * WIDTH;
  const path = (failed: boolean) =>
    dots.filter((dot) => dot.failed === failed)
      .map(({ at, ms }) => `M${xOf(at).toFixed(1)} ${yOf(ms).toFixed(1)}h.01`).join("");
  return (
    <figure className="time-bars dots">
      <figcaption className="facts ends">
        <span className="legend facts quiet">
          <b>{median === undefined ? "–" : formatFineDuration(median)}</b>
          <small>
            median of {which && `the ${which} `}
            {formatNumber(dots.length)}
            {dots.length > 1 && `; ${formatFineDuration(low)} to ${formatFineDuration(high)}`}
          </small>
        </span>
      </figcaption>
      <div className="plot">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={path(false)} />
          <path className="failed" d={path(true)} />
        </svg>
      </div>
      <TimeAxis from={from} to={to} most={MOST_TICKS} />
    </figure>
  );
}

/** @param sorted in ascending order */
function medianOf(sorted: readonly number[]): number | undefined {
  const middle = sorted.length / 2;
  const [a, b] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return a === undefined || b === undefined ? undefined : (a + b) / 2;
}
