import { type ReactNode, useMemo } from "react";
import { formatCount, formatDuration, formatNumber } from "../../components/format.ts";
import { type FlameBar, flameBars } from "../../monitoring/models/trace/flame.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { spanClasses } from "./span_classes.ts";
import { barOf } from "../charts/time_scale.ts";
import type { TimeWindow } from "./use_time_window.ts";

/** Height of a lane in pixels. */
const LANE_PX = 20;
/** Bars that are drawn, the longest first: more would be lines beside each other. */
const MAX_BARS = 1_500;
/** Percent of the width from which on a bar has a text. */
const TEXT_FROM = 2;

/**
 * The spans of a trace as bars below each other. A click selects a span, another one shows its time. The waterfall has
 * the same spans for the keyboard and for screen readers.
 */
export function Flame({ trace, timeWindow, matches, selected, axis, onSelect }: {
  trace: Trace;
  timeWindow: TimeWindow;
  /** Keys of the spans that the search found. */
  matches: ReadonlySet<string>;
  /** Key of the selected span. */
  selected: string | undefined;
  axis: ReactNode;
  onSelect: (key: string) => void;
}) {
  const { window } = timeWindow;
  const bars = useMemo(() => flameBars(trace.tree, trace.times), [trace]);
  const lanes = bars.reduce((most, { lane }) => Math.max(most, lane + 1), 1);
  const shown = useMemo(() => {
    const inWindow = bars.filter((bar) => barOf(window, bar) !== undefined);
    const lengthOf = ({ start_ms, end_ms }: FlameBar) => end_ms - start_ms;
    return inWindow.sort((a, b) => lengthOf(b) - lengthOf(a));
  }, [bars, window]);
  return (
    <div
      className="flame"
      role="group"
      tabIndex={0}
      aria-label={`Flame graph of ${formatCount(bars.length, "span")}`}
      aria-description="The waterfall has the same spans as rows. Plus, minus and arrows zoom and move."
      onKeyDown={timeWindow.onPanKey}
      onClick={({ target }) => {
        const { key } = (target as Element).closest<HTMLElement>("[data-key]")?.dataset ?? {};
        const bar = bars.find(({ node }) => node.key === key);
        if (!bar) return;
        if (key === selected) timeWindow.select(bar.start_ms, bar.end_ms);
        else onSelect(bar.node.key);
      }}
    >
      <div className="wf-head quiet">{axis}</div>
      <div className="flame-lanes" style={{ height: lanes * LANE_PX }} aria-hidden="true">
        {shown.slice(0, MAX_BARS).map((bar) => (
          <Bar
            key={bar.node.key}
            bar={bar}
            trace={trace}
            timeWindow={timeWindow}
            isSelected={bar.node.key === selected}
            isMatch={matches.has(bar.node.key)}
          />
        ))}
      </div>
      {shown.length > MAX_BARS && (
        <p className="note">
          The {formatNumber(MAX_BARS)} longest of{" "}
          {formatCount(shown.length, "span")}. Zoom in to see the others.
        </p>
      )}
    </div>
  );
}

function Bar({ bar, trace, timeWindow, isSelected, isMatch }: {
  bar: FlameBar;
  trace: Trace;
  timeWindow: TimeWindow;
  isSelected: boolean;
  isMatch: boolean;
}) {
  const { node, lane, start_ms, end_ms } = bar;
  const place = barOf(timeWindow.window, bar);
  if (place === undefined) return null;
  const { span } = node;
  const { isOpen } = trace.times.byNode.get(node)!;
  const duration = isOpen ? ", no end" : span ? `, ${formatDuration(end_ms - start_ms)}` : "";
  const name = span ? [span.op, span.name].filter(Boolean).join(" ") : "Missing parent";
  const classes = [
    "flame-bar small",
    spanClasses(span, trace.times.byNode.get(node)!),
    isSelected && "selected",
    isMatch && "match",
  ];
  return (
    <span
      className={classes.filter(Boolean).join(" ")}
      data-key={node.key}
      data-kind={span ? spanKind(span) : undefined}
      title={`${name}${duration}`}
      style={{ left: `${place.left}%`, width: `${place.width}%`, top: lane * LANE_PX }}
    >
      {place.width >= TEXT_FROM && name}
    </span>
  );
}
