import { useMemo } from "react";
import { SELF_TIME } from "../../monitoring/models/trace/self_time.ts";
import { SPAN_KINDS, spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { countMarks, EventMark } from "./TimeAxis.tsx";
import { Definition } from "../kit/Definition.tsx";

/**
 * The mark of a span's kind: each has its own shape, so that colour is never the only difference. An element around
 * it has the kind as `data-kind`; `components/styles/span_kinds.css` has colours and shapes.
 */
export function KindMark() {
  return <i className="kind-mark" aria-hidden="true" />;
}

/**
 * The kinds of the trace's spans, its errors and logs, each with its mark and number.
 *
 * @param props.hasBars whether bars are solid where a span runs itself
 */
export function KindLegend({ trace: { tree, marks }, hasBars }: {
  trace: Trace;
  hasBars: boolean;
}) {
  const counts = useMemo(() => {
    const kinds = tree.nodes.flatMap(({ span }) => span ? [spanKind(span)] : []);
    const found = Map.groupBy(kinds, (kind) => kind);
    return SPAN_KINDS.flatMap((kind) => {
      const count = found.get(kind)?.length;
      return count === undefined ? [] : [{ kind, count }];
    });
  }, [tree]);
  return (
    <ul className="facts entry small quiet" aria-label="Kinds of spans">
      {counts.map(({ kind, count }) => (
        <li key={kind} data-kind={kind}>
          <KindMark />
          {kind} <b>{count}</b>
        </li>
      ))}
      {(["error", "log"] as const).map((kind) => {
        const ofKind = marks.filter((mark) => mark.kind === kind);
        return ofKind.length > 0 && (
          <li key={kind}>
            <EventMark kind={kind} />
            {countMarks(ofKind)}
          </li>
        );
      })}
      {hasBars && (
        <>
          <li>
            <i className="kind-mark" />
            <Definition text={SELF_TIME}>self time</Definition>
          </li>
          <li>
            <i className="kind-mark in-others" />in spans below or beside
          </li>
        </>
      )}
    </ul>
  );
}
