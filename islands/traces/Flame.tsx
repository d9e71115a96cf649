import { type ReactNode, useCallback, useMemo, useRef } from "react";
import { formatCount } from "../../components/format.ts";
import { type FlameBar, flameBars } from "../../monitoring/models/trace/flame.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { FlameGraph, useWidth } from "../charts/FlameGraph.tsx";
import type { TimeWindow } from "../charts/use_time_window.ts";
import { spanClasses } from "./span_classes.ts";
import { spanDuration } from "./SpanRow.tsx";

/** The spans of a trace as bars below each other. @param props.matches keys of the spans that the search found */
export function Flame({ trace, timeWindow, matches, selected, axis, onSelect }: {
  trace: Trace;
  timeWindow: TimeWindow;
  matches: ReadonlySet<string>;
  selected: string | undefined;
  axis: ReactNode;
  onSelect: (key: string) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const bars = useMemo(() => flameBars(trace.tree, trace.times), [trace]);
  const lookOf = useCallback(({ node }: FlameBar) => {
    const { span } = node;
    const time = trace.times.byNode.get(node)!;
    const text = span ? [span.op, span.name].filter(Boolean).join(" ") : "Missing parent";
    return {
      className: spanClasses(span, time),
      kind: span ? spanKind(span) : undefined,
      text,
      title: span ? `${text}, ${spanDuration(span)}` : text,
    };
  }, [trace]);
  return (
    <FlameGraph
      label={`Flame graph of ${formatCount(trace.summary.spans, "span")}`}
      description="The waterfall has the same spans as rows. Plus, minus and arrows zoom and move."
      width={useWidth(frame)}
      {...{ frame, bars, timeWindow, selected, matches, lookOf }}
      onSelect={({ key }) => onSelect(key)}
      onKeyDown={timeWindow.onPanKey}
    >
      <div className="wf-head quiet">{axis}</div>
    </FlameGraph>
  );
}
