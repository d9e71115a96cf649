import { type CSSProperties, type PointerEvent, useRef, useState } from "react";
import { formatCount, shortId } from "../../components/format.ts";
import {
  formatDateAndTime,
  formatTimeOfDay,
  formatTimeOfDayMs,
} from "../../components/format_time.ts";
import type {
  MetricContent,
  MetricGroup,
  MetricSample,
} from "../../monitoring/models/metric/metric_content.ts";
import { nearestPoint, PointTip } from "../charts/PointTip.tsx";
import { ReleaseMarks } from "../charts/ReleaseMarks.tsx";
import { Gridline, TimeAxis } from "../charts/TimeAxis.tsx";
import { goTo, spanHref } from "../data/fragment.ts";
import { useApplications } from "../data/lists.ts";
import { Definition } from "../kit/Definition.tsx";
import { labelsByKey } from "../../monitoring/models/application_rows.ts";
import {
  figureName,
  formatFigure,
  formatValue,
  formatWhole,
  intervalTip,
  niceStep,
  sampleName,
} from "./metric_words.ts";

/** Lines that differ: each has a colour, a pattern and a shape of its points. */
export const MAX_LINES = 8;
const COLORS = "server http database rendering waits flows resource navigation".split(" ");
const PATTERNS = ["", "7 4", "2 4", "9 3 2 3"];
const SHAPES = ["round", "square"] as const;

const styleOf = (n: number): CSSProperties => ({
  color: `var(--${COLORS[n % COLORS.length]})`,
  strokeDasharray: PATTERNS[n % PATTERNS.length] || undefined,
});
const shapeOf = (n: number) => SHAPES[Math.floor(n / PATTERNS.length + n) % 2];

export function LineSample({ n }: { n: number }) {
  return (
    <svg className="line-sample" viewBox="0 0 32 10" aria-hidden="true" style={styleOf(n)}>
      <path d="M0 5h32" />
      <path className="points" d="M16 5h.01" strokeLinecap={shapeOf(n)} />
    </svg>
  );
}

/** Names groups: an application by its label. */
export function useGroupName(by: string | null): (value: string | null) => string {
  const applications = useApplications();
  const labels = labelsByKey(applications?.rows ?? []);
  return (value) =>
    value === null
      ? by === null ? "all" : `(no ${by})`
      : by === "application"
      ? labels.get(value) ?? value
      : value;
}

const [WIDTH, HEIGHT] = [1_000, 200];
/** Parts of the scale, about. */
const PARTS = 5;

/**
 * Lines of the groups, with their single values as dots. The pointer and the arrow keys move a crosshair, whose values
 * the legend shows. A click on a dot, or Enter, opens its trace.
 */
