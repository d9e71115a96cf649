import { useMemo } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { coveredTime, SELF_TIME, selfParts } from "../../monitoring/models/trace/self_time.ts";
import type { Trace, TraceSummary } from "../../monitoring/models/trace/trace.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { CopyId } from "../kit/CopyButton.tsx";
import { momentHref } from "../data/fragment.ts";

/** When the trace began, its id, and links to its recording and to a comparison. */
export function TraceLinks({ traceId, compareHref, replayId, startedAt }: {
  traceId: string;
  /** To choose a trace to compare with. */
  compareHref: string | undefined;
  /** Of the recording that ran, if segments of it have arrived. */
  replayId: string | null;
  /** Milliseconds since 1970. */
  startedAt: number;
}) {
  return (
    <span className="facts end">
      {compareHref !== undefined && (
        <span>
          started <Timestamp at={startedAt} />
        </span>
      )}
      <span>
        trace <CopyId id={traceId} what="trace id" />
      </span>
      {replayId !== null && <a href={momentHref(replayId, startedAt)}>Play at this moment</a>}
      {compareHref !== undefined && <a href={compareHref}>Compare</a>}
    </span>
  );
}

/** Duration and counts of a trace. */
export function TraceFacts({ summary, hrefs }: {
  summary: TraceSummary;
  /** Targets of the counts; undefined: not a link. */
  hrefs: Readonly<Record<"errors" | "failed" | "logs", string | undefined>>;
}) {
  const { spans, failed, errors, logs } = summary;
  return (
    <div className="trace-facts small">
      <b title="Of the page load, navigation or request that the trace is named for">
        {summary.duration_ms === null ? "–" : formatDuration(summary.duration_ms)}
      </b>
      <p>
        {formatCount(spans, "span")}
        {originText(summary)}
      </p>
      <p>
        <span className={failed + errors > 0 ? "refused" : undefined}>
          {failed + errors > 0 && <OutcomeMark kind="refused" />}
          <CountLink count={errors} noun="error" href={hrefs.errors} />
          {failed > 0 && (
            <>
              , <CountLink count={failed} noun="failed span" href={hrefs.failed} />
            </>
          )}
        </span>
        , <CountLink count={logs} noun="log" href={hrefs.logs} />
      </p>
    </div>
  );
}

/**
 * The self time of each application in a trace of several.
 *
 * @param props.applications labels by their keys
 */
export function ApplicationTimes({ trace, applications }: {
  trace: Trace;
  applications: ReadonlyMap<string, string>;
}) {
  const times = useMemo(() => {
    const self = [...selfParts(trace.tree, trace.times)].flatMap(([{ span }, parts]) => {
      const name = applications.get(span?.application ?? "");
      return name === undefined ? [] : [{ name, parts }];
    });
    const sums = Array.from(
      Map.groupBy(self, ({ name }) => name),
      ([name, spans]) => [name, coveredTime(spans.map(({ parts }) => parts))] as const,
    );
    return sums.sort(([, a], [, b]) => b - a);
  }, [trace, applications]);
  if (times.length < 2) return null;
  return (
    <ul className="application-times line" aria-label="Self time of each application">
      {times.map(([name, self_ms]) => (
        <li
          key={name}
          className="small"
          title={`When any of its spans runs itself. Self time: ${SELF_TIME}`}
        >
          <ApplicationTile name={name} />
          <b>{name}</b>
          <span className="quiet">{formatDuration(self_ms)} self</span>
        </li>
      ))}
    </ul>
  );
}

/** Sentences, each marked as a warning. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  return warnings.map((warning) => (
    <p key={warning} className="waits">
      <OutcomeMark kind="waits" />
      {warning}
    </p>
  ));
}

function CountLink({ count, noun, href }: {
  count: number;
  noun: string;
  href: string | undefined;
}) {
  const text = formatCount(count, noun);
  return count > 0 && href !== undefined ? <a href={href}>{text}</a> : <span>{text}</span>;
}

function originText({ spans, browser, server }: TraceSummary): string {
  if (browser === spans) return ", all in the browser";
  if (server === spans) return ", all on the server";
  const unknown = spans - browser - server;
  return `: ${browser} browser, ${server} server${unknown > 0 ? `, ${unknown} unknown` : ""}`;
}

/**
 * Problems of the trace's data, and how it is drawn nevertheless. One sentence each.
 *
 * @param omitted what is not shown of a trace that is too large
 */
export function traceWarnings(
  { browser, skew_ms, skewed, unended, missing, circles, duplicates }: TraceSummary,
  omitted = "",
): string[] {
  const relation = skew_ms > 0 ? "behind" : "ahead of";
  const reference = browser > 0 ? "the page's" : "the first server's";
  return [
    omitted !== "" && omitted,
    skew_ms !== 0 &&
    (skewed > 1
      ? `Clocks of ${skewed} applications differ from ${reference}, by up to ` +
        `${formatDuration(Math.abs(skew_ms))}: their times are corrected.`
      : `A server's clock is ${formatDuration(Math.abs(skew_ms))} ${relation} ${reference}: ` +
        "its times are corrected."),
    unended > 0 && `${formatCount(unended, "span")} without an end, drawn to the end of the trace.`,
    missing > 0 && `${formatCount(missing, "parent span")} missing.`,
    circles > 0 && `${formatCount(circles, "cycle")} of parent spans, cut at one span each.`,
    duplicates > 0 && `${formatCount(duplicates, "span")} received more than once, shown once.`,
  ].filter((warning) => warning !== false);
}
