import { type KeyboardEvent, useCallback, useMemo, useRef } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { busySamples } from "../../monitoring/models/profile/call_tree.ts";
import {
  barsByWeight,
  barsInTime,
  type FrameBar,
  unsampledTimes,
  wholeAxis,
} from "../../monitoring/models/profile/frame_bars.ts";
import {
  type CallTree,
  placeOf,
  type ProfileContent,
} from "../../monitoring/models/profile/profile_content.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { ticks as ticksOf } from "../../monitoring/models/trace/time_window.ts";
import { FlameGraph, LANE_PX, TEXT_PX, useWidth } from "../charts/FlameGraph.tsx";
import { barOf, percentAt } from "../charts/time_scale.ts";
import type { TimeWindow } from "../charts/use_time_window.ts";
import { spanHref } from "../data/fragment.ts";

/** Width of the narrowest bar in pixels: narrower ones beside each other are one. */
const MIN_PX = 3;
const MAX_SPAN_LANES = 6;
/** Pixels of the axis for each of its labels. */
const TICK_PX = 110;

/** What is selected: a function, and of its calls one. */
export type DrawnBar = Partial<FrameBar> & { readonly frame: number };

/**
 * The calls of a profile as bars, callers above what they call; in time order with the spans above them. The table of
 * functions has the same for screen readers.
 */
