import { formatCount, formatDuration } from "../../components/format.ts";
import { Marked, OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import type { ApplicationRow } from "../../monitoring/models/application_rows.ts";
import type { Trace, TraceSummary } from "../../monitoring/models/trace/trace.ts";
import { isFirst } from "../../monitoring/models/trace/trace_root.ts";
import { httpStatusOf, type TraceSpan } from "../../monitoring/models/trace/trace_span.ts";
import { clockText } from "../kit/application_labels.ts";

/** Beside the name of a trace: its duration and status, then when and by what it was sent. */
export function TraceFacts({ trace, hrefs }: {
  trace: Trace;
  hrefs: Readonly<Record<"errors" | "failed", string | undefined>>;
}) {
  const { summary, root, moment } = trace;
  const { failed, errors, started_at, duration_ms } = summary;
  const hasFailed = errors > 0 ||
    trace.tree.nodes.some(({ span }) => span?.failed && isFirst(span));
  const status = root && statusOf(root, { failed, hasFailed });
  return (
    <>
      <b
        title={"Of the page load, navigation or request that the trace is named for;" +
          " –: it has no valid start, or no end after it"}
      >
        {duration_ms === null ? "–" : formatDuration(duration_ms)}
      </b>
      {status && (
        <span className={status.hasFailed ? "refused" : "quiet"}>
          {status.hasFailed && <OutcomeMark kind="refused" />}
          {status.text}
        </span>
      )}
      {failed + errors > 0 && (
        <span className="refused">
          {errors > 0 && <a href={hrefs.errors}>{formatCount(errors, "error")}</a>}
          {errors > 0 && failed > 0 && ", "}
          {failed > 0 && <a href={hrefs.failed}>{formatCount(failed, "failed span")}</a>}
        </span>
      )}
      {started_at !== null && <Timestamp at={started_at} isAsSent={moment.at_ms !== started_at} />}
      {root?.release && <span className="one-line">{root.release}</span>}
    </>
  );
}

/**
 * The HTTP status of the span that a trace is named for; without one, its status. As in the list, a trace has failed
 * with an error or a first span of a process.
 *
 * @param of the trace: how many of its spans failed, and whether it has
 */
export function statusOf(
  { attributes, status, failed }: Pick<TraceSpan, "attributes" | "status" | "failed">,
  of: Pick<TraceSummary, "failed"> & { readonly hasFailed: boolean },
) {
  const code = httpStatusOf({ attributes });
  if (code !== null) return { text: String(code), hasFailed: failed || Number(code) >= 400 };
  if (!failed && of.hasFailed) return { text: "failed", hasFailed: true };
  return status && (failed || of.failed === 0) ? { text: status, hasFailed: failed } : null;
}

/** Sentences, each marked as a warning. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  return warnings.map((warning) => <Marked key={warning} as="p" kind="waits">{warning}</Marked>);
}

/** `38 spans, 5 applications, 742 ms in all`: also what runs before and after the span that the trace is named for. */
export function wholeText({ tree, summary, start_ms, end_ms }: Trace): string {
  const senders = new Set(tree.nodes.flatMap(({ span }) => span?.application ?? []));
  return [
    formatCount(summary.spans, "span"),
    ...senders.size > 1 ? [formatCount(senders.size, "application")] : [],
    `${formatDuration(end_ms - start_ms)} in all`,
  ].join(", ");
}

/**
 * Problems of the trace's data, and how it is drawn nevertheless. One sentence each.
 *
 * @param omitted what is not shown of a trace that is too large
 * @param clocks as of {@linkcode clocksNotCorrected}
 */
export function traceWarnings(
  { browser, skew_ms, skewed, unended, missing, circles, duplicates }: TraceSummary,
  omitted = "",
  clocks: readonly ApplicationRow[] = [],
): string[] {
  const reference = browser > 0 ? "the page's" : "the first server's";
  return [
    omitted !== "" && omitted,
    skew_ms !== 0 &&
    `Clocks differ from ${reference}, by up to ${formatDuration(Math.abs(skew_ms))}: ` +
      `those of ${formatCount(skewed, "application")} are corrected.`,
    ...clocks.map((application) =>
      clockText(application) +
      " Its times are as sent: nothing in this trace shows by how much to correct them."
    ),
    unended > 0 && `${formatCount(unended, "span")} without an end, drawn to the end of the trace.`,
    missing > 0 && `${formatCount(missing, "parent span")} missing.`,
    circles > 0 && `${formatCount(circles, "cycle")} of parent spans, cut at one span each.`,
    duplicates > 0 && `${formatCount(duplicates, "span")} received more than once, shown once.`,
  ].filter((warning) => warning !== false);
}
