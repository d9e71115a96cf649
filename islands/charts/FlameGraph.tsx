import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from "react";
import { formatDuration, formatNumber } from "../../components/format.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { barOf, solidParts } from "./time_scale.ts";
import type { TimeWindow } from "./use_time_window.ts";

export const LANE_PX = 22;
/** From this width in pixels on a bar has a text. */
export const TEXT_PX = 40;
/** Bars that are drawn, the longest first: more would be lines beside each other. */
const MAX_BARS = 2_000;

interface LaneBar extends Extent {
  readonly key: string;
  /** From 0, at the top. */
  readonly lane: number;
}

interface BarLook {
  readonly className: string;
  readonly kind?: string | undefined;
  /** Where it is solid. */
  readonly solid?: readonly Extent[];
  readonly text: string;
  readonly title: string;
}

/**
 * Bars below each other on a time axis. A click selects a bar, another one shows its time. What else shows the same is
 * for screen readers.
 *
 * @param props.gaps time that no bar can be in, hatched
 * @param props.selected key of the selected bar
 * @param props.matches keys of bars that are marked
 * @param props.lookOf the same function as long as the looks are the same
 * @param props.children above the lanes
 */
export function FlameGraph<Bar extends LaneBar>(props: {
  label: string;
  description: string;
  frame: RefObject<HTMLDivElement | null>;
  width: number;
  bars: readonly Bar[];
  gaps?: readonly Extent[];
  timeWindow: TimeWindow;
  selected: string | undefined;
  matches: ReadonlySet<string>;
  lookOf: (bar: Bar) => BarLook;
  onSelect: (bar: Bar) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  children: ReactNode;
}) {
  const { frame, width, bars, timeWindow, selected, matches, lookOf, onSelect } = props;
  const { window } = timeWindow;
  const lanes = bars.reduce((most, { lane }) => Math.max(most, lane + 1), 1);
  const inWindow = useMemo(() => bars.filter((bar) => barOf(window, bar)), [bars, window]);
  const shown = useMemo(() => {
    if (inWindow.length <= MAX_BARS) return inWindow;
    const lengthOf = ({ start_ms, end_ms }: Extent) => end_ms - start_ms;
    return inWindow.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_BARS);
  }, [inWindow]);
  // Also moved to by keyboard.
  useEffect(() => {
    frame.current?.querySelector(".selected")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return (
    <div
      ref={frame}
      className="flame"
      role="group"
      tabIndex={0}
      aria-label={props.label}
      aria-description={props.description}
      onKeyDown={props.onKeyDown}
      onClick={({ target }) => {
        const { key } = (target as Element).closest<HTMLElement>("[data-key]")?.dataset ?? {};
        const bar = bars.find((bar) => bar.key === key);
        if (!bar) return;
        if (key === selected) timeWindow.select(bar.start_ms, bar.end_ms);
        else onSelect(bar);
      }}
    >
      {props.children}
      <div className="flame-lanes" style={{ height: lanes * LANE_PX }} aria-hidden="true">
        {props.gaps?.map((gap) => {
          const place = barOf(window, gap);
          return place && (
            <i
              key={gap.start_ms}
              className="gap"
              title={`Without samples: ${formatDuration(gap.end_ms - gap.start_ms)}`}
              style={{ left: `${place.left}%`, width: `${place.width}%` }}
            />
          );
        })}
        {shown.map((bar) => (
          <Bar
            key={bar.key}
            {...{ bar, window, width }}
            lookOf={lookOf as (bar: LaneBar) => BarLook}
            isSelected={bar.key === selected}
            isMatch={matches.has(bar.key)}
          />
        ))}
      </div>
      {shown.length < inWindow.length && (
        <p className="note">
          The {formatNumber(MAX_BARS)} longest of{" "}
          {formatNumber(inWindow.length)}. Zoom in to see the others.
        </p>
      )}
    </div>
  );
}

const Bar = memo(function Bar({ bar, window, width, lookOf, isSelected, isMatch }: {
  bar: LaneBar;
  window: Extent;
  width: number;
  lookOf: (bar: LaneBar) => BarLook;
  isSelected: boolean;
  isMatch: boolean;
}) {
  const place = barOf(window, bar)!;
  const { className, kind, solid, text, title } = lookOf(bar);
  const classes = ["flame-bar small", className, isSelected && "selected", isMatch && "match"];
  return (
    <span
      className={classes.filter(Boolean).join(" ")}
      data-key={bar.key}
      data-kind={kind}
      title={title}
      style={{
        left: `${place.left}%`,
        width: `${place.width}%`,
        top: bar.lane * LANE_PX,
        "--parts": solid && solidParts(place.shown, solid),
      } as CSSProperties}
    >
      {place.width * width >= 100 * TEXT_PX && text}
    </span>
  );
});

export function useWidth(ref: RefObject<HTMLElement | null>): number {
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
