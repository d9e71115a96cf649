import { type PointerEvent, useRef, useState } from "react";
import { formatCount, formatNumber } from "../../components/format.ts";
import { formatDateAndTime, formatTimeOfDay } from "../../components/format_time.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { Histogram, HistogramPart } from "../../monitoring/models/histogram.ts";
import { ReleaseMarks } from "./ReleaseMarks.tsx";
import { Gridline, TimeAxis } from "./TimeAxis.tsx";

/** Names of what the bars count. */
export interface BarWords {
  /** Singular: "trace". */
  readonly what: string;
  readonly failed: string;
  /** Undefined: there are no warnings. */
  readonly warned?: string;
}

/** Height of the drawing in units of its own; it is stretched to its frame. */
const HEIGHT = 100;
/** A bar of one among thousands can still be seen. */
const MIN_BAR = 3;

/**
 * Bars over time: failures at the base line, warnings above them, then the rest. A click on a bar, or dragging over several,
 * chooses their time; the time filter of the list does the same for the keyboard.
 *
 * @param props.application see {@linkcode ReleaseMarks}
 * @param props.mostTicks of the time axis
 * @param props.onChoose gets the chosen time, milliseconds since 1970
 */
export function TimeBars({ histogram, words, application, mostTicks = 7, onChoose }: {
  histogram: Histogram;
  words: BarWords;
  application?: string | undefined;
  mostTicks?: number;
  onChoose: (from: number, to: number) => void;
}) {
  const { from, to, step, parts } = histogram;
  const top = topOf(Math.max(...parts.map(({ count }) => count)));
  const plot = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number>();
  const [start, setStart] = useState<number>();

  /** The part below the pointer. */
  const partAt = ({ clientX }: PointerEvent) => {
    const { left, width } = plot.current!.getBoundingClientRect();
    const part = Math.floor((clientX - left) / width * parts.length);
    return Math.max(0, Math.min(parts.length - 1, part));
  };
  const choose = (event: PointerEvent) => {
    const end = partAt(event);
    // A click on nothing chooses nothing.
    if (start !== undefined && (start !== end || parts[start]!.count > 0)) {
      const [first, last] = [Math.min(start, end), Math.max(start, end)];
      onChoose(from + first * step, from + (last + 1) * step);
    }
    setStart(undefined);
  };
  const band = start !== undefined && hovered !== undefined
    ? { first: Math.min(start, hovered), last: Math.max(start, hovered) }
    : hovered !== undefined
    ? { first: hovered, last: hovered }
    : undefined;
  const percent = (part: number) => `${part / parts.length * 100}%`;
  return (
    <figure className="time-bars">
      <figcaption className="facts ends">
        <BarLegend histogram={histogram} words={words} />
        <output className="small quiet" aria-hidden="true">
          {hovered !== undefined && describePart(histogram, hovered, words)}
        </output>
      </figcaption>
      <div
        className="plot choosing"
        ref={plot}
        onPointerMove={(event) => setHovered(partAt(event))}
        onPointerLeave={() => setHovered(undefined)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          setStart(partAt(event));
        }}
        onPointerUp={choose}
        onPointerCancel={() => setStart(undefined)}
      >
        {band && (
          <i
            className="band"
            style={{ left: percent(band.first), width: percent(band.last - band.first + 1) }}
          />
        )}
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
        <ReleaseMarks from={from} to={to} application={application} />
      </div>
      <TimeAxis from={from} to={to} most={mostTicks} />
    </figure>
  );
}

/** The end of the scale: 2, 4, 10, 20, 40, 100 …, half of which is a number of rows, too. */
function topOf(most: number): number {
  let top = 2;
  while (top < most) top *= String(top).startsWith("4") ? 2.5 : 2;
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

function BarLegend({ histogram: { parts }, words }: { histogram: Histogram; words: BarWords }) {
  const sum = (name: keyof HistogramPart) => parts.reduce((sum, part) => sum + part[name], 0);
  const [count, warnings, failures] = [sum("count"), sum("warnings"), sum("failures")];
  return (
    <span className="legend facts quiet">
      <b>{formatCount(count, words.what)}</b>
      {words.warned && warnings > 0 && (
        <span className="waits">
          <OutcomeMark kind="waits" />
          {formatNumber(warnings)} {words.warned}
        </span>
      )}
      {failures > 0 && (
        <span className="refused">
          <OutcomeMark kind="refused" />
          {formatNumber(failures)} {words.failed}
        </span>
      )}
    </span>
  );
}

/** "23:05:10 to 23:05:20: 13 traces, 2 with errors". */
function describePart(
  { from, step, parts }: Histogram,
  part: number,
  { what, warned, failed }: BarWords,
): string {
  const { count, warnings, failures } = parts[part]!;
  const now = Date.now();
  const at = from + part * step;
  return `${formatDateAndTime(at, now, formatTimeOfDay)} to ${formatTimeOfDay(at + step)}: ` +
    [
      formatCount(count, what),
      ...warned && warnings > 0 ? [`${warnings} ${warned}`] : [],
      ...failures > 0 ? [`${failures} ${failed}`] : [],
    ].join(", ");
}
