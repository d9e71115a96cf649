import { readStoredError, type StoredError } from "../inbox/details/error_content.ts";
import { numberedLines } from "../models/error/error_as_markdown.ts";
import { formatLocation } from "../models/error/error_as_text.ts";
import { errorTitle } from "../models/error/error_entry.ts";
import { isOfSdk } from "../models/error/breadcrumbs.ts";
import type { FoundFrame } from "../models/error/source_finder.ts";
import type { Frame } from "../models/error/stack.ts";
import { type Bounded, hexId } from "../models/json.ts";
import { isoTime, type TelemetryReader, ToolError, type ToolInput } from "./telemetry_reader.ts";
import type { ToolAnswer } from "./untrusted_text.ts";

/** Frames of each exception with source lines: the innermost ones. */
const FRAMES_WITH_SOURCE = 8;
/** Lines before and after the frame's line. */
const CONTEXT_LINES = 3;
/** The newest breadcrumbs, which lead to the error. */
const MAX_BREADCRUMBS = 30;
const MAX_OTHERS = 10;

export async function getError(input: ToolInput, reader: TelemetryReader): Promise<ToolAnswer> {
  const found = await findOccurrence(input, reader);
  const { inbox, mapOrigins } = reader;
  const stored = await readStoredError(inbox, found.envelope, found.event_id, mapOrigins);
  if (stored === undefined) throw new ToolError("This error was deleted.");
  const [group] = inbox.page("errors", { group: found.group, limit: 1 }).rows;
  const others = inbox.page("occurrences", { group: found.group, limit: MAX_OTHERS + 1 }).rows
    .filter(({ event_id }) => event_id !== found.event_id).slice(0, MAX_OTHERS);
  return {
    summary: `One error of ${group?.count ?? 1} in its group, of all releases.`,
    data: {
      group: found.group,
      title: group && errorTitle(group),
      count: group?.count,
      unhandled: group?.unhandled,
      first_seen: isoTime(group?.first_seen),
      last_seen: isoTime(group?.last_seen),
      ...describe(stored),
      missing_source: stored.missing_source,
      replay_id: found.replay_id,
      other_errors_of_group: others.map(({ event_id, at, value, trace_id }) => ({
        event_id,
        at: isoTime(at),
        value,
        trace_id,
      })),
    },
  };
}

async function findOccurrence({ group, event_id }: ToolInput, { inbox }: TelemetryReader) {
  if (event_id !== undefined) {
    const id = hexId(event_id);
    if (id === null) throw new ToolError("event_id must be an event's id: 32 hexadecimal digits.");
    let before: string | undefined;
    for (;;) {
      const page = inbox.page("occurrences", { q: id, before });
      const found = page.rows.find(({ event_id }) => event_id === id);
      if (found !== undefined) return found;
      if (page.next === null) throw new ToolError("No error with this event_id is stored.");
      before = page.next;
      // Other requests come in between.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  if (typeof group !== "string" || !/^[\da-f]{14}$/.test(group)) {
    throw new ToolError("Cannot find the error: give `group` (14 hex digits) or `event_id`.");
  }
  const [newest] = inbox.page("occurrences", { group, limit: 1 }).rows;
  if (newest === undefined) throw new ToolError("No error of this group is stored.");
  return newest;
}

function describe({ event, stacks }: StoredError) {
  // Innermost call first.
  const framesOf = ({ more }: Bounded<Frame>, index: number) => [
    ...stacks[index]!.map(describeFrame),
    ...more > 0 ? [`… ${more} more`] : [],
  ];
  const exceptions = event.exceptions.shown.map((exception, index) => ({
    type: exception.type,
    value: exception.value,
    relation: exception.relation,
    mechanism: exception.mechanism,
    frames: framesOf(exception.stack, index),
  }));
  const breadcrumbs = event.breadcrumbs.shown.filter((crumb) => !isOfSdk(crumb));
  return {
    event_id: event.event_id,
    at: isoTime(event.at),
    type: event.title,
    value: event.value,
    level: event.level,
    handled: event.handled,
    trace_id: event.trace_id,
    span_id: event.span_id,
    ...exceptions.length > 0 ? { exceptions } : { frames: framesOf(event.stack, 0) },
    facts: event.facts,
    tags: event.tags.shown,
    breadcrumbs: breadcrumbs.slice(-MAX_BREADCRUMBS).map((crumb) => ({
      ...crumb,
      at: isoTime(crumb.at),
    })),
    contexts: event.contexts.map(({ name, entries }) => ({ name, entries: entries.shown })),
  };
}

function describeFrame(frame: FoundFrame, index: number) {
  const { own, source, variables } = frame;
  const isInnermost = index < FRAMES_WITH_SOURCE;
  return {
    function: frame.function,
    at: formatLocation(frame),
    in_app: own,
    ...isInnermost && source !== null && { source: numberedLines(source, CONTEXT_LINES) },
    ...isInnermost && variables.shown.length > 0 && { variables: variables.shown },
  };
}
