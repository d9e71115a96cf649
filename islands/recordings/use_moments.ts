import { useMemo } from "react";
import type { Recording } from "../../monitoring/models/recording/recording.ts";
import {
  MAX_MOMENTS,
  type Moment,
  readMoments,
  spanMoment,
} from "../../monitoring/models/recording/timeline.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { fragmentTo } from "../shared/fragment.ts";
import { source } from "../data/source.ts";
import { momentHref } from "../shared/use_recording_href.ts";
import { useList } from "../data/lists.ts";
import { useRead } from "../data/use_read.ts";

/** A moment, and where more about it is shown. */
export interface ListedMoment extends Moment {
  readonly href: string;
}

/**
 * What happened while a page was recorded, in order of time: what the SDK recorded beside the picture, and the errors,
 * logs and traces that name the recording.
 *
 * @param showsResources includes the files that the page loaded
 * @returns also the number of these files
 */
export function useMoments(
  replayId: string | undefined,
  recording: Recording,
  showsResources: boolean,
): { readonly moments: readonly ListedMoment[]; readonly resources: number } {
  const query = replayId === undefined ? undefined : { replay: replayId };
  const options = { view: "recordings" } as const;
  const errors = useList("occurrences", query, options).rows;
  const logs = useList("logs", query, options).rows;
  const traces = useList("traces", query, options).rows;
  const spans = useSpans(traces);
  return useMemo(() => {
    const { from, to } = recording;
    const moments: ListedMoment[] = [
      ...readMoments(recording.entries).map((moment) => ({
        ...moment,
        href: momentHref(replayId ?? "", moment.at),
      })),
      ...errors.map(({ at, value, group, envelope }) => ({
        kind: "error" as const,
        // An error of a recorded trace is never left out: it is counted.
        at: Math.min(Math.max(at, from), to),
        text: at < from
          ? `${value} (before the start)`
          : at > to
          ? `${value} (after the end)`
          : value,
        href: fragmentTo("errors", [group, String(envelope)]),
      })),
      ...logs.map(({ at, body, trace_id }) => ({
        kind: "log" as const,
        at,
        text: body,
        href: fragmentTo("logs", [], { trace: trace_id ?? undefined }),
      })),
      ...traces.map(({ started_at, name, op, trace_id }) => ({
        kind: "trace" as const,
        at: started_at,
        text: displayName({ name, op }),
        href: fragmentTo("traces", [trace_id]),
      })),
      ...spans,
    ];
    // A trace begins before the recorder is loaded. What is further off has another clock.
    const near = moments.filter(({ at }) => at >= from - BEFORE_MS && at <= to + AFTER_MS);
    const others = near.filter(({ kind }) => kind !== "resource");
    return {
      moments: (showsResources ? near : others).sort((a, b) => a.at - b.at).slice(0, MAX_MOMENTS),
      resources: near.length - others.length,
    };
  }, [replayId, recording, errors, logs, traces, spans, showsResources]);
}

/** Milliseconds before the first and after the last recorded event that still belong to a recording. */
const BEFORE_MS = 60_000;
const AFTER_MS = 10_000;

/** Traces whose spans are on the time line. A visit of some minutes has a few. */
const MAX_TRACES = 20;

/** The spans of traces except their roots: those are the traces' own moments. */
function useSpans(
  traces: readonly { readonly trace_id: string }[],
) {
  const ids = traces.slice(0, MAX_TRACES).map(({ trace_id }) => trace_id).join(" ");
  const read = async (outdated: AbortSignal) => {
    const found: ListedMoment[] = [];
    for (const traceId of ids.split(" ")) {
      outdated.throwIfAborted();
      const { parts } = await source.trace(traceId);
      const spans = parts.flatMap(({ spans }) => spans);
      const byId = new Map(spans.map((span) => [span.span_id, span]));
      for (const span of byId.values()) {
        const moment = spanMoment(span);
        const href = fragmentTo("traces", [traceId], { span: span.span_id });
        if (moment) found.push({ ...moment, href });
      }
    }
    return found;
  };
  // The list of traces reports that the inbox cannot be read; the traces stay on the time line.
  const { value = NONE } = useRead(["spans", ids], ids !== "" && read);
  return value;
}

const NONE: readonly ListedMoment[] = [];