export function MetricChart({ metric }: { metric: MetricContent }) {
  const { from, to, every, counted_from, counted_to, show, by, kind, unit } = metric;
  const groupName = useGroupName(by);
  const plot = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number>();
  const [near, setNear] = useState<MetricSample>();
  const [hidden, setHidden] = useState<ReadonlySet<string | null>>(new Set());
  const lines = metric.groups.slice(0, MAX_LINES);
  const isShown = ({ value }: Pick<MetricGroup, "value">) => !hidden.has(value);
  const numberOf = (group: string | null) => lines.findIndex(({ value }) => value === group);
  // A rate or a count has another scale than the values.
  const hasDots = /^(p\d|avg|last)/.test(show);
  const dots = hasDots
    ? metric.samples.filter(({ group }) => numberOf(group) !== -1 && isShown({ value: group }))
    : [];

  const values = [
    ...lines.filter(isShown).flatMap(({ points }) => points.flatMap(({ value }) => value ?? [])),
    ...dots.map(({ value }) => value),
  ];
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const hasUnit = show !== "count" && (show !== "rate" || kind === "counter");
  const step = niceStep((high - low) / PARTS || 1 / PARTS, hasUnit ? unit : "");
  const bottom = Math.floor(low / step) * step;
  const parts = Math.max(1, Math.ceil((high - bottom) / step));
  const top = bottom + parts * step;
  const x = (time: number) => (time - from) / (to - from) * WIDTH;
  const y = (value: number) => (top - value) / (top - bottom) * HEIGHT;
  const place = (time: number, value: number) => `${x(time).toFixed(1)} ${y(value).toFixed(1)}`;

  /** Of an interval in its middle, with gaps where there are none. */
  const pathOf = ({ points }: MetricGroup) => {
    let last = NaN;
    return points.map(({ at, value }) => {
      if (value === null) return "";
      const isNext = at - last === every;
      last = at;
      return (isNext ? "L" : "M") + place(at + every / 2, value);
    }).join("");
  };
  const pointsOf = (all: readonly (readonly [number, number | null])[]) =>
    all.map(([time, value]) => value === null ? "" : `M${place(time, value)}h.01`).join("");

  const last = to - every;
  const move = (by: number) => setAt(Math.max(from, Math.min(last, (at ?? to) + by * every)));
  const placeOf = ({ at, value }: MetricSample) => [x(at) / WIDTH, y(value) / HEIGHT] as const;
  const onPointerMove = (event: PointerEvent) => {
    const box = plot.current!.getBoundingClientRect();
    const time = from + (event.clientX - box.left) / box.width * (to - from);
    setAt(Math.max(from, Math.min(last, Math.floor(time / every) * every)));
    setNear(nearestPoint(event, plot.current!, dots, placeOf));
  };
  const open = (sample: MetricSample | undefined) => sample?.trace_id && goTo(spanHref(sample));
  const inInterval = (time: number) => at !== undefined && time >= at && time < at + every;
  const largest = metric.samples.filter((sample) => inInterval(sample.at))
    .toSorted((a, b) => b.value - a.value)[0];
  const readout = (group: MetricGroup) => {
    const point = at === undefined ? undefined : group.points.find((point) => point.at === at);
    const value = (at === undefined ? group.figures[show] : point?.value) ?? null;
    const count = at === undefined ? group.count : point ? point.count : 0;
    return {
      text: value === null ? "–" : formatFigure(value, show, metric),
      count: `n ${count === null ? "not known" : formatWhole(count)}`,
    };
  };
  const timeOfDay = every < 1_000 ? formatTimeOfDayMs : formatTimeOfDay;
  const time = (at: number) => formatDateAndTime(at, Date.now(), timeOfDay);
  const [start, end] = at === undefined ? [from, to] : [at, at + every];
  const interval = `${time(Math.max(start, counted_from))} to ` +
    (at === undefined ? time(end) : timeOfDay(end)) + (end > counted_to ? ", so far" : "");
  return (
    <>
      <ul className="metric-legend line" aria-label="Groups">
        {lines.map((group, n) => {
          const { text, count } = readout(group);
          return (
            <li key={JSON.stringify(group.value)}>
              <button
                type="button"
                className="plain beside"
                aria-pressed={isShown(group)}
                onClick={() => setHidden(hidden.symmetricDifference(new Set([group.value])))}
              >
                <LineSample n={n} />
                <span className="one-line">{groupName(group.value)}</span>
                <b>{text}</b>
                <small>{count}</small>
              </button>
            </li>
          );
        })}
        {metric.groups.length > MAX_LINES && (
          <li className="quiet">
            {formatCount(metric.groups.length - MAX_LINES, "other")} not drawn
          </li>
        )}
      </ul>
      <p className="metric-time quiet">
        <b>
          <Definition text={intervalTip(show, kind)}>{figureName(show, kind)}</Definition>
        </b>, {interval}
        {largest && isShown({ value: largest.group }) && (
          <>
            ; largest {sampleName(kind)}: {largest.trace_id === null
              ? formatValue(largest.value, unit)
              : <a href={spanHref(largest)}>{formatValue(largest.value, unit)}</a>}
          </>
        )}
        {dots.length > 0 && dots.length < metric.sample_count &&
          `; ${formatWhole(dots.length)} of ${
            formatCount(metric.sample_count, sampleName(kind))
          } as dots: the newest and the largest of each interval`}
      </p>
      <figure className="time-bars metric-chart">
        <div
          className="plot"
          ref={plot}
          role="slider"
          tabIndex={0}
          aria-label={`${metric.name} over time`}
          aria-valuemin={from}
          aria-valuemax={last}
          aria-valuenow={at ?? last}
          aria-valuetext={`${interval}: ` + lines.filter(isShown).map((group) => {
            const { text, count } = readout(group);
            return `${groupName(group.value)} ${text}, ${count}`;
          }).join("; ")}
          onPointerMove={onPointerMove}
          onPointerLeave={() => {
            setAt(undefined);
            setNear(undefined);
          }}
          onClick={() => open(near)}
          onBlur={() => setAt(undefined)}
          onKeyDown={(event) => {
            const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
            const by = { ...steps, Home: -Infinity, End: Infinity }[event.key];
            if (by !== undefined) move(by);
            else if (event.key === "Enter") open(largest);
            else return;
            event.preventDefault();
          }}
        >
          {at !== undefined && (
            <i
              className="band"
              style={{ left: `${x(at) / WIDTH * 100}%`, width: `${every / (to - from) * 100}%` }}
            />
          )}
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {lines.map((group, n) =>
              isShown(group) && (
                <g key={JSON.stringify(group.value)} style={styleOf(n)}>
                  <path
                    className="single"
                    d={pointsOf(
                      dots.filter((dot) => dot.group === group.value)
                        .map(({ at, value }) => [at, value]),
                    )}
                    strokeLinecap={shapeOf(n)}
                  />
                  <path d={pathOf(group)} />
                  <path
                    className="points"
                    d={pointsOf(group.points.map(({ at, value }) => [at + every / 2, value]))}
                    strokeLinecap={shapeOf(n)}
                  />
                </g>
              )
            )}
          </svg>
          {Array.from({ length: parts + 1 }, (_, part) => (
            <Gridline
              key={part}
              percent={part / parts * 100}
              label={formatFigure(bottom + part * step, show, metric)}
            />
          ))}
          <ReleaseMarks from={from} to={to} />
          {near && (
            <PointTip at={placeOf(near)}>
              <b>{formatValue(near.value, unit)}</b>{" "}
              <span className="quiet">{timeOfDay(near.at)}</span>
              <br />
              {near.trace_id === null
                ? "no trace was sent"
                : `Click: trace ${shortId(near.trace_id)}`}
            </PointTip>
          )}
        </div>
        <TimeAxis from={from} to={to} most={7} />
      </figure>
      <Counts metric={metric} shown={lines.filter(isShown)} />
    </>
  );
}

/** What of the intervals is shown, and what is left out. @param props.shown groups whose lines are drawn */
export function Counts({ metric: { intervals, omitted }, shown: groups }: {
  metric: MetricContent;
  shown: readonly MetricGroup[];
}) {
  const { too_few, without_value, unknown } = intervals;
  const shown = groups.flatMap(({ points }) => points).filter(({ value }) => value !== null).length;
  const parts = [
    [intervals.shown - shown, "of lines not drawn"],
    [too_few, "with too few values"],
    [without_value, "without value"],
    [unknown, "not known: no point before, or not sent"],
  ] as const;
  const others = parts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  const all = intervals.shown + too_few + without_value + unknown;
  const left = [
    ...omitted.older ? ["older points"] : [],
    ...omitted.series > 0 ? [formatCount(omitted.series, "series", "series")] : [],
  ];
  return (
    <p className="metric-counts quiet">
      <b title="Intervals of all groups that a point or its time is in">
        {shown} of {formatCount(all, "interval")} shown
      </b>
      {others.length > 0 && `, ${others.join(", ")}`}
      {left.length > 0 && `; left out, for the size: ${left.join(", ")}`}
    </p>
  );
}
