import { type ReactNode, useMemo, useState } from "react";
import { formatCount, formatFineDuration } from "../../components/format.ts";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { compareTraces, type SpanPair } from "../../monitoring/models/trace/compare_traces.ts";
import { ticks as ticksOf } from "../../monitoring/models/trace/time_window.ts";
import { readTrace, type Trace, type TraceSummary } from "../../monitoring/models/trace/trace.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { type VitalName, VITALS } from "../../monitoring/models/trace/web_vitals.ts";
import { fragmentTo } from "../shared/fragment.ts";
import { useStableMemo } from "../shared/stable.ts";
import { Difference, PairRow, type Side } from "./PairRow.tsx";
import { percentAt } from "./time_scale.ts";
import { useTraceContent } from "./use_trace_content.ts";
import { type FormattedVital, formatVitals, Rating } from "./WebVitals.tsx";
import { DetailView } from "../kit/DetailView.tsx";

/** Rows of the table. More are not readable. */
const MAX_PAIRS = 300;
/** Ticks on the scale of each trace. */
const TICKS = 4;

/**
 * Two traces side by side on one time scale (`#/traces/A/compare/B`), with their spans matched by operation and name.
 *
 * @param props.ids of A and B
 * @param props.takesFocus focuses the heading: the link that was followed is not on the page any more
 */
export function TraceCompare({ ids, takesFocus }: {
  ids: readonly [string, string];
  takesFocus: boolean;
}) {
  const [idA, idB] = ids;
  const [contentA, contentB] = [useTraceContent(idA), useTraceContent(idB)];
  const a = useStableMemo(() => readTrace(contentA.value?.parts ?? []), [contentA.value]);
  const b = useStableMemo(() => readTrace(contentB.value?.parts ?? []), [contentB.value]);
  const comparison = useMemo(() => compareTraces(a, b, MAX_PAIRS), [a, b]);
  const sides: readonly Side[] = [
    { letter: "A", id: idA, trace: a },
    { letter: "B", id: idB, trace: b },
  ];
  const vitals = useMemo(() => vitalPairs([a, b]), [a, b]);
  const rowsOf = (pairs: readonly SpanPair[]) =>
    pairs.map((pair) => (
      <PairRow
        key={`${pair.a?.node.key} ${pair.b?.node.key}`}
        pair={pair}
        sides={sides}
        width_ms={comparison.width_ms}
      />
    ));
  const folded = [
    ["only in A", comparison.onlyA],
    ["only in B", comparison.onlyB],
    ["unchanged", comparison.unchanged],
  ] as const;
  const missing = sides.find(({ trace: { tree, marks } }) =>
    tree.nodes.length + marks.length === 0
  );
  const failed = [contentA, contentB].find((content) => content.state === "failed");
  const isLoading = contentA.state === "loading" || contentB.state === "loading";
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
            {isLoading
              ? "Loading the traces."
              : `Trace ${missing.letter} not found: it was not received, or it was deleted.`}
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
                  <th scope="col" className="n">B against A</th>
                </tr>
              </thead>
              <tbody className="totals">
                <tr>
                  <th scope="row">Duration</th>
                  {sides.map(({ letter, trace }) => (
                    <FactCell
                      key={letter}
                      letter={letter}
                      value={durationText(trace.summary.duration_ms)}
                    />
                  ))}
                  <Difference
                    by={differenceOf(a.summary.duration_ms, b.summary.duration_ms)}
                    of="duration"
                  />
                </tr>
                {vitals.map(({ name, ofSides, difference }) => (
                  <tr key={name}>
                    <th scope="row" title={VITALS[name].title}>{name.toUpperCase()}</th>
                    {sides.map(({ letter }, n) => (
                      <FactCell key={letter} letter={letter} value="–" {...ofSides[n]} />
                    ))}
                    <Difference by={difference} of={name === "cls" ? "score" : "duration"} />
                  </tr>
                ))}
              </tbody>
              <tbody>
                <Scales width_ms={comparison.width_ms} />
                {rowsOf(comparison.changed)}
              </tbody>
              {folded.map(([title, pairs]) => (
                <FoldedRows key={title} title={title} count={pairs.length}>
                  {() =>
                    rowsOf(pairs)}
                </FoldedRows>
              ))}
            </table>
            {comparison.omitted > 0 && (
              <p className="empty">
                {formatCount(comparison.omitted, "span")} with smaller changes not shown.
              </p>
            )}
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
  const { spans, errors, failed, logs } = trace.summary;
  const facts = [
    formatCount(spans, "span"),
    ...errors > 0 ? [formatCount(errors, "error")] : [],
    ...failed > 0 ? [`${failed} failed`] : [],
    ...logs > 0 ? [formatCount(logs, "log")] : [],
  ];
  return (
    <th scope="col">
      <a href={fragmentTo("traces", [id])}>{letter}: {displayName(trace.summary)}</a>
      <small>
        <Timestamp at={trace.start_ms} /> · {facts.join(" · ")}
      </small>
    </th>
  );
}

/** Rows behind a button, `12 spans only in A`; nothing if there are none. */
function FoldedRows({ title, count, children }: {
  title: string;
  count: number;
  children: () => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  if (count === 0) return null;
  return (
    <tbody>
      <tr>
        <td colSpan={4}>
          <button
            type="button"
            className="plain"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "▾" : "▸"} {formatCount(count, "span")} {title}
          </button>
        </td>
      </tr>
      {isOpen && children()}
    </tbody>
  );
}

/** The time scale above the bars of each trace. */
function Scales({ width_ms }: { width_ms: number }) {
  const scale = { start_ms: 0, end_ms: width_ms };
  const ticks = ticksOf(scale, 0, TICKS).map(({ offset_ms, label }) => {
    const left = percentAt(scale, offset_ms);
    return (
      <span
        key={offset_ms}
        className={left > 85 ? "label-left" : ""}
        style={{ left: `${left}%` }}
      >
        {label}
      </span>
    );
  });
  return (
    <tr className="scales" aria-hidden="true">
      <td />
      {["A", "B"].map((letter) => (
        <td key={letter}>
          <div className="ticks">{ticks}</div>
        </td>
      ))}
      <td className="n" />
    </tr>
  );
}

function FactCell({ letter, value, rating }: {
  letter: string;
  value: string;
  rating?: FormattedVital["rating"];
}) {
  return (
    <td>
      <b className="letter">{letter}</b>
      <span className="took">{value}</span>
      {rating && (
        <small>
          <Rating rating={rating} />
        </small>
      )}
    </td>
  );
}

/** The vitals that at least one of the traces has. */
function vitalPairs(traces: readonly Trace[]) {
  return (Object.keys(VITALS) as VitalName[]).flatMap((name) => {
    const found = traces.map(({ vitals }) => vitals.find((vital) => vital.name === name));
    const [a, b] = found;
    if (a === undefined && b === undefined) return [];
    const ofSides = found.map((vital) => vital && formatVitals([vital])[0]);
    return [{ name, ofSides, difference: a && b ? b.value - a.value : null }];
  });
}
const durationText = (ms: number | null) => ms === null ? "–" : formatFineDuration(ms);
const differenceOf = (a: number | null, b: number | null) =>
  a === null || b === null ? null : b - a;
