import type { Item } from "../../protocol/envelope.ts";
import type { Format } from "../../protocol/format.ts";
import { tryReadEnvelope } from "../../protocol/scanner.ts";
import { parseBody } from "../parse_body.ts";
import { type Breadcrumb, readBreadcrumbs } from "./breadcrumbs.ts";
import {
  errorValue,
  eventIdOf,
  handledOf,
  messageOf,
  replayOf,
  unnamedType,
} from "./error_entry.ts";
import { readExceptions, type ReportedException } from "./exceptions.ts";
import { eventOfViolation, withItemFacts } from "./security_event.ts";
import {
  at,
  booleanAt,
  type Bounded,
  hexId,
  listAt,
  pairsAt,
  parseJson,
  textAt,
  timeAt,
} from "../json.ts";
import { type NamedValue, readablePairs } from "../readable_json.ts";
import { type Frame, readDebugIds, readStack } from "./stack.ts";

/** A named group of values, such as a context. */
interface NamedValues {
  readonly name: string;
  readonly entries: Bounded<NamedValue>;
}

/** One error event, for its detail view. All texts are untrusted and may be of any length. */
export interface ReportedError {
  readonly event_id: string;
  /** The sender's time, milliseconds since 1970; null: not a valid time. */
  readonly at: number | null;
  readonly level: string;
  /** Address of the page or the request; null: not sent. */
  readonly url: string | null;
  /** The type of the outermost exception, or "Message". */
  readonly title: string;
  /** The message of the outermost exception, or of an event without exceptions. */
  readonly value: string;
  /** False: at least one exception was uncaught; null: not sent. */
  readonly handled: boolean | null;
  /** The integration that captured the outermost exception, such as `onerror`. */
  readonly mechanism: string | null;
  /** Outermost first. Empty for a message. */
  readonly exceptions: Bounded<ReportedException>;
  /** The stack trace of an event without exceptions. */
  readonly stack: Bounded<Frame>;
  readonly breadcrumbs: Bounded<Breadcrumb>;
  readonly tags: Bounded<NamedValue>;
  /** User, request, contexts, extra and modules, named as in the event. */
  readonly contexts: readonly NamedValues[];
  /** Release, environment, SDK and similar values that were sent. */
  readonly facts: readonly NamedValue[];
  readonly trace_id: string | null;
  readonly span_id: string | null;
  readonly replay_id: string | null;
  /** Debug ids by script URL. */
  readonly debugIds: ReadonlyMap<string, string>;
}

/** Sixteen times Sentry's limit. Parsing blocks the page for some 10 ms per MiB. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** Tags, and values of one context. */
const MAX_ENTRIES = 200;
const MAX_CONTEXTS = 50;
/** Types of items that the list of errors shows. */
const ERROR_TYPES: ReadonlySet<string> = new Set(["event", "raw_security"]);
const NO_FRAMES: Bounded<Frame> = { shown: [], more: 0 };

/** The error of an envelope cannot be read. The message is for display. */
export class UnreadableEventError extends Error {
  override readonly name = "UnreadableEventError";
}

/**
 * Reads an error event from a body.
 *
 * @param body decompressed bytes
 * @param eventId selects one of several events; default, and if there is no such event: the first one
 * @throws {UnreadableEventError}
 */
export function readErrorEvent(
  body: Uint8Array,
  eventId?: string | null,
  format: Format = "envelope",
): ReportedError {
  if (format !== "envelope") return readException(body, eventId, format);
  const sent = tryReadEnvelope(body);
  if (sent === undefined) throw new UnreadableEventError("This envelope is broken.");
  const { header } = sent;
  const items = sent.items.filter(({ header: { type } }) => ERROR_TYPES.has(type));
  const [first] = items;
  if (first === undefined) throw new UnreadableEventError("This envelope contains no error.");
  const eventOf = (item: Item["header"], json: unknown) =>
    item.type === "event" ? json : eventOfViolation(withItemFacts(json, item), header);
  const isWanted = ({ header, payload }: Item) =>
    payload.byteLength <= MAX_EVENT_BYTES &&
    eventIdOf(eventOf(header, parseJson(payload))) === eventId;
  // With one event there is no choice: it is parsed once.
  const wanted = eventId && items.length > 1 ? items.find(isWanted) : undefined;
  const item = wanted ?? first;
  return describeEvent(eventOf(item.header, parseEvent(item.payload)));
}

