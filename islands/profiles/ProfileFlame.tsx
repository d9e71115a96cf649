import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { formatCount, formatDuration, formatNumber } from "../../components/format.ts";
import { busySamples } from "../../monitoring/models/profile/call_tree.ts";
import {
  barsByWeight,
  barsInTime,
  type FrameBar,
} from "../../monitoring/models/profile/frame_bars.ts";
import {
  type CallTree,
  placeOf,
  type ProfileContent,
  type ProfiledSpan,
} from "../../monitoring/models/profile/profile_content.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { pan, ticks as ticksOf, zoom } from "../../monitoring/models/trace/time_window.ts";
import { barOf, percentAt } from "../charts/time_scale.ts";
import { linkTo } from "../data/fragment.ts";

/** Height of a lane in pixels. */
const LANE_PX = 22;
/** Width of the narrowest bar in pixels: narrower ones beside each other are one. */
const MIN_PX = 3;
/** From this width on a bar has a text. */
const TEXT_PX = 40;
/** Bars that are drawn, the widest first. */
const MAX_BARS = 2_000;
/** Changes between itself and calls that a bar shows. */
const MAX_PARTS = 40;
const MAX_SPAN_LANES = 6;
/** Pixels of the axis for each of its labels. */
const TICK_PX = 110;
const ZOOM = 0.5;
const PAN = 0.25;

/** What is selected: a function, and of its calls one. */
export type DrawnBar = Partial<FrameBar> & { readonly frame: number };

/** The axis: in time order from the span's start, else from the first sample, which is at 0. */
export function wholeAxis(profile: ProfileContent, isHeavy: boolean): Extent {
  const { samples, interval_ms, start_ms, span } = profile;
  if (isHeavy) return { start_ms: 0, end_ms: busySamples(profile) * interval_ms };
  return {
    start_ms: Math.min(0, (span?.start_ms ?? start_ms) - start_ms),
    end_ms: Math.max(
      (samples.at(-1)?.[0] ?? 0) + interval_ms,
      (span?.end_ms ?? start_ms) - start_ms,
    ),
  };
}

/**
 * The calls of a profile as bars, callers above what they call; in time order with the spans above them. A click selects
 * a call, another one zooms to it. The table of functions has the same for screen readers.
 */
export function ProfileFlame(props: {
  profile: ProfileContent;
  /** What is drawn of it. */
  tree: CallTree;
  isHeavy: boolean;
  /** Undefined: the whole profile. */
  window: Extent | undefined;
  setWindow: (window: Extent | undefined) => void;
  selected: DrawnBar | undefined;
  /** Functions that the search found. */
  matches: ReadonlySet<number>;
  onSelect: (bar: DrawnBar) => void;
}) {
  const { profile, tree, isHeavy, setWindow, selected, matches, onSelect } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const whole = useMemo(() => wholeAxis(profile, isHeavy), [profile, isHeavy]);
  const window = props.window ?? whole;
  const bars = useMemo(() => {
    const find = isHeavy ? barsByWeight : barsInTime;
    return find(tree, window, lengthOf(window) * MIN_PX / width)
      .sort((a, b) => a.lane - b.lane || a.start_ms - b.start_ms);
  }, [tree, isHeavy, window, width]);
  const shown = bars.length <= MAX_BARS
    ? bars
    : bars.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_BARS);
  // Also moved to by keyboard.
  useEffect(() => {
    frame.current?.querySelector(".selected")?.scrollIntoView({ block: "nearest" });
  }, [selected]);

  const frameOf = (bar: FrameBar) => tree.calls[bar.call]![1];
  const current = bars.find(({ lane, call, start_ms }) =>
    lane === selected?.lane && call === selected.call && start_ms === selected.start_ms
  );
  const select = (bar: FrameBar | undefined) => bar && onSelect({ ...bar, frame: frameOf(bar) });
  const show = (next: Extent) => setWindow(lengthOf(next) >= lengthOf(whole) ? undefined : next);
  const zoomBy = (factor: number) => show(zoom(window, whole, factor));
  const zoomTo = ({ start_ms, end_ms }: Extent) =>
    show({
      start_ms: Math.max(start_ms, whole.start_ms),
      end_ms: Math.min(end_ms, whole.end_ms),
    });
  /** Selects the bar before or after the current one; without one moves the window. */
  const step = (by: 1 | -1) => {
    const lane = bars.filter((bar) => bar.lane === (current?.lane ?? 0));
    const next = current ? lane[lane.indexOf(current) + by] : lane.at(by === 1 ? 0 : -1);
    if (next) select(next);
    else if (props.window) show(pan(window, whole, by * PAN));
  };
  const actions: Readonly<Record<string, () => void>> = {
    "+": () => zoomBy(ZOOM),
    "=": () => zoomBy(ZOOM),
    "-": () => zoomBy(1 / ZOOM),
    "0": () => setWindow(undefined),
    Enter: () => current && zoomTo(current),
    ArrowUp: () => select(besides(bars, current, -1)),
    ArrowDown: () => select(besides(bars, current, 1)),
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || !Object.hasOwn(actions, key)) return;
    event.preventDefault();
    actions[key]!();
  };
  const lanes = bars.reduce((most, { lane }) => Math.max(most, lane + 1), 1);
  const ticks = ticksOf(window, 0, Math.max(2, Math.floor(width / TICK_PX)))
    .map((tick) => ({ ...tick, left: percentAt(window, tick.offset_ms) }));
  return (
    <>
      <div className="profile-zoom line">
        <span className="small quiet">
          {isHeavy ? "Time of all samples, each caller once" : "Time since the first sample"}
        </span>
        <button type="button" className="end" aria-label="Zoom out" onClick={actions["-"]}>
          −
        </button>
        <button type="button" aria-label="Zoom in" onClick={actions["+"]}>+</button>
        <button type="button" disabled={!props.window} onClick={actions["0"]}>Whole profile</button>
      </div>
      <div
        ref={frame}
        className="profile-flame"
        role="group"
        tabIndex={0}
        aria-label={`Flame graph of ${formatCount(busySamples(tree), "sample")}`}
        aria-description="The table of functions has the same. Arrows move between calls, Enter zooms to one, Escape shows all."
        onKeyDown={onKeyDown}
        onClick={({ target }) => {
          const { bar: index } = (target as Element).closest<HTMLElement>("[data-bar]")?.dataset ??
            {};
          const bar = shown[Number(index)];
          if (bar && bar === current) zoomTo(bar);
          else select(bar);
        }}
      >
        <div className="profile-ticks small quiet" aria-hidden="true">
          {ticks.map(({ label, left }) =>
            left < 96 && <span key={label} style={{ left: `${left}%` }}>{label}</span>
          )}
        </div>
        {!isHeavy && <Spans profile={profile} window={window} width={width} />}
        <div className="profile-lanes" style={{ height: lanes * LANE_PX }} aria-hidden="true">
          {ticks.map(({ label, left }) => <i key={label} style={{ left: `${left}%` }} />)}
          {shown.map((bar, index) => (
            <Bar
              key={`${bar.lane} ${bar.call} ${bar.start_ms}`}
              {...{ bar, index, tree, window, width }}
              isSelected={bar === current}
              isMarked={bar.calls === 1 &&
                (frameOf(bar) === selected?.frame || matches.has(frameOf(bar)))}
            />
          ))}
        </div>
      </div>
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
        <li className="end">
          {shown.length < bars.length &&
            `The ${formatNumber(MAX_BARS)} widest of ${formatNumber(bars.length)} bars. `}
          Narrowest frame drawn: {MIN_PX} px
        </li>
      </ul>
    </>
  );
}

