import { readEnvelope } from "../../protocol/scanner.ts";
import { type Breadcrumb, readBreadcrumbs } from "./breadcrumbs.ts";
import { readDebugIds } from "./debug_ids.ts";
import { readExceptions, type Thrown } from "./exceptions.ts";
import { type Bounded, firstOf, flagAt, listAt, pairsAt, textAt, timeAt } from "../fields.ts";
import { at, hexId, parseJson } from "../json.ts";
import { readable } from "../readable.ts";
import { type Frame, readStack } from "./stack.ts";

/** A name and what stands under it, both as the sender wrote them. */
export type Entry = readonly [name: string, value: string];

/** A named part of an event, such as a context or the request's headers. */
export interface EntryGroup {
  readonly name: string;
  readonly entries: Bounded<Entry>;
}

/**
 * What the console shows of one error event. Every text in it was written by whoever posted it, is
 * of any length, and is to be shown as text alone.
 */
export interface ErrorEvent {
  readonly event_id: string | null;
  /** When it happened by the sender's clock, milliseconds since 1970; null: no time that can be one. */
  readonly at: number | null;
  readonly level: string;
  /** What it is called: the outermost exception's type, or what stands for it. */
  readonly title: string;
  /** The outermost exception's message, or the message that was reported without an exception. */
  readonly value: string;
  /** False: one of the exceptions was caught by nothing but the SDK; null: not told. */
  readonly handled: boolean | null;
  readonly mechanism: string | null;
  /** Outermost first. Empty: only a message was reported. */
  readonly exceptions: Bounded<Thrown>;
  /** Of an event without exceptions: the stack that it was reported from. */
  readonly stack: Bounded<Frame>;
  readonly breadcrumbs: Bounded<Breadcrumb>;
  readonly tags: Bounded<Entry>;
  /** User, request, contexts and whatever else was added, each named as in the event. */
  readonly contexts: readonly EntryGroup[];
  /** Where it comes from: release, environment, SDK and their like; only what was told. */
  readonly facts: readonly Entry[];
  readonly trace_id: string | null;
  readonly span_id: string | null;
  readonly replay_id: string | null;
  /** Debug ids by the address of the script that has it. */
  readonly debugIds: ReadonlyMap<string, string>;
}

/**
 * Bytes of an event's JSON that are read: sixteen times what Sentry takes. Reading blocks the page,
 * some 10 ms for each MiB.
 */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const MAX_TAGS = 200;
const MAX_ENTRIES = 200;
const MAX_CONTEXTS = 50;

/** Why an envelope's error cannot be shown; the sentence is made to be shown. */
export class UnreadableEventError extends Error {
  override readonly name = "UnreadableEventError";
}

/**
 * The error event in an envelope.
 *
 * @param envelope its bytes, decompressed
 * @param eventId which one, where an envelope holds several; the first one if it is not there
 * @throws {UnreadableEventError}
 */
export function readErrorEvent(envelope: Uint8Array, eventId?: string | null): ErrorEvent {
  const payloads = eventPayloads(envelope);
  if (payloads.length === 0) throw new UnreadableEventError("This envelope holds no error.");
  const events = payloads.map(parseEvent);
  const wanted = eventId === undefined || eventId === null
    ? undefined
    : events.find((event) => hexId(at(event, "event_id")) === eventId);
  return describeEvent(wanted ?? events[0]);
}

function eventPayloads(envelope: Uint8Array): readonly Uint8Array[] {
  try {
    return readEnvelope(envelope).items
      .flatMap(({ header, payload }) => header.type === "event" ? [payload] : []);
  } catch (cause) {
    throw new UnreadableEventError("This envelope is broken.", { cause });
  }
}

function parseEvent(payload: Uint8Array): unknown {
  if (payload.byteLength > MAX_EVENT_BYTES) {
    throw new UnreadableEventError("This error is too large to be shown here: download it.");
  }
  const event = parseJson(payload);
  if (event === undefined) {
    throw new UnreadableEventError("This error is no JSON: download it to see what came.");
  }
  return event;
}

/** What an event's payload says, whatever it is. */
export function describeEvent(event: unknown): ErrorEvent {
  const time = timeAt(event, "timestamp");
  const exceptions = readExceptions(event);
  const [outermost] = exceptions.shown;
  return {
    event_id: hexId(at(event, "event_id")),
    at: time,
    level: textAt(event, "level") ?? "error",
    title: outermost?.type ?? "Message",
    value: outermost?.value ?? messageOf(event),
    handled: handledOf(exceptions.shown),
    mechanism: outermost?.mechanism ?? null,
    exceptions,
    stack: outermost ? firstOf([], 0) : readStack(stackWithoutException(event)),
    breadcrumbs: readBreadcrumbs(event, time),
    tags: entriesOf(event, "tags", MAX_TAGS),
    contexts: contextsOf(event),
    facts: factsOf(event),
    trace_id: hexId(at(event, "contexts", "trace", "trace_id")),
    span_id: textAt(event, "contexts", "trace", "span_id"),
    replay_id: hexId(at(event, "contexts", "replay", "replay_id")) ??
      hexId(at(event, "tags", "replayId")),
    debugIds: readDebugIds(event),
  };
}

function handledOf(exceptions: readonly Thrown[]): boolean | null {
  const told = exceptions.map(({ handled }) => handled);
  return told.includes(false) ? false : told.includes(true) ? true : null;
}

/** A message stands bare, or as what is left of a template once its parameters were put in. */
function messageOf(event: unknown): string {
  return textAt(event, "logentry", "formatted") ?? textAt(event, "logentry", "message") ??
    textAt(event, "message", "formatted") ?? textAt(event, "message", "message") ??
    textAt(event, "message") ?? "";
}

/** Of a message with a stack: the event's own, or that of the thread which reported it. */
function stackWithoutException(event: unknown): unknown {
  const threads = listAt(event, "threads");
  const reporting = threads.find((thread) => flagAt(thread, "crashed") === true) ??
    threads.find((thread) => flagAt(thread, "current") === true) ?? threads[0];
  return at(event, "stacktrace") ?? at(reporting, "stacktrace");
}

function contextsOf(event: unknown): readonly EntryGroup[] {
  const parts = [
    ["user", at(event, "user")],
    ["request", at(event, "request")],
    ...pairsAt(event, "contexts"),
    ["extra", at(event, "extra")],
    ["modules", at(event, "modules")],
  ] as const;
  const groups = parts.map(([name, part]) => ({ name, entries: entriesOf(part) }));
  return groups.filter(({ entries }) => entries.shown.length > 0).slice(0, MAX_CONTEXTS);
}

function entriesOf(value: unknown, name?: string, max = MAX_ENTRIES): Bounded<Entry> {
  const { shown, more } = firstOf(name === undefined ? pairsAt(value) : pairsAt(value, name), max);
  return { shown: shown.map(([name, value]) => [name, readable(value)] as const), more };
}

function factsOf(event: unknown): readonly Entry[] {
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