export function ProfileFlame({ profile, tree, isHeavy, timeWindow, selected, found, onSelect }: {
  profile: ProfileContent;
  tree: CallTree;
  isHeavy: boolean;
  timeWindow: TimeWindow;
  selected: DrawnBar | undefined;
  found: ReadonlySet<number>;
  onSelect: (bar: DrawnBar) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const { window, isZoomed } = timeWindow;
  const bars = useMemo(() => {
    const find = isHeavy ? barsByWeight : barsInTime;
    return find(tree, window, lengthOf(window) * MIN_PX / width)
      .sort((a, b) => a.lane - b.lane || a.start_ms - b.start_ms);
  }, [tree, isHeavy, window, width]);
  const gaps = isHeavy ? [] : unsampledTimes(profile, wholeAxis(profile));
  const frameOf = (bar: FrameBar) => tree.calls[bar.call]![1];
  const isFound = (frame: number) => frame === selected?.frame || found.has(frame);
  const matches = useMemo(
    () => new Set(bars.flatMap((bar) => bar.calls === 1 && isFound(frameOf(bar)) ? [bar.key] : [])),
    [bars, selected, found],
  );
  const lookOf = useCallback((bar: FrameBar) => {
    const of = tree.frames[frameOf(bar)]!;
    return {
      className: kindOf(of),
      solid: bar.selfTimes,
      text: bar.calls === 1 ? of.function : `${bar.calls} calls`,
      title: textOf(tree, bar),
    };
  }, [tree]);
  const current = bars.find(({ key }) => key === selected?.key);
  const select = (bar: FrameBar | undefined) => bar && onSelect({ ...bar, frame: frameOf(bar) });
  const beside = (by: 1 | -1) => {
    const lane = bars.filter((bar) => bar.lane === (current?.lane ?? 0));
    return current ? lane[lane.indexOf(current) + by] : lane.at(by === 1 ? 0 : -1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey) return;
    const isVertical = key === "ArrowUp" || key === "ArrowDown";
    const next = isVertical
      ? nextLane(bars, current, key === "ArrowUp" ? -1 : 1)
      : key === "ArrowLeft" || key === "ArrowRight"
      ? beside(key === "ArrowLeft" ? -1 : 1)
      : undefined;
    if (next) select(next);
    else if (key === "Enter" && current) timeWindow.select(current.start_ms, current.end_ms);
    else if (!isVertical) return timeWindow.onPanKey(event);
    event.preventDefault();
  };
  const ticks = ticksOf(window, 0, Math.max(2, Math.floor(width / TICK_PX)))
    .map((tick) => ({ ...tick, left: percentAt(window, tick.offset_ms) }));
  return (
    <>
      <div className="profile-zoom line">
        <span className="small quiet">
          {isHeavy ? "Time of all samples, each caller once" : "Time since the first sample"}
        </span>
        <button type="button" className="end" aria-label="Zoom out" onClick={timeWindow.zoomOut}>
          −
        </button>
        <button type="button" aria-label="Zoom in" onClick={timeWindow.zoomIn}>+</button>
        <button type="button" disabled={!isZoomed} onClick={timeWindow.fit}>Whole profile</button>
      </div>
      <FlameGraph
        label={`Flame graph of ${formatCount(busySamples(tree), "sample")}`}
        description="The table of functions has the same. Arrows move between calls, Enter zooms to one, Escape shows all."
        {...{ frame, width, bars, gaps, timeWindow, matches, lookOf, onKeyDown }}
        selected={current?.key}
        onSelect={select}
      >
        <div className="wf-head ticks small quiet" aria-hidden="true">
          {ticks.map(({ label, left }) => (
            <span key={label} style={{ left: `${left}%` }}>{left < 96 && label}</span>
          ))}
        </div>
        {!isHeavy && <Spans profile={profile} window={window} width={width} />}
      </FlameGraph>
      <p className="vh" role="status">{current && textOf(tree, current)}</p>
      <ul className="profile-legend facts entry small quiet">
        <li>
          <i className="own self" />solid: self
        </li>
        <li>
          <i className="own" />light: in what it calls
        </li>
        <li>
          <i className="library" />libraries
        </li>
        <li>
          <i className="native" />hatched: native
        </li>
        {gaps.length > 0 && (
          <li>
            <i className="gap" />without samples
          </li>
        )}
        <li className="end">Narrowest frame drawn: {MIN_PX} px</li>
      </ul>
    </>
  );
}

const lengthOf = ({ start_ms, end_ms }: Extent) => end_ms - start_ms;

/** The widest bar above or below; without a current one the first of all. */
function nextLane(bars: readonly FrameBar[], current: FrameBar | undefined, by: 1 | -1) {
  if (current === undefined) return bars[0];
  return bars.filter((bar) =>
    bar.lane === current.lane + by && bar.start_ms < current.end_ms &&
    bar.end_ms > current.start_ms
  ).sort((a, b) => lengthOf(b) - lengthOf(a))[0];
}

function textOf(tree: CallTree, { call, calls, samples, self }: FrameBar): string {
  const time = (count: number) => formatDuration(count * tree.interval_ms);
  const of = tree.frames[tree.calls[call]![1]]!;
  const name = calls === 1
    ? `${of.function}, ${placeOf(of)}`
    : `${formatCount(calls, "narrow call")}, the first ${of.function}`;
  return `${name}: ${time(samples)}, ${time(self)} itself`;
}

export const kindOf = ({ own, file, function: name }: CallTree["frames"][number]) =>
  own ? "own" : file === null && !/^\d+ frames of /.test(name) ? "native" : "library";

/** The spans of the thread on the axis of its frames, each below those that ran when it began. */
function Spans({ profile: { spans, thread, start_ms: origin }, window, width }: {
  profile: ProfileContent;
  window: Extent;
  width: number;
}) {
  const ends: number[] = [];
  const placed = spans.filter((span) => (span.thread ?? thread) === thread)
    .sort((a, b) => a.start_ms - b.start_ms || b.end_ms - a.end_ms)
    .map((span) => {
      const free = ends.findIndex((end) => end <= span.start_ms);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = span.end_ms;
      return { span, lane };
    });
  const shown = placed.filter(({ lane }) => lane < MAX_SPAN_LANES);
  if (shown.length === 0) return null;
  const height = Math.min(ends.length, MAX_SPAN_LANES) * LANE_PX;
  return (
    <>
      <div className="flame-lanes" style={{ height }} aria-hidden="true">
        {shown.map(({ span, lane }) => {
          const { start_ms, end_ms, op, name } = span;
          const place = barOf(window, { start_ms: start_ms - origin, end_ms: end_ms - origin });
          const duration = formatDuration(end_ms - start_ms);
          return place && (
            <a
              key={`${span.trace_id} ${span.span_id}`}
              className="flame-bar small"
              href={spanHref(span)}
              tabIndex={-1}
              data-kind={spanKind({ op, side: "unknown" })}
              title={`${op ?? ""} ${name}, ${duration}`}
              style={{ left: `${place.left}%`, width: `${place.width}%`, top: lane * LANE_PX }}
            >
              {place.width * width >= 100 * TEXT_PX && (
                <>
                  <b>{op}</b> {name} <span className="quiet">{duration}</span>
                </>
              )}
            </a>
          );
        })}
      </div>
      {shown.length < placed.length && (
        <p className="small quiet">
          {formatCount(placed.length - shown.length, "further span")} at the same time
        </p>
      )}
    </>
  );
}
