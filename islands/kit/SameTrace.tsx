import type { ReactNode } from "react";
import { cutText, ellipsize, formatDuration, formatNumber } from "../../components/format.ts";
import { levelKind } from "../../components/outcome.ts";
import { Marked } from "../../components/OutcomeMark.tsx";
import { indexAt } from "../../monitoring/models/index/list_cursor.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import type { TraceMark } from "../../monitoring/models/trace/trace_span.ts";
import { type LogLevel, severityOf } from "../../monitoring/protocol/log_levels.ts";
import { linkTo } from "../data/fragment.ts";
import { useApplications } from "../data/lists.ts";
import { labelsByKey } from "../../monitoring/models/application_rows.ts";
import { Part } from "./Part.tsx";
import { useTrace } from "./PlayLink.tsx";

/** Characters of a message and of an application: more than a line. */
const MAX_TEXT = 240;
const MAX_NAME = 80;

/** More would push the stack trace off the screen. */
const MAX_EARLIER = 5;
/** Times of errors are rounded to milliseconds: what is nearer may have come after. */
const ROUNDED_MS = 1;

/**
 * Errors and logs of the same trace before an error or log, which are often its cause. Nothing if there are none.
 *
 * @param props.level of the logs: this one and more severe ones
 */
export function SameTrace({ isItself, traceId, level }: {
  isItself: (mark: TraceMark) => boolean;
  traceId: string;
  level: LogLevel;
}) {
  const trace = useTrace(traceId);
  const applications = useApplications();
  const labels = labelsByKey(applications?.rows ?? []);
  const { found, items } = marksBefore(trace?.marks ?? [], isItself, level);
  if (found.length === 0) return null;
  const unordered = found.filter((item) => !item.isOrdered).length;
  const areBefore = found.every((item) => item.isOrdered && item.before >= ROUNDED_MS);
  return (
    <MarkList
      title={areBefore ? "Before it in the same trace" : "In the same trace"}
      note={[
        found.length > items.length &&
        `The nearest ${items.length} of ${formatNumber(found.length)}.`,
        !areBefore && "Without those after it.",
        unordered > 0 &&
        `Of ${formatNumber(unordered)} the order is not known: clocks of applications may differ.`,
      ].filter(Boolean).join(" ")}
      items={items.map(({ mark, before, isOrdered }) => ({
        mark,
        when: !isOrdered
          ? "order not known"
          : before < ROUNDED_MS
          ? "within 1 ms"
          : `${formatDuration(before)} before`,
        beside: cutText(labels.get(mark.application ?? "") ?? "", MAX_NAME),
      }))}
    />
  );
}

/** Errors and logs of a trace. @param props.links beside the title */
export function MarkList({ title, links, note, items }: {
  title: string;
  links?: ReactNode;
  note: string | false;
  items: readonly { readonly mark: TraceMark; readonly when: string; readonly beside?: string }[];
}) {
  return (
    <Part className="before" title={title} beside={links}>
      {note && <p className="note">{note}</p>}
      <ul>
        {items.map(({ mark, when, beside }) => (
          <li key={mark.key}>
            <span className="when quiet">{when}</span> <MarkLink mark={mark} />{" "}
            <small className="one-line">{beside}</small>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function MarkLink({ mark }: { mark: TraceMark }) {
  return (
    <a className="one-line" href={hrefOf(mark)}>
      <Marked kind={levelKind(mark.level)}>
        {mark.kind === "log" && <b>{mark.level}</b>}
      </Marked>{" "}
      {ellipsize(mark.text, MAX_TEXT)}
    </a>
  );
}

function hrefOf({ error, envelope, key }: TraceMark): string {
  return error === null
    ? linkTo("logs", [String(envelope), String(indexAt(Number(key.slice("log:".length))))])
    : linkTo("errors", [error, String(envelope)]);
}

/**
 * The last few errors and logs before one, in their order; also those of other applications whose order is not known.
 *
 * @returns with all that were found
 */
export function marksBefore(
  marks: readonly PlacedMark[],
  isItself: (mark: TraceMark) => boolean,
  level: LogLevel,
) {
  const own = marks.find(isItself);
  if (own === undefined || own.astray) return { found: [], items: [] };
  const isShown = ({ kind, level: of }: TraceMark) =>
    kind === "error" || severityOf(of) >= severityOf(level);
  const found = marks.filter((mark) => mark !== own && !mark.astray && isShown(mark))
    .map((mark) => ({
      mark,
      before: own.at_ms - mark.at_ms,
      isOrdered: mark.application === own.application || (mark.isKnown && own.isKnown),
    }))
    .filter(({ before, isOrdered }) => !isOrdered || before > -ROUNDED_MS)
    .toSorted((a, b) => Math.abs(a.before) - Math.abs(b.before));
  const items = found.slice(0, MAX_EARLIER).toSorted((a, b) => b.before - a.before);
  return { found, items };
}
