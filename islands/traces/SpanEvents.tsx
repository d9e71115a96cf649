import { formatOffset, shortId } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { readAttributes, type TraceSpan } from "../../monitoring/models/trace/trace_span.ts";
import { spanHref } from "../data/fragment.ts";
import type { LogAttributes } from "../../monitoring/protocol/log_levels.ts";

/**
 * What OpenTelemetry records with a span: events, and links to spans, mostly of other traces.
 *
 * @param props.offsetOf milliseconds from the start of the trace to a time by the sender's clock
 */
export function SpanEvents({ span: { events = [], links = [] }, offsetOf }: {
  span: TraceSpan;
  offsetOf: (at_ms: number) => number;
}) {
  return (
    <>
      {events.length > 0 && (
        <div className="attributes">
          <h4>Events</h4>
          <ul className="span-events">
            {events.map(({ name, at_ms, attributes }, index) => (
              <li key={index}>
                <b>{name || "(event without a name)"}</b>{" "}
                <small>
                  at {at_ms === null ? "an unknown time" : formatOffset(offsetOf(at_ms))}
                </small>
                <Attributes attributes={attributes} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {links.length > 0 && (
        <div className="attributes">
          <h4>Linked spans</h4>
          <ul className="span-events">
            {links.map(({ trace_id, span_id, attributes }, index) => (
              <li key={index}>
                <a href={spanHref({ trace_id, span_id })}>
                  {span_id === null ? "Trace" : `Span ${shortId(span_id)} of trace`}{" "}
                  {shortId(trace_id)}
                </a>
                <Attributes attributes={attributes} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Attributes({ attributes }: { attributes: LogAttributes }) {
  const entries = readAttributes({ attributes });
  return entries.length > 0 && <KeyValueList entries={entries} />;
}
