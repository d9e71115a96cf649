import { useMemo } from "react";
import type { IconName } from "../../components/Icon.tsx";
import { errorKind } from "../../components/outcome.ts";
import type { EventKind, RecordingEvent } from "../../monitoring/models/recording/timeline.ts";
import { fragmentTo, linkTo, momentHref } from "../data/fragment.ts";
import { useLiveRead } from "../data/use_read.ts";

export const EVENT_ICONS: Readonly<Record<EventKind, IconName>> = {
  error: "errors",
  feedback: "feedback",
  trace: "traces",
  span: "traces",
  request: "request",
  log: "logs",
  vital: "vitals",
  click: "click",
  navigation: "navigation",
  resource: "request",
};

/**
 * What happened while a page was recorded, in order of time, read again as data arrives.
 *
 * @param replayId undefined: the recording is not read yet
 */
export function useEvents(replayId: string | undefined) {
  const reading = useLiveRead("recording", replayId === undefined ? undefined : { id: replayId });
  const { value } = reading;
  const events = useMemo(
    () =>
      (value?.events ?? []).map((event) => (
        { ...event, href: hrefOf(event, replayId ?? ""), look: lookOf(event) }
      )),
    [replayId, value],
  );
  return { events, reading };
}

/** The class of an error's colour, as in the list of errors. */
export const lookOf = ({ level, handled }: RecordingEvent) =>
  level === undefined ? "" : errorKind(level, handled ?? null);

function hrefOf(event: RecordingEvent, replayId: string): string {
  const { kind, at, group, envelope, trace_id, span_id } = event;
  if (kind === "feedback") return fragmentTo("feedback", [group!]);
  if (group !== undefined) return fragmentTo("errors", [group, String(envelope)]);
  if (kind === "log") return fragmentTo("logs", [], { trace: trace_id ?? undefined });
  if (trace_id) return linkTo("traces", [trace_id], { span: span_id });
  return momentHref(replayId, at);
}
