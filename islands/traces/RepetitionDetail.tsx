import { useMemo } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { Marked } from "../../components/OutcomeMark.tsx";
import { commonName, type Repetition, unitOf } from "../../monitoring/models/trace/repetitions.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import type { TraceTimes } from "../../monitoring/models/trace/span_times.ts";
import { readAttributes } from "../../monitoring/models/trace/trace_span.ts";
import { DetailHead } from "../kit/DetailView.tsx";
import { Attributes } from "./SpanDetail.tsx";
import { KindMark } from "./SpanKinds.tsx";
import { Definition } from "../kit/Definition.tsx";

/** Bars of the chart: more are too narrow to be compared. */
const MAX_BARS = 60;

/** What is known about the spans of a repetition together. */
export function RepetitionDetail({ repetition, times, onClose }: {
  repetition: Repetition;
  times: TraceTimes;
  onClose: () => void;
}) {
  const { nodes, parts, runs, period, start_ms, end_ms, total_ms, parallel } = repetition;
  const { parent, span } = nodes[0]!;
  const what = unitOf(nodes[0]!);
  const equal = useMemo(() => equalAttributes(nodes), [nodes]);
  const durationOf = (node: SpanNode) => {
    const { start_ms, end_ms } = times.byNode.get(node)!;
    return end_ms - start_ms;
  };
  const shown = nodes.slice(0, MAX_BARS);
  const longest = shown.reduce((most, node) => Math.max(most, durationOf(node)), 0);
  return (
    <aside className="span-detail" aria-labelledby="span-title" data-kind={spanKind(span!)}>
      <DetailHead
        id="span-title"
        title={
          <>
            <KindMark /> {nodes.length} {what}{" "}
            {parent?.span && <small>in {parent.span.name}</small>}
          </>
        }
        onClose={onClose}
      />
      <ul className="well ruled">
        {parts.map((same, n) => (
          <li key={n} className="pattern-part mono">
            <span className="quiet">{same.length}×</span>
            <span>{commonName(same)}</span>
          </li>
        ))}
      </ul>
      <Marked as="p" kind="waits" className="pad">
        {period > 1 ? `${period} ${what} alternate ` : "The same "}
        {formatCount(repetition.times, "time")}
        {parallel > 1 && `, up to ${parallel} at once`}
      </Marked>
      <div className="entry">
        <KeyValueList
          isInLine
          entries={[
            {
              name: (
                <Definition text="Sum of their durations: longer than the time they took, if some ran at once">
                  In all
                </Definition>
              ),
              value: formatDuration(total_ms),
            },
            {
              name: (
                <Definition text="From the first start to the last end">First to last</Definition>
              ),
              value: formatDuration(end_ms - start_ms),
            },
          ]}
        />
      </div>
      <h4>
        {shown.length < nodes.length ? `The first ${MAX_BARS}` : "Each"} of the {nodes.length}
      </h4>
      <p className="facts small">
        {runs.map((ofPart, n) => (
          <span key={n}>
            <i className={n > 0 ? "kind-mark hatched" : "kind-mark solid"} />
            {formatDuration(sumOf(ofPart))}
          </span>
        ))}
        <span className="quiet end">up to {formatDuration(longest)}</span>
      </p>
      <div className="pattern-chart" aria-hidden="true">
        {shown.map((node) => (
          <i
            key={node.key}
            className={parts[0]!.includes(node) ? "solid" : "hatched"}
            title={`${node.span!.name}\n${formatDuration(durationOf(node))}`}
            style={{ height: `${durationOf(node) / (longest || 1) * 100}%` }}
          />
        ))}
      </div>
      <Attributes attributes={equal} title={`Attributes, equal in all ${nodes.length}`} />
    </aside>
  );
}

const sumOf = (runs: Repetition["runs"][number]) =>
  runs.reduce((sum, { start_ms, end_ms }) => sum + end_ms - start_ms, 0);

/** The attributes that all of some spans have with the same value. */
function equalAttributes([first, ...others]: readonly SpanNode[]) {
  const texts = others.map(({ span }) =>
    new Set(readAttributes(span!).map(({ name, value }) => `${name}\n${value}`))
  );
  return readAttributes(first!.span!).filter(({ name, value }) =>
    texts.every((has) => has.has(`${name}\n${value}`))
  );
}
