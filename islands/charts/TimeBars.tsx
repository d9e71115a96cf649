import { type ComponentProps, useState } from "react";
import { formatCount, formatNumber } from "../../components/format.ts";
import {
  formatDateAndTime,
  formatTimeOfDay,
  formatTimeOfDayMs,
} from "../../components/format_time.ts";
import { Marked } from "../../components/OutcomeMark.tsx";
import type { Histogram, HistogramPart } from "../../monitoring/models/histogram.ts";
import { Gridline } from "./TimeAxis.tsx";
import { type Hover, hoveredPart, TimePlot } from "./TimePlot.tsx";
import { Definition } from "../kit/Definition.tsx";

export interface BarWords {
  /** Singular: "trace". */
  readonly what: string;
  readonly failed: string;
  /** Undefined: there are no warnings. */
  readonly warned?: string;
}

/** Height of the drawing in units of its own; it is stretched to its frame. */
const HEIGHT = 100;
const OUTSIDE =
  "In the list, not in the chart. Earlier: began before the chosen time, else over 30 days before the" +
  " last one, or at most a tenth of all, which would take over 95\u00a0% of the time." +
  " Later: by the sender's clock";

/** A bar of one among thousands can still be seen. */
const MIN_BAR = 3;

/**
 * Bars over time: failures at the base line, warnings above them, then the rest.
 *
 * @param props.hover shared with other charts; default: its own
 * @param props.earlierHref list of the rows before a time; undefined: it has others, too
 */
export function TimeBars({ histogram, words, hover, earlierHref, ...plot }: {
  histogram: Histogram;
  words: BarWords;
  hover?: Hover;
  earlierHref?: ((until: string) => string) | undefined;
} & Omit<ComponentProps<typeof TimePlot>, "hover" | "children">) {
  const { parts } = histogram;
  const top = topOf(Math.max(...parts.map(({ count }) => count)));
  const own = useState<number>();
  const shared = hover ?? own;
  const hovered = hoveredPart(histogram, shared);
  return (
    <figure className="time-bars">
      <figcaption className="facts ends">
        <BarLegend
          histogram={histogram}
          words={words}
          earlierHref={earlierHref?.(String(histogram.from))}
        />
        <output className="small quiet" aria-hidden="true">
          {hovered !== undefined && describePart(histogram, hovered, words)}
        </output>
      </figcaption>
      <TimePlot histogram={histogram} hover={shared} {...plot}>
        <svg
          viewBox={`0 0 ${parts.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path className="rest" d={bars(parts, top, 0)} />
          <path className="waits" d={bars(parts, top, 1)} />
          <path className="refused" d={bars(parts, top, 2)} />
        </svg>
        <Gridline percent={100} label={formatNumber(top)} />
        <Gridline percent={50} label={formatNumber(top / 2)} />
      </TimePlot>
    </figure>
  );
}

const FACTORS: Readonly<Record<string, number>> = { 2: 1.5, 3: 4 / 3, 4: 1.5, 6: 5 / 3 };
/** The end of the scale: 2, 4, 6, 10, 20, 30, 40, 60, 100 …, half of which is a number of rows, too. */
function topOf(most: number): number {
  let top = 2;
  while (top < most) top = Math.round(top * (top > 2 && FACTORS[String(top)[0]!] || 2));
  return top;
}

/** Path of the bars that contain at least what is as bad: the worse ones are drawn over them. */
function bars(parts: readonly HistogramPart[], top: number, kind: 0 | 1 | 2): string {
  return parts.map(({ count, warnings, failures }, part) => {
    const value = kind === 0
      ? count
      : kind === 1
      ? (warnings > 0 ? warnings + failures : 0)
      : failures;
    if (value === 0) return "";
    const height = Math.max(MIN_BAR, value / top * HEIGHT);
    return `M${part + 0.1} ${HEIGHT}v${-height}h.8v${height}z`;
  }).join("");
}

function BarLegend({ histogram: { parts, earlier, later }, words, earlierHref }: {
  histogram: Histogram;
  words: BarWords;
  earlierHref: string | undefined;
}) {
  const sum = (name: keyof HistogramPart) => parts.reduce((sum, part) => sum + part[name], 0);
  const [count, warnings, failures] = [sum("count"), sum("warnings"), sum("failures")];
  return (
    <span className="legend facts quiet">
      <b>{formatCount(count, words.what)}</b>
      {earlier + later > 0 && (
        <small>
          <Definition text={OUTSIDE}>
            {[
              ...earlier > 0 ? [`${formatNumber(earlier)} earlier`] : [],
              ...later > 0 ? [`${formatNumber(later)} later`] : [],
            ].join(", ")}
          </Definition>
          {earlier > 0 && earlierHref && (
            <>
              {" "}
              <a href={earlierHref} aria-label="Show earlier">Show</a>
            </>
          )}
        </small>
      )}
      {words.warned && warnings > 0 && (
        <Marked kind="waits">{formatNumber(warnings)} {words.warned}</Marked>
      )}
      {failures > 0 && <Marked kind="refused">{formatNumber(failures)} {words.failed}</Marked>}
    </span>
  );
}

/** "23:05:10 to 23:05:20: 13 traces, 2 failed". */
function describePart(
  { from, step, parts }: Histogram,
  part: number,
  { what, warned, failed }: BarWords,
): string {
  const { count, warnings, failures } = parts[part]!;
  const now = Date.now();
  const at = from + part * step;
  const format = step < 1000 ? formatTimeOfDayMs : formatTimeOfDay;
  return `${formatDateAndTime(at, now, format)} to ${format(at + step)}: ` +
    [
      formatCount(count, what),
      ...warned && warnings > 0 ? [`${warnings} ${warned}`] : [],
      ...failures > 0 ? [`${failures} ${failed}`] : [],
    ].join(", ");
}
