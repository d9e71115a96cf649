import { useMemo } from "react";
import { type SpanKind, spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { barOf } from "./time_scale.ts";

/** Lanes of the picture. Deeper spans share the last lane. */
const MIN_LANES = 3;
const MAX_LANES = 24;
/** Width of the picture in units of its own; more than the pixels of a screen. */
const WIDTH = 4000;
/** 2 px where the picture is 1,000 px wide. */
const MIN_BAR_WIDTH = 8;
/** Free space above and below a bar, in lanes. */
const LANE_MARGIN = 0.15;

/** When a span is drawn, how deep in the tree it is, and what decides its colour as in the waterfall. */
interface Bar extends Extent {
  readonly depth: number;
  /** Null: the span was not received. */
  readonly kind: SpanKind | "failed" | null;
}

/** A small drawing of all spans of a trace. @param props.frame the time that is as wide as the picture */
export function TracePicture({ trace, frame }: { trace: Trace; frame: Extent }) {
  const bars = useMemo(
    () =>
      trace.tree.nodes.map((node): Bar => ({
        ...trace.times.byNode.get(node)!,
        depth: node.depth,
        kind: node.span && (node.span.failed ? "failed" : spanKind(node.span)),
      })),
    [trace],
  );
  const lanes = Math.min(
    MAX_LANES,
    bars.reduce((most, { depth }) => Math.max(most, depth + 1), MIN_LANES),
  );
  const paths = useMemo(
    () =>
      Array.from(
        Map.groupBy(bars, ({ kind }) => kind),
        ([kind, bars]) => (
          <path key={kind} data-kind={kind ?? undefined} d={pathOf(frame, bars, lanes)} />
        ),
      ),
    [frame.start_ms, frame.end_ms, bars],
  );
  return (
    <svg
      className="trace-picture"
      viewBox={`0 0 ${WIDTH} ${lanes}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {paths}
    </svg>
  );
}

/** A rectangle for each span, all of a kind in one SVG path: few elements are fast, however many spans there are. */
function pathOf(frame: Extent, bars: readonly Bar[], lanes: number): string {
  const height = 1 - 2 * LANE_MARGIN;
  // Spans with the same rectangle are drawn once.
  const rectangles = new Set<string>();
  for (const bar of bars) {
    const position = barOf(frame, bar);
    if (position === undefined) continue;
    const x = Math.round(position.left * WIDTH / 100);
    const width = Math.max(MIN_BAR_WIDTH, Math.round(position.width * WIDTH / 100));
    const y = Math.min(bar.depth, lanes - 1) + LANE_MARGIN;
    rectangles.add(`M${x} ${y}h${width}v${height}h-${width}z`);
  }
  return [...rectangles].join("");
}
