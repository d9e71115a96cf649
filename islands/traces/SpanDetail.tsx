import { type ReactNode, useMemo } from "react";
import { formatFineDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import type { PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import { readAttributes } from "../../monitoring/models/trace/trace_span.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import { spanIdOf, type SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import type { PlacedMark, Trace } from "../../monitoring/models/trace/trace.ts";
import { ApplicationTile } from "../shared/ApplicationTile.tsx";
import { CopyId } from "../shared/CopyButton.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { momentHref } from "../shared/use_recording_href.ts";
import { KindMark } from "./SpanKinds.tsx";
import { EventMark } from "./TimeAxis.tsx";
import { Warnings } from "./TraceHeader.tsx";

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
    /** Errors and logs of the span. */
    marks: readonly PlacedMark[];
    /** Link to an error or a log. */
    hrefOf: (mark: PlacedMark) => string;
    onClose: () => void;
  },
) {
  const { span } = node;
  const time = trace.times.byNode.get(node)!;
  const attributes = useMemo(() => span ? readAttributes(span.attributes) : [], [span]);
  return (
    <aside
      className="span-detail"
      aria-labelledby="span-title"
      data-kind={span ? spanKind(span) : undefined}
    >
      <header>
        <h3 id="span-title" tabIndex={-1}>{span?.name ?? "Parent not received"}</h3>
        <button type="button" className="plain" onClick={onClose}>Close</button>
      </header>
      <Warnings warnings={spanWarnings(node, time)} />
      <dl className="pairs">
        {span && (
          <>
            <Pair name="Operation">
              <span data-kind={spanKind(span)}>
                <KindMark />
                {span.op ?? "none"}
              </span>
              <small>{spanKind(span)}</small>
              {/* The name of a request is shown without the trace's own host. */}
              {!/^(http\.client|resource)/.test(span.op ?? "") && (
                <a href={fragmentTo("traces", [], { op: span.op ?? undefined, name: span.name })}>
                  All traces with this span
                </a>
              )}
            </Pair>
            <Pair name="Sent by">
              {application && (
                <>
                  <ApplicationTile name={application} /> {application}
                </>
              )}
              <small>{span.side}</small>
              {span.sdk && <small>{span.sdk}</small>}
            </Pair>
            <Pair name="Status">
              {span.failed && <OutcomeMark kind="refused" />}
              {span.status ?? (span.failed ? "failed" : "not set")}
            </Pair>
            <Pair name="Started">
              {formatFineDuration(time.start_ms - trace.start_ms)} after the trace
              <small>
                <Timestamp at={time.start_ms} precision="ms" />
              </small>
              {replayId !== null && (
                <a href={momentHref(replayId, time.start_ms)}>Play at this moment</a>
              )}
            </Pair>
            <Pair name="Duration">
              {span.end_ms === null
                ? "no end yet"
                : formatFineDuration(time.end_ms - time.start_ms)}
            </Pair>
          </>
        )}
        <Pair name="Children">{node.children.length}</Pair>
        <Pair name="IDs">
          <div>
            span <CopyId id={spanIdOf(node)} what="span id" />
          </div>
          {span?.parent_span_id && (
            <div>
              parent <CopyId id={span.parent_span_id} what="parent span id" />
            </div>
          )}
          <div>
            trace <CopyId id={traceId} what="trace id of the span" />
          </div>
        </Pair>
        {span && (
          <Pair name="Envelope">
            {span.envelope === null
              ? "none yet: live from this page"
              : (
                <a href={fragmentTo("envelopes", [String(span.envelope)])}>
                  envelope {span.envelope}
                </a>
              )}
          </Pair>
        )}
      </dl>
      {marks.length > 0 && (
        <>
          <h4>Errors and logs</h4>
          <ul className="span-events">
            {marks.map((mark) => (
              <li key={mark.key}>
                <EventMark kind={mark.kind} />
                <a href={hrefOf(mark)}>{mark.text}</a>
                <small>
                  {mark.level}, at{" "}
                  {mark.astray
                    ? "an unknown time"
                    : formatFineDuration(mark.at_ms - trace.start_ms)}
                </small>
              </li>
            ))}
          </ul>
        </>
      )}
      {attributes.length > 0 && (
        <>
          <h4>Attributes</h4>
          <dl className="pairs">
            {attributes.map(({ name, value }) => <Pair key={name} name={name}>{value}</Pair>)}
          </dl>
        </>
      )}
    </aside>
  );
}

function Pair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Problems of a span's times and parents, and how it is drawn nevertheless. One sentence each. */
function spanWarnings(
  { cut, parent, span }: SpanNode,
  { isOpen, shift_ms }: PlacedTime,
): string[] {
  const warnings: string[] = [];
  if (isOpen) {
    warnings.push(
      span?.envelope === null
        ? "Still running: it is drawn until now."
        : "No end received: the span is still running, or its end was lost. It is drawn to the end of the trace.",
    );
  }
  if (shift_ms !== 0) {
    const [by, to] = [formatFineDuration(Math.abs(shift_ms)), shift_ms > 0 ? "later" : "earlier"];
    warnings.push(
      `Drawn ${by} ${to} than recorded: the server's clock differs from the browser's.`,
    );
  }
  if (cut === "itself") warnings.push("It is its own parent. It is shown as a root.");
  if (cut === "circle") warnings.push("Its parents form a cycle, which is cut at this span.");
  if (parent && parent.span === null) warnings.push("Its parent was not received.");
  return warnings;
}
