import type { ComponentProps } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import type { Durations } from "../../monitoring/models/histogram.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import { Gridline } from "./TimeAxis.tsx";
import { hoveredPart, TimePlot } from "./TimePlot.tsx";

const WIDTH = 1_000;
const HEIGHT = 100;
/** From a microsecond, in milliseconds, to eleven days. */
const DECADES = 12;

/** Definition of the figures. */
const TIP =
  "Of each trace that has ended: the duration of its page load, navigation or request; with an" +
  ` application, of its own. Median by nearest rank, of at least ${MIN_SAMPLES} traces.` +
  " Dots: the shortest, the middle and the longest of each bar of Traces, and the median's;" +
  " red: the trace, of a chosen application its part, has an error or a failed root span.";

/**
 * The durations of all traces of a histogram, over its time. The scale is logarithmic: a slow one among fast ones hides
 * none of them.
 */
export function DurationDots(plot: Omit<ComponentProps<typeof TimePlot>, "children">) {
  const { from, to, step, durations } = plot.histogram;
  if (durations === undefined) return null;
  const { count, median, dots } = durations;
  const sorted = sortedMs(dots);
  const [low = 1, high = 1] = [sorted[0], sorted.at(-1)];
  // A decade at least: a single duration is in the middle.
  const logOf = (ms: number) => Math.log10(Math.max(0.001, ms));
  const [bottom, top] = [logOf(low) - 0.5, logOf(high) + 0.5];
  const yOf = (ms: number) => HEIGHT * (1 - (logOf(ms) - bottom) / (top - bottom));
  // One line for each decade, of more than three for every other one.
  const decades = Array.from(
    { length: dots.length > 0 ? DECADES : 0 },
    (_, power) => 10 ** (power - 3),
  )
    .filter((ms) => yOf(ms) > 0 && yOf(ms) < HEIGHT)
    .filter((_, index, { length }) => length < 4 || index % 2 === 0);
  const xOf = (at: number) => (at - from) / (to - from) * WIDTH;
  const path = (failed: boolean) =>
    dots.filter((dot) => dot.failed === failed)
      .map(({ at, ms }) => `M${xOf(at).toFixed(1)} ${yOf(ms).toFixed(1)}h.01`).join("");
  const part = hoveredPart(plot.histogram, plot.hover);
  const hovered = sortedMs(dots.filter(({ at }) => Math.floor((at - from) / step) === part));
  return (
    <figure className="time-bars dots">
      <figcaption className="facts ends">
        <span className="legend facts quiet" title={TIP}>
          {median !== null && <b>{formatDuration(median)}</b>}
          <small>
            {median !== null && "median of "}
            {formatCount(count, "trace")}
            {count > 0 && `; ${rangeText(sorted)}`}
          </small>
        </span>
        <output className="small quiet" aria-hidden="true">
          {part !== undefined && (hovered.length > 0 ? rangeText(hovered) : "none ended")}
        </output>
      </figcaption>
      <TimePlot {...plot}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={path(false)} />
          <path className="failed" d={path(true)} />
        </svg>
        {decades.map((ms) => (
          <Gridline key={ms} percent={100 - yOf(ms)} label={formatDuration(ms)} />
        ))}
      </TimePlot>
    </figure>
  );
}

const sortedMs = (dots: Durations["dots"]) => dots.map(({ ms }) => ms).sort((a, b) => a - b);

/** "31 ms", "31 ms to 1.16 s" */
function rangeText(sorted: readonly number[]): string {
  const [low, high] = [formatDuration(sorted[0]!), formatDuration(sorted.at(-1)!)];
  return low === high ? low : `${low} to ${high}`;
}
