import { formatDuration } from "../../components/format.ts";
import { Gridline } from "./TimeAxis.tsx";

/** Something that ran at a time, milliseconds since 1970. */
interface TimedRun {
  readonly at: number;
  readonly ms: number;
  readonly failed: boolean;
}

const WIDTH = 1_000;
const HEIGHT = 100;
/** From a microsecond, in milliseconds, to eleven days. */
const DECADES = 12;

const logOf = (ms: number) => Math.log10(Math.max(0.001, ms));

/** The place of a duration on a logarithmic scale of these runs, percent from above. At least a decade: one is in the middle. */
export function durationScale(runs: readonly TimedRun[]): (ms: number) => number {
  const logs = runs.map(({ ms }) => logOf(ms));
  const [bottom, top] = runs.length === 0
    ? [-0.5, 0.5]
    : [Math.min(...logs) - 0.5, Math.max(...logs) + 0.5];
  return (ms) => HEIGHT * (1 - (logOf(ms) - bottom) / (top - bottom));
}

/**
 * Durations over time: dots, and crosses of what failed, on a logarithmic scale with its lines. A slow one among fast ones
 * hides none of them.
 *
 * @param props.medians lines at a duration between two times
 */
export function RunMarks({ runs, from, to, medians = [] }: {
  runs: readonly TimedRun[];
  from: number;
  to: number;
  medians?: readonly Readonly<{ side: string; ms: number; first: number; last: number }>[];
}) {
  const y = durationScale(runs);
  const x = (at: number) => (at - from) / (to - from) * WIDTH;
  // One line for each decade, of more than three for every other one.
  const decades = Array.from(
    { length: runs.length > 0 ? DECADES : 0 },
    (_, power) => 10 ** (power - 3),
  )
    .filter((ms) => y(ms) > 0 && y(ms) < HEIGHT)
    .filter((_, index, { length }) => length < 4 || index % 2 === 0);
  const dots = runs.filter(({ failed }) => !failed)
    .map(({ at, ms }) => `M${x(at).toFixed(1)} ${y(ms).toFixed(1)}h.01`);
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={dots.join("")} />
        {medians.map(({ side, ms, first, last }) => (
          <path key={side} className={`median ${side}`} d={`M${x(first)} ${y(ms)}H${x(last)}`} />
        ))}
      </svg>
      {runs.map(({ at, ms, failed }, n) =>
        failed && (
          <i
            key={n}
            className="mark refused"
            style={{ left: `${x(at) / WIDTH * 100}%`, top: `${y(ms)}%` }}
          />
        )
      )}
      {decades.map((ms) => <Gridline key={ms} percent={100 - y(ms)} label={formatDuration(ms)} />)}
    </>
  );
}
