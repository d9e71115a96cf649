import { type PointerEvent, type ReactNode, useRef, useState } from "react";
import type { Histogram } from "../../monitoring/models/histogram.ts";
import { ReleaseMarks } from "./ReleaseMarks.tsx";
import { TimeAxis } from "./TimeAxis.tsx";

/** Start of the part of time below the pointer, milliseconds since 1970; undefined: none. Charts may share it. */
export type Hover = readonly [at: number | undefined, set: (at: number | undefined) => void];

/** The part of a chart that begins at the hovered time; undefined: none. */
export function hoveredPart({ from, step, parts }: Histogram, [at]: Hover): number | undefined {
  const part = at === undefined ? -1 : Math.floor((at - from) / step);
  return part >= 0 && part < parts.length ? part : undefined;
}

/**
 * The frame of a chart over the parts of a histogram, with marks of releases and starts. A click on a part, or dragging
 * over several, chooses their time; the time filter of the list does the same for the keyboard.
 *
 * @param props.onChoose gets the chosen time, milliseconds since 1970
 */
export function TimePlot({ histogram, hover, application, mostTicks = 7, onChoose, children }: {
  histogram: Histogram;
  hover: Hover;
  application?: string | undefined;
  mostTicks?: number | undefined;
  onChoose: (from: number, to: number) => void;
  children: ReactNode;
}) {
  const { from, to, step, parts } = histogram;
  const plot = useRef<HTMLDivElement>(null);
  const [start, setStart] = useState<number>();
  const hovered = hoveredPart(histogram, hover);
  const [, setHovered] = hover;

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
  const [first, last] = [Math.min, Math.max].map((of) => of(start ?? hovered!, hovered!));
  const percent = (part: number) => `${part / parts.length * 100}%`;
  return (
    <>
      <div
        className="plot choosing"
        ref={plot}
        onPointerMove={(event) => setHovered(from + partAt(event) * step)}
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
        {hovered !== undefined && (
          <i
            className="band"
            style={{ left: percent(first!), width: percent(last! - first! + 1) }}
          />
        )}
        {children}
        <ReleaseMarks from={from} to={to} application={application} />
      </div>
      <TimeAxis from={from} to={to} most={mostTicks} />
    </>
  );
}
