import { useMemo } from "react";
import { SpanDetail } from "./SpanDetail.tsx";
import { readAttributes } from "../../monitoring/models/trace/trace_span.ts";
import type { SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import type { PlacedMark, Trace } from "../../monitoring/models/trace/trace.ts";
import { CopyId } from "../shared/CopyButton.tsx";
import { fragmentTo } from "../shared/fragment.ts";

/** The span that was chosen, with what copies its ids. */
export function ChosenSpan({ node, trace, traceId, marks, hrefOf, onClose }: {
  node: SpanNode;
  trace: Trace;
  traceId: string;
  marks: readonly PlacedMark[];
  hrefOf: (mark: PlacedMark) => string;
  onClose: () => void;
}) {
  const { span } = node;
  const attributes = useMemo(() => span ? readAttributes(span.attributes) : [], [span]);
  return (
    <SpanDetail
      node={node}
      time={trace.times.of.get(node)!}
      origin={trace.start_ms}
      attributes={attributes}
      marks={marks}
      hrefOf={hrefOf}
      onClose={onClose}
      ids={
        <>
          {span && (
            <div>
              span <CopyId id={span.span_id} what="span id" />
            </div>
          )}
          {span?.parent_span_id && (
            <div>
              parent <CopyId id={span.parent_span_id} what="parent's id" />
            </div>
          )}
          <div>
            trace <CopyId id={traceId} what="trace id of the span" />
          </div>
        </>
      }
      envelope={span === null
        ? undefined
        : span.envelope === null
        ? "no envelope yet: live from this page"
        : <a href={fragmentTo("envelopes", [String(span.envelope)])}>envelope {span.envelope}</a>}
    />
  );
}
