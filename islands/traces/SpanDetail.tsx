import { useMemo } from "react";
import { formatDuration, formatOffset } from "../../components/format.ts";
import { breakable } from "../../components/breakable.tsx";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { readAiSpan } from "../../monitoring/models/ai/ai_span.ts";
import type { PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import { hasSelfTime, SELF_TIME, selfTimes } from "../../monitoring/models/trace/self_time.ts";
import {
  durationOf,
  readAttributes,
  type SpanAttribute,
  type TraceSpan,
} from "../../monitoring/models/trace/trace_span.ts";
import { isQuery, spanKind } from "../../monitoring/models/trace/span_kind.ts";
import { spanIdOf, type SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import type { PlacedMark, Trace } from "../../monitoring/models/trace/trace.ts";
import { ValueLinks } from "../kit/ValueLinks.tsx";
import { CopyMenu, DetailHead } from "../kit/DetailView.tsx";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { CopyId } from "../kit/CopyButton.tsx";
import { linkTo } from "../data/fragment.ts";
import { PlayLink } from "../kit/PlayLink.tsx";
import { KindMark } from "./SpanKinds.tsx";
import { SpanProfile } from "./SpanProfile.tsx";
import { SpanEvents } from "./SpanEvents.tsx";
import { spanDuration } from "./SpanRow.tsx";
import { EventMark } from "./TimeAxis.tsx";
import { Warnings } from "./TraceHeader.tsx";
import { Definition } from "../kit/Definition.tsx";

/** Everything that is known about the selected span. */
export function SpanDetail(
  { node, application, trace, traceId, replayId, marks, hrefOf, onClose }: {
    node: SpanNode;
    /** Undefined: it is not known. */
    application: string | undefined;
    trace: Trace;
    traceId: string;
    /** Of the recording that ran, if segments of it have arrived. */
    replayId: string | null;
    marks: readonly PlacedMark[];
    /** Link to an error or a log. */
    hrefOf: (mark: PlacedMark) => string;
    onClose: () => void;
  },
) {
  const { span } = node;
  const name = span?.name ?? "Missing parent";
  const isStatement = span !== null && isQuery(span);
  const time = trace.times.byNode.get(node)!;
  const selfMs = useMemo(() => selfTimes(trace.tree, trace.times).get(node) ?? 0, [trace, node]);
  const all = useMemo(() => span ? attributesOf(span) : [], [span]);
  const startMs = span?.start_ms ?? null;
  const phases = startMs === null ? [] : phasesOf(all, startMs);
  const attributes = startMs === null ? all : all.filter((attribute) => !isPhase(attribute));
  return (
    <aside
      className="span-detail"
      aria-labelledby="span-title"
      data-kind={span ? spanKind(span) : undefined}
    >
      <DetailHead
        id="span-title"
        title={<span className={isStatement ? "mono" : undefined}>{name}</span>}
        facts={span && (
          <>
            <span data-kind={spanKind(span)}>
              <KindMark />
              {span.op ?? "no operation"} <span className="vh">{spanKind(span)}</span>
            </span>
            {application && (
              <span>
                <ApplicationTile name={application} /> {application}
              </span>
            )}
            <span title={span.sdk ?? undefined}>{span.side}</span>
            <span>
              {span.failed && <OutcomeMark kind="refused" />}
              {span.status ?? (span.failed ? "failed" : "no status")}
              {span.status_message && `: ${span.status_message}`}
            </span>
          </>
        )}
        actions={<CopyMenu what="span" texts={{ "Copy name": () => name }} />}
        onClose={onClose}
      />
      {span && (
        <div className="pad">
          <KeyValueList
            isInLine
            entries={[
              { name: "Duration", value: spanDuration(span) },
              {
                name: <Definition text={SELF_TIME}>Self time</Definition>,
                value: hasSelfTime(span.op) && !time.isOpen ? formatDuration(selfMs) : "none",
              },
              { name: "Starts at", value: formatOffset(time.start_ms - trace.origin_ms) },
            ]}
          />
        </div>
      )}
      {span && <SpanProfile traceId={traceId} span={span} />}
      <Warnings warnings={spanWarnings(node, time)} />
      {/* The name of a request is shown without the trace's own host. */}
      {span && !/^(http\.client|resource)/.test(span.op ?? "") && (
        <a href={linkTo("traces", [], { op: span.op ?? undefined, name: span.name })}>
          All traces with this span
        </a>
      )}
      {span && readAiSpan(span) && (
        <p>
          <a href={linkTo("ai", [traceId, span.span_id], { span: span.span_id })}>
            Open AI run with messages
          </a>
        </p>
      )}
      <KeyValueList
        entries={[
          span !== null && {
            name: "Started",
            value: (
              <>
                <Timestamp
                  at={isPlaced(span, time) ? time.start_ms : span.start_ms}
                  precision="ms"
                />{" "}
                <PlayLink
                  replayId={replayId}
                  moment={{ ...time, at_ms: time.start_ms, application: span.application }}
                />
              </>
            ),
          },
          { name: "Span", value: <CopyId id={spanIdOf(node)} what="span id" /> },
          !!span?.parent_span_id && {
            name: "Parent",
            value: <CopyId id={span.parent_span_id} what="parent span id" />,
          },
          { name: "Trace", value: <CopyId id={traceId} what="trace id of the span" /> },
          !!span?.kind && span.kind !== "internal" && { name: "Kind", value: span.kind },
          span !== null && {
            name: "Envelope",
            value: <a href={linkTo("envelopes", [`${span.envelope}`])}>{span.envelope}</a>,
          },
        ]}
      />
      {marks.length > 0 && (
        <>
          <h4>Errors and logs</h4>
          <ul className="span-events">
            {marks.map((mark) => (
              <li key={mark.key}>
                <EventMark kind={mark.kind} />
                <a href={hrefOf(mark)}>{mark.text}</a>{" "}
                <small>
                  {mark.level}, at{" "}
                  {mark.astray ? "an unknown time" : formatOffset(mark.at_ms - trace.origin_ms)}
                </small>
              </li>
            ))}
          </ul>
        </>
      )}
      {span && (
        <SpanEvents
          span={span}
          offsetOf={(at_ms) => at_ms + time.shift_ms - trace.origin_ms}
        />
      )}
      {phases.length > 0 && (
        <div className="attributes">
          <h4>Phases of the request</h4>
          <KeyValueList entries={phases} />
        </div>
      )}
      <Attributes attributes={attributes} title="Attributes" />
      <Attributes
        attributes={readAttributes({ attributes: trace.resources[span?.resource ?? -1] ?? {} })}
        title="Resource"
      />
    </aside>
  );
}

/** Attributes with the links to what else has them. */
export function Attributes({ attributes, title }: {
  attributes: readonly SpanAttribute[];
  title: string;
}) {
  return attributes.length > 0 && (
    <div className="attributes">
      <h4>{title}</h4>
      <KeyValueList
        entries={attributes.map(({ name, value, unit = "" }) => ({
          name: breakable(name),
          value: (
            <>
              {breakable(`${value} ${unit}`)} <ValueLinks name={name} value={value} />
            </>
          ),
        }))}
      />
    </div>
  );
}

/**
 * Attributes with the time of an event of a request, in seconds since 1970; 0: it did not occur, or the browser keeps it for its own
 * origin. Sentry's browser SDK takes them from Resource Timing (https://www.w3.org/TR/resource-timing/).
 */
const PHASE = /^http\.request\.(\w+_(?:start|end))$/;

const isPhase = ({ name, value }: SpanAttribute) => PHASE.test(name) && Number(value) >= 0;

/** The events of a request that occurred, in their order, as time after the span's start. */
const phasesOf = (attributes: readonly SpanAttribute[], start_ms: number) =>
  attributes.filter((attribute) => isPhase(attribute) && Number(attribute.value) > 0)
    .sort((a, b) => Number(a.value) - Number(b.value))
    .map(({ name, value }) => ({
      name: PHASE.exec(name)![1]!.replaceAll("_", " "),
      value: `after ${formatDuration(Number(value) * 1_000 - start_ms)}`,
    }));

/** What a query knows of a span, and its attributes: some SDKs send the same as both. */
export function attributesOf(span: TraceSpan): SpanAttribute[] {
  const { op, application_name: application, environment, release } = span;
  const fields = Object.entries({ op, application, environment, release })
    .flatMap(([name, value]): SpanAttribute[] => value === null ? [] : [{ name, value }]);
  const all = [...fields, ...readAttributes(span)];
  return [...new Map(all.map((one) => [`${one.name}\n${one.value}`, one])).values()];
}

const isPlaced = ({ start_ms }: TraceSpan, time: PlacedTime) =>
  start_ms !== null && Math.abs(start_ms + time.shift_ms - time.start_ms) < 1;

/** Problems of a span's times and parents, and how it is drawn nevertheless. One sentence each. */
function spanWarnings({ span, cut, parent }: SpanNode, time: PlacedTime): string[] {
  const { isOpen, shift_ms } = time;
  const [by, to] = [formatDuration(Math.abs(shift_ms)), shift_ms > 0 ? "later" : "earlier"];
  return [
    span !== null && !isPlaced(span, time) &&
    "Its start is missing, or over a week from most others': drawn at its end or its parent's start.",
    span?.listed_at !== undefined &&
    "It has no plausible start: lists have it when it arrived, and without a duration.",
    span !== null && span.start_ms !== null && !isOpen && durationOf(span) === null &&
    "It has no end after its start.",
    isOpen &&
    "No valid end received: the span is still running, or its end was lost. It is drawn to the end of the trace.",
    shift_ms !== 0 &&
    `Drawn ${by} ${to} than recorded: the server's clock differs.`,
    cut === "itself" && "It is its own parent. It is shown as a root.",
    cut === "circle" && "Its parents form a cycle, which is cut at this span.",
    parent?.span === null && "Its parent is missing.",
  ].filter((warning) => warning !== false);
}
