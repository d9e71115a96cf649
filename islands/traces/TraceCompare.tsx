import { useMemo } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import {
  compareTraces,
  type SpanPair,
  UNCHANGED_MS,
  UNCHANGED_SHARE,
} from "../../monitoring/models/trace/compare_traces.ts";
import { hasSelfTime, SELF_TIME } from "../../monitoring/models/trace/self_time.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import { mainSection } from "../../monitoring/models/trace/time_sections.ts";
import { readTrace, type Trace, type TraceSummary } from "../../monitoring/models/trace/trace.ts";
import { NO_CONTENT, omittedText } from "../../monitoring/models/trace/trace_content.ts";
import { displayName, isPageOp } from "../../monitoring/models/trace/trace_name.ts";
import { TracePicture } from "../charts/TracePicture.tsx";
import { useTraceContent } from "../data/use_read.ts";
import { Unread } from "../kit/Blank.tsx";
import { DetailView } from "../kit/DetailView.tsx";
import { type Column, Table } from "../kit/Table.tsx";
import { linkTo } from "../data/fragment.ts";
import { KindMark } from "./SpanKinds.tsx";
import { Definition } from "../kit/Definition.tsx";

/** Rows of the table. More are not readable. */
const MAX_PAIRS = 300;

/** A trace and the name that it has in the comparison. */
interface Side {
  readonly letter: "a" | "b";
  readonly id: string;
  readonly trace: Trace;
  /** What is not shown of a trace that is too large. */
  readonly omitted: string;
}

/** Two traces on one time scale (`#/traces/A/compare/B`), and their spans matched by operation and name. */
export function TraceCompare({ ids: [idA, idB] }: {
  ids: readonly [string, string];
}) {
  const contents = [useTraceContent(idA), useTraceContent(idB)] as const;
  const [{ value: storedA = NO_CONTENT }, { value: storedB = NO_CONTENT }] = contents;
  const a = useMemo(() => readTrace(storedA), [storedA]);
  const b = useMemo(() => readTrace(storedB), [storedB]);
  const comparison = useMemo(() => compareTraces(a, b, MAX_PAIRS), [a, b]);
  const sides: readonly Side[] = [
    { letter: "a", id: idA, trace: a, omitted: omittedText(storedA) },
    { letter: "b", id: idB, trace: b, omitted: omittedText(storedB) },
  ];
  const columns = columnsOf(sides);
  const isMissing = ({ trace: { tree, marks } }: Side) => tree.nodes.length + marks.length === 0;
  const missing = sides.find(isMissing);
  const unread = contents.find(({ state }) => state === "failed") ??
    (missing && (contents.find(({ state }) => state === "loading") ?? contents[0]));
  return (
    <DetailView
      className="trace"
      back="Trace A"
      backHref={linkTo("traces", [idA])}
      title="Two traces compared"
      actions={
        <>
          <a href={chooseHref(idA, a.summary)}>Choose another B</a>
          <a href={linkTo("traces", [idB, "compare", idA])}>Swap</a>
        </>
      }
    >
      {unread
        ? <Unread what={missing ? `trace ${missing.letter.toUpperCase()}` : "trace"} of={unread} />
        : (
          <>
            {sides.map((side) => (
              <Picture key={side.letter} side={side} width_ms={comparison.width_ms} />
            ))}
            <p className="quiet">
              Ordered by the change of{" "}
              <Definition text={SELF_TIME}>self time</Definition>, largest first. Web vitals are
              left out.
            </p>
            <Table
              caption="Spans of both traces, largest change of their self time first"
              columns={columns}
              rows={comparison.pairs}
              keyOf={({ a, b }) => `${a?.span.span_id} ${b?.span.span_id}`}
            />
            <p className="empty">
              {formatCount(comparison.unchanged, "span")} not shown: durations differ by less than
              {" "}
              {formatDuration(UNCHANGED_MS)} or{" "}
              {UNCHANGED_SHARE * 100}&nbsp;%, whatever their self times.
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
  return linkTo(
    "traces",
    [traceId, "compare"],
    isLoaded ? { name: summary.name, op: summary.op ?? undefined } : {},
  );
}

/** One of the traces: its name, facts and waterfall as a picture, as wide as the longer one. */
function Picture(
  { side: { letter, id, trace, omitted }, width_ms }: { side: Side; width_ms: number },
) {
  const { started_at, spans, errors, logs, duration_ms } = trace.summary;
  const { start_ms } = mainSection(trace.sections);
  const facts = [
    duration_ms === null ? "–" : formatDuration(duration_ms),
    formatCount(spans, "span"),
    ...errors > 0 ? [formatCount(errors, "error")] : [],
    ...logs > 0 ? [formatCount(logs, "log")] : [],
  ];
  return (
    <figure className="compared">
      <figcaption className="facts">
        <a href={linkTo("traces", [id])}>
          {letter.toUpperCase()}: {displayName(trace.summary)}
        </a>
        <small>
          <Timestamp at={started_at ?? trace.start_ms} /> · {facts.join(" · ")}
        </small>
        {omitted !== "" && <small className="waits">{omitted}</small>}
      </figcaption>
      <div className="well">
        <TracePicture trace={trace} frame={{ start_ms, end_ms: start_ms + width_ms }} />
      </div>
    </figure>
  );
}

/** A span of two compared traces: its name, its duration in each, and the difference. */
const columnsOf = (sides: readonly Side[]): readonly Column<SpanPair>[] => [
  {
    title: "Span",
    isHead: true,
    cell: ({ name, a, b }) => {
      const { span } = (a ?? b)!;
      return (
        <span data-kind={spanKind(span)}>
          <KindMark />
          {span.op && <b>{span.op}</b>} {name}
        </span>
      );
    },
  },
  ...sides.map(({ letter, id }): Column<SpanPair> => ({
    title: letter.toUpperCase(),
    width: 5,
    numeric: true,
    cell: (pair) => <Duration traceId={id} compared={pair[letter]} />,
  })),
  { title: "B − A", width: 7, numeric: true, cell: (pair) => <Difference {...pair} /> },
];

function Difference({ a, b, difference_ms, self_difference_ms }: SpanPair) {
  const { op } = (a ?? b)!.span;
  const by = difference_ms ?? 0;
  // A session that lasts longer is not slower.
  const colour = by === 0 || isPageOp(op) ? undefined : by > 0 ? "refused" : "flows";
  return (
    <span className={colour}>
      {!a || !b ? `only in ${a ? "A" : "B"}` : difference_ms === null ? "–" : formatChange(by)}{" "}
      {hasSelfTime(op) && self_difference_ms !== null && (
        <small>self {formatChange(self_difference_ms)}</small>
      )}
    </span>
  );
}

/** `+290 ms`, `−5 ms`, `0 ms`. */
const formatChange = (ms: number) =>
  `${ms > 0 ? "+" : ms < 0 ? "−" : ""}${formatDuration(Math.abs(ms))}`;

/** Duration of a span in one of the traces, with a link to it. */
function Duration({ traceId, compared }: { traceId: string; compared: SpanPair["a"] }) {
  if (compared === undefined) return "–";
  const { span, duration_ms } = compared;
  return (
    <a href={linkTo("traces", [traceId], { span: span.span_id })}>
      {span.failed && <OutcomeMark kind="refused" />}
      {duration_ms === null ? "–" : formatDuration(duration_ms)}
      {span.failed && <span className="vh">, failed</span>}
    </a>
  );
}
