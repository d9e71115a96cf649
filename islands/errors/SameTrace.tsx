import { formatDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ShownError } from "../../monitoring/models/error/error_content.ts";
import { fragmentTo } from "../shared/fragment.ts";
import { nameWithSide } from "../shared/source_labels.ts";
import { itemsBefore } from "./before_error.ts";
import { levelKind } from "./ErrorLevel.tsx";
import { cutText } from "../shared/text.ts";
import { useList, useSourceList } from "../data/lists.ts";

/** Rows of each list that are read: those that were received last. */
const MAX_ROWS = 50;
/** Characters of a message and of other texts: more than a line. */
const MAX_TEXT = 240;
const MAX_NAME = 80;

/** Errors and warnings of the same trace before an error, which are often its cause. Nothing if there are none. */
export function SameTrace({ event, envelope, traceId, at }: {
  event: ShownError;
  envelope: number;
  traceId: string;
  at: number;
}) {
  // The bound is exclusive.
  const query = { trace: traceId, until: String(Math.floor(at) + 1), limit: MAX_ROWS };
  const view = { view: "errors" } as const;
  const errors = useList("occurrences", query, view).rows;
  const logs = useList("logs", { ...query, level: "warn" }, view).rows;
  const sourceList = useSourceList();
  const isShown = (row: typeof errors[number]) =>
    row.envelope === envelope && row.event_id === event.event_id;
  const items = itemsBefore(
    at,
    // The rows of the previous error stay until those of this one are read.
    errors.filter(({ trace_id }) => trace_id === traceId),
    logs.filter(({ trace_id }) => trace_id === traceId),
    isShown,
  );
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="error-before" className="before">
      <h4 id="error-before">In the same trace</h4>
      <ul>
        {items.map(({ before, what, text, where, source: key, error }, index) => {
          const sender = sourceList?.rows.find((one) => one.key === key);
          const origin = [where, sender && nameWithSide(sender)].filter(Boolean).join(", ");
          const kind = error ? "refused" : levelKind(what);
          return (
            <li key={index}>
              <span className="when">{formatDuration(Math.max(0, before))} before</span>{" "}
              <a
                href={error
                  ? fragmentTo("errors", error)
                  : fragmentTo("logs", [], { trace: traceId })}
              >
                <span className={kind}>
                  <OutcomeMark kind={kind} />
                  <b>{cutText(what, MAX_NAME)}</b>
                </span>{" "}
                {cutText(text, MAX_TEXT)}
              </a>{" "}
              <small>{cutText(origin, 2 * MAX_NAME)}</small>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
