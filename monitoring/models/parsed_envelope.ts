import { withItemFacts } from "./error/security_event.ts";
import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { tryReadEnvelope } from "../protocol/scanner.ts";
import type { InboxItem } from "../protocol/inbox_row.ts";
import { attachmentFacts } from "./feedback/attachment.ts";
import { at, listOf, parseJson } from "./json.ts";
import { eventOfVideo, splitRecording } from "./recording/recording_payload.ts";

/** An envelope with the JSON of its items. All read models use it, so that each item is parsed once. */
export interface ParsedEnvelope {
  readonly header: EnvelopeHeader;
  readonly items: readonly ParsedItem[];
  readonly omitted: Omitted;
  /** What OpenTelemetry calls its sender: plain values by name. Undefined: Sentry's SDKs send it in each item. */
  readonly resource?: Readonly<Record<string, unknown>>;
}

/** What is broken or over the limits below: in no list, but complete in the stored bytes. */
interface Omitted {
  /** Items of indexed types that were not parsed, apart from replays. */
  readonly items: number;
  /** Spans, logs and similar entries of parsed items. */
  readonly entries: number;
}

interface ParsedItem extends InboxItem {
  /**
   * Of a `replay_recording` its header, of a `replay_video` its `replay_event`, of an `attachment` its facts, of `raw_security` with those of its header. Undefined: the type is not indexed, or
   * the payload is not JSON or exceeds the limits.
   */
  readonly json: unknown;
}

/** Items of an envelope that its row lists. SDKs send a few. */
export const MAX_ITEMS = 256;
/**
 * Bytes of JSON parsed for one envelope: four times Sentry's limit for an event. Parsing takes about
 * 10 ms per MiB, during which the server does nothing else.
 */
export const MAX_PARSED_BYTES = 4 * 1024 * 1024;

/**
 * Objects and arrays in that JSON. Each takes 100 ns to parse; SDKs send about one per 50 bytes. Attack:
 * 4 MiB of empty objects would block the server for 200 ms.
 */
export const MAX_OBJECTS = 100_000;
/**
 * Spans, logs and similar entries indexed for one envelope, which takes some 10 ms. SDKs send up to
 * 1,000 spans or 100 logs at once, OpenTelemetry's exporters 512.
 */
export const MAX_ENTRIES = 10_000;

/** Types of items that are parsed. `index/index_entries.ts` reads trace and recording of each, and more of some. */
const INDEXED_TYPES = [
  "event",
  "transaction",
  "feedback",
  "user_report",
  "check_in",
  "replay_event",
  "replay_recording",
  "replay_video",
  "span",
  "log",
  "raw_security",
  "trace_metric",
  "profile",
  "profile_chunk",
  "client_report",
  "session",
  "sessions",
] as const;

export type IndexedType = (typeof INDEXED_TYPES)[number];

const isIndexed = (type: string) => (INDEXED_TYPES as readonly string[]).includes(type);

/** Of items that make one row together, whichever of them can be read. */
export const isReplay = (type: string) => type.startsWith("replay_");

/**
 * Parses an envelope and its items. Its content is untrusted: never throws. An envelope with broken
 * framing, which the relay refuses, has no items.
 *
 * @param bytes decompressed
 */
export function parseEnvelope(bytes: Uint8Array): ParsedEnvelope {
  const envelope = tryReadEnvelope(bytes);
  if (envelope === undefined) return EMPTY_ENVELOPE;
  const parser = new BoundedParser();
  const items = envelope.items.slice(0, MAX_ITEMS).map((item, index) => {
    const { header: { type }, payload } = item;
    const json = type === "attachment"
      ? attachmentFacts(item, index)
      : isIndexed(type)
      ? parser.parse(jsonOf(type, payload))
      : undefined;
    const isViolation = type === "raw_security" && json !== undefined;
    return {
      type,
      bytes: payload.byteLength,
      json: isViolation ? withItemFacts(json, item.header) : json,
    };
  });
  const left = envelope.items.slice(MAX_ITEMS).filter(({ header }) => isIndexed(header.type));
  const unread = items.filter(({ type, json }) =>
    json === undefined && isIndexed(type) && !isReplay(type)
  );
  const omitted = { items: left.length + unread.length, entries: parser.omittedEntries };
  return { header: envelope.header, items, omitted };
}

/** The part of a payload that is JSON and describes it. */
function jsonOf(type: string, payload: Uint8Array): Uint8Array {
  if (type === "replay_recording") return splitRecording(payload)?.header ?? NO_BYTES;
  if (type === "replay_video") return eventOfVideo(payload) ?? NO_BYTES;
  return payload;
}

const NO_BYTES = new Uint8Array();

/** For an envelope that cannot be parsed. */
export const EMPTY_ENVELOPE: ParsedEnvelope = {
  header: {},
  items: [],
  omitted: { items: 0, entries: 0 },
};

/** Arrays of entries: in containers, transactions and recordings. */
const ENTRY_LISTS = ["items", "spans", "trace_ids"];
const OPENING_BRACE = "{".charCodeAt(0);
const OPENING_BRACKET = "[".charCodeAt(0);

/** Parses the payloads of one envelope within the limits. */
class BoundedParser {
  #bytes = MAX_PARSED_BYTES;
  #objects = MAX_OBJECTS;
  #entries = MAX_ENTRIES;
  omittedEntries = 0;

  /** Undefined: not JSON, or over a limit. */
  parse(payload: Uint8Array): unknown {
    // Also counts braces inside texts, which rarely matters.
    const objects = payload.byteLength > this.#bytes ? Infinity : countObjects(payload);
    if (objects > this.#objects) return undefined;
    this.#bytes -= payload.byteLength;
    this.#objects -= objects;
    return this.#limitEntries(parseJson(payload));
  }

  #limitEntries(json: unknown): unknown {
    let limited = json;
    for (const name of ENTRY_LISTS) {
      const list = listOf(at(json, name));
      if (list.length > this.#entries) {
        limited = { ...(limited as object), [name]: list.slice(0, this.#entries) };
        this.omittedEntries += list.length - this.#entries;
      }
      this.#entries -= Math.min(list.length, this.#entries);
    }
    return limited;
  }
}

function countObjects(payload: Uint8Array): number {
  let count = 0;
  // `for…of` takes 15 ms for 4 MiB, this loop 3 ms.
  for (let index = 0; index < payload.length; index++) {
    const byte = payload[index];
    if (byte === OPENING_BRACE || byte === OPENING_BRACKET) count++;
  }
  return count;
}
