import { cutText, formatDuration } from "../../components/format.ts";
import { levelKind } from "../../components/outcome.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { LogLevel } from "../../monitoring/protocol/log_levels.ts";
import type { LogRow, OccurrenceRow } from "../../monitoring/models/rows.ts";
import { useApplications, useList } from "../data/lists.ts";
import { linkTo } from "../data/fragment.ts";
import { labelsByKey } from "./application_labels.ts";

/** Rows of each list that are read: those that were received last. */
const MAX_ROWS = 50;
/** Characters of a message and of other texts: more than a line. */
const MAX_TEXT = 240;
const MAX_NAME = 80;

/** More would push the stack trace off the screen. */
const MAX_EARLIER = 5;

/**
 * Errors and logs of the same trace before an error or log, which are often its cause. Nothing if there are none.
 *
 * @param props.isItself whether a row is the error or log itself
 * @param props.at its time
 * @param props.level of the logs: this one and more severe ones
 */
export function SameTrace({ isItself, traceId, at, level }: {
  isItself: (row: LogRow | OccurrenceRow) => boolean;
  traceId: string;
  at: number;
  level: LogLevel;
}) {
  // The bound is exclusive.
  const query = { trace: traceId, until: String(Math.floor(at) + 1), limit: MAX_ROWS };
  const errors = useList("occurrences", query).rows;
  const logs = useList("logs", { ...query, level }).rows;
  const applications = useApplications();
  const labels = labelsByKey(applications?.rows ?? []);
  // The rows of the previous one stay until those of this one are read.
  const isOther = (row: LogRow | OccurrenceRow) => row.trace_id === traceId && !isItself(row);
  const items = itemsBefore(at, errors.filter(isOther), logs.filter(isOther));
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="before" className="before">
      <h4 id="before">Before it in the same trace</h4>
      <ul>
        {items.map(({ before, what, text, where, application: key, isError, path }, index) => {
          const origin = [where, labels.get(key)].filter(Boolean).join(", ");
          const kind = isError ? "refused" : levelKind(what);
          return (
            <li key={index}>
              <span className="when quiet">{formatDuration(Math.max(0, before))} before</span>{" "}
              <a
                className="one-line"
                href={linkTo(isError ? "errors" : "logs", path)}
              >
                <span className={kind}>
                  <OutcomeMark kind={kind} />
                  <b>{cutText(what, MAX_NAME)}</b>
                </span>{" "}
                {cutText(text, MAX_TEXT)}
              </a>{" "}
              <small className="one-line">{cutText(origin, 2 * MAX_NAME)}</small>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The last few errors and logs before a time, in their order. */
export function itemsBefore(
  at: number,
  errors: readonly OccurrenceRow[],
  logs: readonly LogRow[],
) {
  const items = [
    ...errors.map((row) => ({
      before: at - row.at,
      what: row.type,
      text: row.value,
      where: row.where,
      application: row.application,
      isError: true,
      /** Of the address in its view. */
      path: [row.group, String(row.envelope)],
    })),
    ...logs.map((row) => ({
      before: at - row.at,
      what: row.level,
      text: row.body,
      where: null,
      application: row.application,
      isError: false,
      path: [String(row.envelope), String(row.index)],
    })),
  ];
  // Times of errors are rounded to milliseconds.
  return items.filter(({ before }) => before > -1)
    .toSorted((a, b) => b.before - a.before).slice(-MAX_EARLIER);
}
