import type { ComponentProps } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import type { Durations } from "../../monitoring/models/histogram.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import { Definition } from "../kit/Definition.tsx";
import { RunMarks } from "./RunMarks.tsx";
import { hoveredPart, TimePlot } from "./TimePlot.tsx";

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
  const part = hoveredPart(plot.histogram, plot.hover);
  const hovered = sortedMs(dots.filter(({ at }) => Math.floor((at - from) / step) === part));
  return (
    <figure className="time-bars dots">
      <figcaption className="facts ends">
        <span className="legend facts quiet">
          {median !== null && <b>{formatDuration(median)}</b>}
          <small>
            <Definition text={TIP}>
              {median !== null && "median of "}
              {formatCount(count, "trace")}
            </Definition>
            {count > 0 && `; ${rangeText(sorted)}`}
          </small>
        </span>
        <output className="small quiet" aria-hidden="true">
          {part !== undefined && (hovered.length > 0 ? rangeText(hovered) : "none ended")}
        </output>
      </figcaption>
      <TimePlot {...plot}>
        <RunMarks runs={dots} from={from} to={to} />
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