const lengthOf = ({ start_ms, end_ms }: Extent) => end_ms - start_ms;

/** The widest bar above or below; without a current one the first of all. */
function besides(bars: readonly FrameBar[], current: FrameBar | undefined, by: 1 | -1) {
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

const Bar = memo(function Bar({ bar, index, tree, window, width, isSelected, isMarked }: {
  bar: FrameBar;
  index: number;
  tree: CallTree;
  window: Extent;
  width: number;
  isSelected: boolean;
  isMarked: boolean;
}) {
  const place = barOf(window, bar);
  if (place === undefined) return null;
  const of = tree.frames[tree.calls[bar.call]![1]]!;
  const classes = [kindOf(of), isSelected && "selected", isMarked && "marked"];
  return (
    <span
      className={classes.filter(Boolean).join(" ")}
      data-bar={index}
      title={textOf(tree, bar)}
      style={{
        left: `${place.left}%`,
        width: `${place.width}%`,
        top: bar.lane * LANE_PX,
        "--parts": solidParts(bar, place.shown),
      } as CSSProperties}
    >
      {place.width * width >= 100 * TEXT_PX &&
        (bar.calls === 1 ? of.function : `${bar.calls} calls`)}
    </span>
  );
});

export const kindOf = ({ own, file, function: name }: CallTree["frames"][number]) =>
  own ? "own" : file === null && !/^\d+ frames of /.test(name) ? "native" : "library";

/** A gradient with what ran itself. */
function solidParts({ selfTimes, self, samples }: FrameBar, shown: Extent): string | undefined {
  if (self === samples || selfTimes.length > MAX_PARTS) {
    return self * 2 >= samples ? "linear-gradient(var(--solid) 0 0)" : undefined;
  }
  const stops = selfTimes.map((part) => {
    const [from, to] = [percentAt(shown, part.start_ms), percentAt(shown, part.end_ms)];
    return `transparent ${from}%, var(--solid) ${from}% ${to}%, transparent ${to}%`;
  });
  return stops.length > 0 ? `linear-gradient(90deg, ${stops.join()})` : undefined;
}

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
      <div className="profile-spans" style={{ height }} aria-hidden="true">
        {shown.map(({ span, lane }) => {
          const { start_ms, end_ms, op, name } = span;
          const place = barOf(window, { start_ms: start_ms - origin, end_ms: end_ms - origin });
          const duration = formatDuration(end_ms - start_ms);
          return place && (
            <a
              key={`${span.trace_id} ${span.span_id}`}
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

/** A span in its trace. */
export const spanHref = ({ trace_id, span_id }: ProfiledSpan) =>
  linkTo("traces", [trace_id], { span: span_id ?? undefined });

/** The width of an element, in pixels. */
function useWidth(ref: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(1_000);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(1, Math.round(entry!.contentRect.width)))
    );
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}
