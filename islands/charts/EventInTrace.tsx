import { formatCount, formatDuration, formatNumber } from "../../components/format.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { mainSection, sectionDuring } from "../../monitoring/models/trace/time_sections.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import { percentAt } from "../charts/time_scale.ts";
import { TracePicture } from "../charts/TracePicture.tsx";
import { useTrace } from "../kit/PlayLink.tsx";

/**
 * A trace, such as that of an error or log, as a small picture that leads to it, with a line at its time. Nothing until the trace
 * is read, or if it has no spans.
 *
 * @param props.what title of the line
 * @param props.during shows the roots during this time alone
 */
export function EventInTrace({ traceId, isEvent, what, href, during }: {
  traceId: string;
  isEvent?: (mark: PlacedMark) => boolean;
  what?: string;
  href: string;
  during?: Extent;
}) {
  const trace = useTrace(traceId);
  if (!trace || trace.summary.spans === 0) return null;
  const { sections, marks } = trace;
  const section = during && sectionDuring(trace.tree, trace.times, during);
  if (section === null) {
    return <a className="event-trace bare" href={href}>Trace, without spans at that time</a>;
  }
  const { duration_ms, spans, failed } = section ?? trace.summary;
  const at = marks.find((mark) => !mark.astray && isEvent?.(mark))?.at_ms;
  const contains = ({ start_ms, end_ms }: Extent) =>
    at !== undefined && start_ms <= at && at <= end_ms;
  const frame = section ?? sections.find(contains) ?? mainSection(sections);
  return (
    <a className="event-trace bare" href={href}>
      <b>Trace</b>{" "}
      <small>
        {duration_ms !== null && `${formatDuration(duration_ms)}, `}
        {formatCount(spans, "span")}
        {failed > 0 && `, ${formatNumber(failed)} failed`}
      </small>
      <span className="frame">
        <TracePicture trace={trace} frame={frame} />
        {at !== undefined && <i style={{ left: `${percentAt(frame, at)}%` }} title={what} />}
      </span>
    </a>
  );
}
