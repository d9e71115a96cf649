import { at, hexId, listOf } from "./json.ts";
import type { ParsedEnvelope } from "./parsed_envelope.ts";
import type { InboxItem } from "../protocol/inbox_row.ts";

/** What an envelope says of itself, as far as it can be read. */
export interface Description {
  readonly event_id: string | null;
  readonly trace_ids: readonly string[];
  readonly replay_id: string | null;
  readonly items: readonly InboxItem[];
}

/** A page has one trace at a time; a recording's segment or a batch of spans may touch a few. */
export const MAX_TRACE_IDS = 100;
/** The longest type that Sentry knows has 18 characters. */
export const MAX_TYPE_LENGTH = 64;
/**
 * Reads ids and items out of an envelope. Anyone who may post decides what is in it, so nothing here throws: what
 * cannot be read is not indexed, and the bytes are kept all the same.
 */
export function describeEnvelope({ header, items }: ParsedEnvelope): Description {
  const found = new Findings();
  found.event(at(header, "event_id"));
  found.trace(at(header, "trace", "trace_id"));
  found.replay(at(header, "trace", "replay_id"));
  for (const { type, json } of items) {
    if (json !== undefined) INDEXERS.get(type)?.(json, found);
  }
  return {
    event_id: found.eventId,
    trace_ids: [...found.traceIds],
    replay_id: found.replayId,
    items: items.map(({ type, bytes }) => ({ type: tidyType(type), bytes })),
  };
}

/** An item's type as rows carry it: no control characters or halves of characters, which SQLite's text cannot hold. */
export function tidyType(type: string): string {
  return type.slice(0, MAX_TYPE_LENGTH).toWellFormed().replace(/\p{Cc}/gu, "\ufffd");
}

/** Collects ids: only valid ones, each once, at most so many; the first event and replay id win. */
class Findings {
  eventId: string | null = null;
  replayId: string | null = null;
  readonly traceIds = new Set<string>();

  event(value: unknown): void {
    this.eventId ??= hexId(value);
  }

  replay(value: unknown): void {
    this.replayId ??= hexId(value);
  }

  trace(value: unknown): void {
    if (this.traceIds.size >= MAX_TRACE_IDS) return;
    const id = hexId(value);
    if (id !== null) this.traceIds.add(id);
  }
}

type Indexer = (payload: unknown, found: Findings) => void;

/** https://develop.sentry.dev/sdk/data-model/event-payloads/ */
const indexEvent: Indexer = (payload, found) => {
  found.event(at(payload, "event_id"));
  found.trace(at(payload, "contexts", "trace", "trace_id"));
  found.replay(at(payload, "contexts", "replay", "replay_id"));
  found.replay(at(payload, "contexts", "feedback", "replay_id"));
  // What the browser SDK writes into an event that happens while a recording runs.
  found.replay(at(payload, "tags", "replayId"));
};

/** https://develop.sentry.dev/sdk/telemetry/replays/#replay-event */
const indexReplay: Indexer = (payload, found) => {
  found.replay(at(payload, "replay_id"));
  for (const id of listOf(at(payload, "trace_ids"))) found.trace(id);
  indexEvent(payload, found);
};

/** `{"items": […]}`, each with a trace id and attributes; a span of the older form stands alone. */
const indexContainer: Indexer = (payload, found) => {
  const entries = at(payload, "items");
  for (const entry of Array.isArray(entries) ? entries : [payload]) {
    found.trace(at(entry, "trace_id"));
    found.replay(at(entry, "attributes", "sentry.replay_id", "value"));
  }
};

const INDEXERS: ReadonlyMap<string, Indexer> = new Map([
  ["event", indexEvent],
  ["transaction", indexEvent],
  ["feedback", indexEvent],
  ["replay_event", indexReplay],
  ["span", indexContainer],
  ["log", indexContainer],
  ["trace_metric", indexContainer],
]);
