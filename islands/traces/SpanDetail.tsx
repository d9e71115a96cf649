import type { ReactNode } from "react";
import type { SpanAttribute } from "../../monitoring/models/trace/trace_span.ts";
import type { PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import type { SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import { formatFineDuration } from "../../components/format.ts";
import { Mark } from "../../components/Mark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { spanFacts } from "./time_facts.ts";

/**
 * All that is known of one span.
 *
 * @param props.ids the ids, as what copies them
 * @param props.envelope the link to the envelope that brought it
 */
export function SpanDetail(
  { node, time, origin, attributes, marks, hrefOf, ids, envelope, onClose }: {
    node: SpanNode;
    time: PlacedTime;
    /** The trace's start. */
    origin: number;
    attributes: readonly SpanAttribute[];
    marks: readonly PlacedMark[];
    hrefOf: (mark: PlacedMark) => string;
    ids: ReactNode;
    envelope: ReactNode;
    onClose: () => void;
  },
) {
  const { span } = node;
  const lasted = time.end_ms - time.start_ms;
  return (
    <aside className="span-detail" aria-labelledby="span-title">
      <header>
        <h3 id="span-title" tabIndex={-1}>{span?.name ?? "Parent did not arrive"}</h3>
        <button type="button" className="plain" onClick={onClose}>Close</button>
      </header>
      {spanFacts(node, time).map((fact) => (
        <p key={fact} className="waits">
          <Mark kind="waits" />
          {fact}
        </p>
      ))}
      <dl className="pairs">
        {span && (
          <>
            <Pair name="operation">{span.op ?? "none"}</Pair>
            <Pair name="made in">
              {span.origin}
              {span.sdk && <small>{span.sdk}</small>}
            </Pair>
            <Pair name="status">
              {span.failed && <Mark kind="refused" />}
              {span.status ?? (span.failed ? "failed" : "not set")}
            </Pair>
            <Pair name="starts">
              {formatFineDuration(time.start_ms - origin)} after the trace
              <small>
                <Timestamp at={time.start_ms} precision="ms" />
              </small>
            </Pair>
            <Pair name="lasts">
              {span.end_ms === null ? "no end yet" : formatFineDuration(lasted)}
            </Pair>
          </>
        )}
        <Pair name="children">{node.children.length}</Pair>
        <Pair name="ids">{ids}</Pair>
        {envelope && <Pair name="came in">{envelope}</Pair>}
      </dl>
      {marks.length > 0 && (
        <>
          <h4>Errors and logs</h4>
          <ul className="told-marks">
            {marks.map((mark) => (
              <li key={mark.key}>
                {mark.kind === "error" ? <Mark kind="refused" /> : <i className="log-mark" />}
                <a href={hrefOf(mark)}>{mark.text}</a>
                <small>
                  {mark.level}, {mark.astray
                    ? "at no credible time"
                    : `at ${formatFineDuration(mark.at_ms - origin)}`}
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
