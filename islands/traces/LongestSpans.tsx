import { useMemo } from "react";
import { formatDuration } from "../../components/format.ts";
import { cyclesText, repetitionText } from "../../monitoring/models/trace/repetitions.ts";
import { longestSpans, SELF_TIME } from "../../monitoring/models/trace/self_time.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { KindMark } from "./SpanKinds.tsx";
import { Definition } from "../kit/Definition.tsx";

/** As many as fit beside each other. */
const SHOWN = 3;

export function LongestSpans({ trace, hrefOf, onShow }: {
  trace: Trace;
  hrefOf: (spanId: string) => string;
  onShow: (key: string) => void;
}) {
  const longest = useMemo(() => longestSpans(trace.tree, trace.times, SHOWN), [trace]);
  // Of two or three spans the waterfall shows as much.
  if (trace.tree.nodes.length < SHOWN) return null;
  return (
    <nav className="longest facts small" aria-label="Most self time">
      <Definition text={SELF_TIME}>Most self time</Definition>
      <ol className="facts">
        {longest.map(({ node: { key, span }, repetition, self_ms, duration_ms }) => (
          <li key={key} className="one-line" data-kind={spanKind(span!)}>
            <a
              href={hrefOf(span!.span_id)}
              title={[span!.op, span!.name, repetition && repetitionText(repetition)].join(" ")}
              onClick={() =>
                onShow(key)}
            >
              <KindMark />
              <b>{selfOfAll(self_ms, duration_ms)}</b> {repetition && `${cyclesText(repetition)} `}
              {repetition?.name ?? span!.name}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** `188 of 355 ms`: self time and duration. If they are equal, one of them. */
function selfOfAll(self_ms: number, duration_ms: number): string {
  const [part, duration] = [self_ms, duration_ms].map(formatDuration) as [string, string];
  if (part === duration) return part;
  const unit = duration.slice(duration.search(/\s/));
  return `${part.endsWith(unit) ? part.slice(0, -unit.length) : part} of ${duration}`;
}
