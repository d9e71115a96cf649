import { useMemo } from "react";
import { formatCount, formatFineDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { compareTraces, type SpanPair } from "../../monitoring/models/trace/compare_traces.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import { readTrace, type Trace, type TraceSummary } from "../../monitoring/models/trace/trace.ts";
import { displayName, isPageOp } from "../../monitoring/models/trace/trace_name.ts";
import { DetailView } from "../kit/DetailView.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { spanClasses } from "./span_classes.ts";
import { KindMark } from "./SpanKinds.tsx";
import { barOf } from "../charts/time_scale.ts";
import { useTraceContent } from "../data/trace_content.ts";

/** Rows of the table. More are not readable. */
const MAX_PAIRS = 300;

/** A trace and the name that it has in the comparison. */
interface Side {
  readonly letter: "a" | "b";
  readonly id: string;
  readonly trace: Trace;
}

/**
 * Two traces side by side on one time scale (`#/traces/A/compare/B`), with their spans matched by operation and name.
 *
 * @param props.ids of A and B
 * @param props.takesFocus focuses the heading: the link that was followed is not on the page any more
 */
export function TraceCompare({ ids: [idA, idB], takesFocus }: {
  ids: readonly [string, string];
  takesFocus: boolean;
}) {
  const contents = [useTraceContent(idA, "traces"), useTraceContent(idB, "traces")] as const;
  const [{ value: valueA }, { value: valueB }] = contents;
  const a = useMemo(() => readTrace(valueA?.parts ?? []), [valueA]);
  const b = useMemo(() => readTrace(valueB?.parts ?? []), [valueB]);
  const comparison = useMemo(() => compareTraces(a, b, MAX_PAIRS), [a, b]);
  const sides: readonly Side[] = [
    { letter: "a", id: idA, trace: a },
    { letter: "b", id: idB, trace: b },
  ];
  const isMissing = ({ trace: { tree, marks } }: Side) => tree.nodes.length + marks.length === 0;
  const missing = sides.find(isMissing);
  const failed = contents.find(({ state }) => state === "failed");
  return (
    <DetailView
      className="trace"
      back={{ text: "Trace A", href: fragmentTo("traces", [idA]) }}
      title="Two traces compared"
      header={
        <>
          <a href={chooseHref(idA, a.summary)}>Choose another B</a>
          <a href={fragmentTo("traces", [idB, "compare", idA])}>Swap</a>
        </>
      }
      takesFocus={takesFocus}
    >
      {failed
        ? <ReadFailure message={failed.error} retry={failed.retry} />
        : missing
        ? (
          <p className="empty">
            {contents.some(({ state }) => state === "loading")
              ? "Loading the traces."
              : `Trace ${missing.letter.toUpperCase()} not found: it was not received, or it was deleted.`}
          </p>
        )
        : (
          <>
            <table className="compare">
              <caption className="vh">
                Spans of both traces, largest change of their self time first
              </caption>
              <thead>
                <tr>
                  <th scope="col">Span</th>
                  {sides.map((side) => <SideHead key={side.letter} side={side} />)}
                  <th scope="col" className="n" title="Duration in B minus in A">B − A</th>
                </tr>
              </thead>
              <tbody>
                {comparison.pairs.map((pair) => (
                  <PairRow
                    key={`${pair.a?.node.key} ${pair.b?.node.key}`}
                    pair={pair}
                    sides={sides}
                    width_ms={comparison.width_ms}
                  />
                ))}
              </tbody>
            </table>
            <p className="empty">
              The largest change of self time first; web vitals are left out.{" "}
              {formatCount(comparison.unchanged, "span")} unchanged.
              {comparison.omitted > 0 &&
                ` ${formatCount(comparison.omitted, "span")} with smaller changes not shown.`}
            </p>
          </>
        )}
    </DetailView>
  );
}

/** The list in which the trace to compare with is chosen, at first of those with the same name. */
export function chooseHref(traceId: string, summary: TraceSummary): string {
  const { spans, errors, logs } = summary;
  // Before the trace is loaded it has no name to search for.
  const isLoaded = spans + errors + logs > 0;
  return fragmentTo(
    "traces",
    [traceId, "compare"],
    isLoaded ? { name: summary.name, op: summary.op ?? undefined } : {},
  );
}

/** Name and facts of one of the traces. */
function SideHead({ side: { letter, id, trace } }: { side: Side }) {
  const { spans, errors, logs, duration_ms } = trace.summary;
  const facts = [
    duration_ms === null ? "no end" : formatFineDuration(duration_ms),
    formatCount(spans, "span"),
    ...errors > 0 ? [formatCount(errors, "error")] : [],
    ...logs > 0 ? [formatCount(logs, "log")] : [],
  ];
  return (
    <th scope="col">
      <a href={fragmentTo("traces", [id])}>
        {letter.toUpperCase()}: {displayName(trace.summary)}
      </a>
      <br />
      <small>
        <Timestamp at={trace.summary.started_at ?? trace.start_ms} /> · {facts.join(" · ")}
      </small>
    </th>
  );
}

/**
 * A span of two compared traces: its name, its time in each, and the difference.
 *
 * @param props.width_ms length of the time scale
 */
function PairRow({ pair, sides, width_ms }: {
  pair: SpanPair;
  sides: readonly Side[];
  width_ms: number;
}) {
  const { a, b, difference_ms } = pair;
  const { span } = (a ?? b)!;
  const by = difference_ms ?? 0;
  // A visit that lasts longer is not slower.
  const colour = by === 0 || isPageOp(span.op) ? "" : by > 0 ? "refused" : "flows";
  return (
    <tr data-kind={spanKind(span)}>
      <th scope="row" title={span.name}>
        <KindMark />
        {span.op && <b>{span.op}</b>} {span.name}
      </th>
      {sides.map((side) => <SpanCell key={side.letter} {...{ side, pair, width_ms }} />)}
      <td className={`n ${colour}`}>
        {!a || !b
          ? `only in ${a ? "A" : "B"}`
          : difference_ms === null
          ? "–"
          : `${by > 0 ? "+" : "−"}${formatFineDuration(Math.abs(by))}`}
      </td>
    </tr>
  );
}

/** Duration and bar of a span in one of the traces. */
function SpanCell({ side: { letter, id, trace }, pair, width_ms }: {
  side: Side;
  pair: SpanPair;
  width_ms: number;
}) {
  const compared = pair[letter];
  if (compared === undefined) return <td className="quiet" data-side={letter}>–</td>;
  const { span, node, start_ms, duration_ms } = compared;
  const end_ms = duration_ms === null ? width_ms : start_ms + duration_ms;
  const bar = barOf({ start_ms: 0, end_ms: width_ms }, { start_ms, end_ms });
  return (
    <td className={spanClasses(span, trace.times.byNode.get(node)!)} data-side={letter}>
      <a href={fragmentTo("traces", [id], { span: span.span_id })}>
        {span.failed && <OutcomeMark kind="refused" />}
        {duration_ms === null ? "no end" : formatFineDuration(duration_ms)}
        {span.failed && <span className="vh">, failed</span>}
      </a>
      <div className="track">
        {bar.out === undefined && (
          <span className="span-bar" style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />
        )}
      </div>
    </td>
  );
}
