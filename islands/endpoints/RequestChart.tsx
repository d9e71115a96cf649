import { type PointerEvent, useRef, useState } from "react";
import { formatDuration } from "../../components/format.ts";
import { formatTimeOfDay } from "../../components/format_time.ts";
import type {
  EndpointContent,
  EndpointRun,
} from "../../monitoring/models/trace/endpoint_content.ts";
import { ReleaseMarks } from "../charts/ReleaseMarks.tsx";
import { Gridline, TimeAxis } from "../charts/TimeAxis.tsx";
import { goTo } from "../data/fragment.ts";
import { placeHref } from "./QueryList.tsx";

const [WIDTH, HEIGHT] = [1_000, 100];
/** Pixels around a dot in which the pointer is on it. */
const NEAR_PX = 12;
/** Values of the scale. From a microsecond, in milliseconds, to eleven days. */
const STEPS = Array.from({ length: 12 }, (_, n) => [1, 2, 5].map((one) => one * 10 ** (n - 3)))
  .flat();
const MAX_LINES = 5;

/**
 * Each run over time on a logarithmic scale, with the median of the newest release and of others. A click on one opens
 * its trace; the lists below have links for the keyboard.
 */
export function RequestChart({ content: { row, runs } }: { content: EndpointContent }) {
  const plot = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState<EndpointRun>();
  const times = runs.map(({ at }) => at);
  const first = times.at(-1)!;
  const room = Math.max(1_000, times[0]! - first) * 0.02;
  const [from, to] = [first - room, times[0]! + room];
  const logOf = (ms: number) => Math.log10(Math.max(0.001, ms));
  const logs = runs.map(({ ms }) => logOf(ms));
  const [bottom, top] = [Math.min(...logs) - 0.15, Math.max(...logs) + 0.15];
  const xOf = (at: number) => (at - from) / (to - from) * WIDTH;
  const yOf = (ms: number) => (top - logOf(ms)) / (top - bottom) * HEIGHT;
  const shown = STEPS.filter((ms) => yOf(ms) > 0 && yOf(ms) < HEIGHT);
  const lines = shown.filter((_, n) => n % Math.ceil(shown.length / MAX_LINES) === 0);
  const dots = runs.filter(({ failed }) => !failed)
    .map(({ at, ms }) => `M${xOf(at).toFixed(1)} ${yOf(ms).toFixed(1)}h.01`).join("");
  const medians = [{ side: "since", of: row }, { side: "before", of: row.before }]
    .flatMap(({ side, of }) => {
      const own = runs.filter((run) => run.side === side).map(({ at }) => xOf(at));
      if (of === null || of.median === null || own.length === 0) return [];
      return { side, ms: of.median, left: Math.min(...own), right: Math.max(...own) };
    });
  const onPointerMove = ({ clientX, clientY }: PointerEvent) => {
    const box = plot.current!.getBoundingClientRect();
    const distances = runs.map((run) => ({
      run,
      px: Math.hypot(
        box.left + xOf(run.at) / WIDTH * box.width - clientX,
        box.top + yOf(run.ms) / HEIGHT * box.height - clientY,
      ),
    }));
    const nearest = distances.reduce((a, b) => b.px < a.px ? b : a);
    setNear(nearest.px <= NEAR_PX ? nearest.run : undefined);
  };
  return (
    <figure className="time-bars dots request-chart">
      <div
        className="plot"
        ref={plot}
        data-near={near && ""}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setNear(undefined)}
        onClick={() => near && goTo(placeHref(near))}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={dots} />
          <path
            className="median"
            d={medians.map(({ ms, left, right }) =>
              `M${left} ${yOf(ms)}H${Math.max(right, left + 10)}`
            ).join("")}
          />
        </svg>
        {runs.filter(({ failed }) => failed).map((run) => (
          <i
            key={`${run.trace_id} ${run.span_id}`}
            className="mark refused"
            style={{ left: `${xOf(run.at) / WIDTH * 100}%`, top: `${yOf(run.ms)}%` }}
          />
        ))}
        {lines.map((ms) => (
          <Gridline
            key={ms}
            percent={100 - yOf(ms)}
            label={formatDuration(ms)}
          />
        ))}
        <ReleaseMarks from={from} to={to} application={row.application} />
        {near && (
          <p
            className="sample-tip card"
            style={{
              [xOf(near.at) > WIDTH / 2 ? "right" : "left"]: `calc(${
                (xOf(near.at) > WIDTH / 2 ? WIDTH - xOf(near.at) : xOf(near.at)) / WIDTH * 100
              }% + 1rem)`,
              top: `${yOf(near.ms)}%`,
            }}
          >
            <b>{formatDuration(near.ms)}</b> {near.failed && "failed "}
            <span className="quiet">{formatTimeOfDay(near.at)}</span>
          </p>
        )}
      </div>
      <TimeAxis from={from} to={to} most={7} />
    </figure>
  );
}