/** An exception of an OTLP request. */
function readException(body: Uint8Array, eventId: string | null | undefined, format: Format) {
  const events = parseBody(body, format).flatMap(({ items }) => items)
    .flatMap(({ type, json }) => type === "event" ? [json] : []);
  const event = events.find((one) => at(one, "event_id") === eventId) ?? events[0];
  if (event === undefined) throw new UnreadableEventError("This request contains no error.");
  return describeEvent(event);
}

function parseEvent(payload: Uint8Array): unknown {
  if (payload.byteLength > MAX_EVENT_BYTES) {
    throw new UnreadableEventError("This error is too large to display. Download its envelope.");
  }
  const event = parseJson(payload);
  if (event === undefined) {
    throw new UnreadableEventError(
      "This error is not valid JSON. Download its envelope to inspect it.",
    );
  }
  return event;
}

/** Reads any event payload. Missing or malformed parts are empty. */
export function describeEvent(event: unknown): ReportedError {
  const time = timeAt(event, "timestamp");
  const message = messageOf(event);
  const exceptions = readExceptions(event, unnamedType(message));
  const [outermost] = exceptions.shown;
  return {
    event_id: eventIdOf(event),
    at: time,
    level: textAt(event, "level") ?? "error",
    url: textAt(event, "request", "url"),
    title: outermost?.type ?? unnamedType(message),
    value: errorValue(outermost, message),
    handled: handledOf(exceptions.shown.map(({ handled }) => handled)),
    mechanism: outermost?.mechanism ?? null,
    exceptions,
    stack: outermost ? NO_FRAMES : readStack(stackWithoutException(event)),
    breadcrumbs: readBreadcrumbs(event, time),
    tags: readablePairs(event, MAX_ENTRIES, "tags"),
    contexts: contextsOf(event),
    facts: factsOf(event),
    trace_id: hexId(at(event, "contexts", "trace", "trace_id")),
    span_id: textAt(event, "contexts", "trace", "span_id"),
    replay_id: replayOf(event),
    debugIds: readDebugIds(event),
  };
}

/** For a message with a stack trace: the event's own, or the reporting thread's. */
function stackWithoutException(event: unknown): unknown {
  const threads = listAt(event, "threads");
  const reporting = threads.find((thread) => booleanAt(thread, "crashed") === true) ??
    threads.find((thread) => booleanAt(thread, "current") === true) ?? threads[0];
  return at(event, "stacktrace") ?? at(reporting, "stacktrace");
}

function contextsOf(event: unknown): readonly NamedValues[] {
  const parts = [
    ["user", at(event, "user")],
    ["request", at(event, "request")],
    ...pairsAt(event, "contexts"),
    ["extra", at(event, "extra")],
    ["modules", at(event, "modules")],
  ] as const;
  const groups = parts.map(([name, part]) => ({
    name,
    entries: readablePairs(part, MAX_ENTRIES),
  }));
  return groups.filter(({ entries }) => entries.shown.length > 0).slice(0, MAX_CONTEXTS);
}

function factsOf(event: unknown): readonly NamedValue[] {
  const sdk = [textAt(event, "sdk", "name"), textAt(event, "sdk", "version")];
  const facts: readonly (readonly [string, string | null])[] = [
    ["release", textAt(event, "release")],
    ["dist", textAt(event, "dist")],
    ["environment", textAt(event, "environment")],
    ["transaction", textAt(event, "transaction")],
    ["address", textAt(event, "request", "url")],
    ["logger", textAt(event, "logger")],
    ["server", textAt(event, "server_name")],
    ["platform", textAt(event, "platform")],
    ["SDK", sdk.filter((part) => part !== null).join(" ") || null],
  ];
  return facts.flatMap(([name, value]) => value === null ? [] : [[name, value] as const]);
}
