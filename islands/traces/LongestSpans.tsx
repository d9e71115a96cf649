import { useMemo } from "react";
import { formatFineDuration } from "../../components/format.ts";
import { longestSpans } from "../../monitoring/models/trace/longest_spans.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { KindMark } from "./SpanKinds.tsx";

/** As many as fit beside each other. */
const SHOWN = 3;

/**
 * Links to the spans in which the most time was spent.
 *
 * @param props.hrefOf link to the span with an id
 * @param props.onShow brings the span with a key into view
 */
export function LongestSpans({ trace, hrefOf, onShow }: {
  trace: Trace;
  hrefOf: (spanId: string) => string;
  onShow: (key: string) => void;
}) {
  const longest = useMemo(() => longestSpans(trace.tree, trace.times, SHOWN), [trace]);
  // Of two or three spans the waterfall shows as much.
  if (trace.tree.nodes.length < SHOWN) return null;
  return (
    <nav className="longest" aria-label="Longest spans">
      <span title="By their own time: without the time of their children">Longest spans</span>
      <ol>
        {longest.map(({ node: { key, span }, own_ms }) => (
          <li key={key} data-kind={spanKind(span!)}>
            <a href={hrefOf(span!.span_id)} title={span!.name} onClick={() => onShow(key)}>
              <KindMark />
              <b>{formatFineDuration(own_ms)}</b> {span!.op} {span!.name}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
