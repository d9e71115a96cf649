import type { Moment, RecordingEvent } from "../../monitoring/models/recording/timeline.ts";
import { useMemo } from "react";
import { LIVE } from "../data/queries.ts";
import { api } from "../data/api.ts";
import { useRead } from "../data/use_read.ts";
import { fragmentTo, useIsVisible } from "../shared/fragment.ts";
import { momentHref } from "../shared/recording_links.ts";

/** A moment, and where more about it is shown. */
export interface ListedMoment extends Moment {
  readonly href: string;
}

/** Spans, and files that the page loaded: many, and seldom what one looks for. */
const DETAILS: ReadonlySet<string> = new Set(["span", "resource"]);

/**
 * What happened while a page was recorded, in order of time, read again as data arrives.
 *
 * @param replayId undefined: the recording is not read yet
 * @param showsDetails includes {@linkcode DETAILS}
 * @returns also the number of these details
 */
export function useMoments(
  replayId: string | undefined,
  showsDetails: boolean,
): { readonly moments: readonly ListedMoment[]; readonly details: number } {
  const isVisible = useIsVisible("recordings");
  // The player reports what cannot be read; it plays without moments, too.
  const { value } = useRead(
    [LIVE, "recording", replayId ?? ""],
    isVisible && replayId !== undefined && (() => api.recording(replayId)),
  );
  return useMemo(() => {
    const all = (value?.events ?? []).map((event) => ({
      ...event,
      href: hrefOf(event, replayId ?? ""),
    }));
    const others = all.filter(({ kind }) => !DETAILS.has(kind));
    return { moments: showsDetails ? all : others, details: all.length - others.length };
  }, [replayId, value, showsDetails]);
}

function hrefOf(event: RecordingEvent, replayId: string): string {
  const { kind, at, group, envelope, trace_id, span_id } = event;
  if (group !== undefined) return fragmentTo("errors", [group, String(envelope)]);
  if (kind === "log") return fragmentTo("logs", [], { trace: trace_id ?? undefined });
  if (trace_id) return fragmentTo("traces", [trace_id], { span: span_id });
  return momentHref(replayId, at);
}
