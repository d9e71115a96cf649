import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { readEnvelope } from "../protocol/scanner.ts";
import type { InboxItem } from "../protocol/inbox_row.ts";
import { at, listOf, parseJson } from "./json.ts";

/** An envelope whose items are parsed, once for all read models. */
export interface ParsedEnvelope {
  readonly header: EnvelopeHeader;
  readonly items: readonly ParsedItem[];
  readonly leftOut: LeftOut;
}

/** What exceeds the limits below and is not listed. The stored bytes are complete. */
export interface LeftOut {
  /** Items that were not parsed. */
  readonly items: number;
  /** Spans, logs and similar entries that were dropped from parsed items. */
  readonly entries: number;
}

export interface ParsedItem extends InboxItem {
  /** Undefined: the type is not indexed, or the payload is not JSON or exceeds the limits. */
  readonly json: unknown;
}

/** Items of one envelope in its row. SDKs send a few. */
export const MAX_ITEMS = 256;
/**
 * Bytes of JSON parsed for one envelope: four times Sentry's limit for an event. Parsing blocks the
 * server for some 10 ms per MiB.
 */
export const MAX_INDEXED_BYTES = 4 * 1024 * 1024;

/**
 * Objects and arrays in that JSON, 100 ns each. SDKs send about one per 50 bytes. Attack: 4 MiB of empty
 * objects would block the server for a fifth of a second.
 */
export const MAX_OBJECTS = 100_000;
/**
 * Spans, logs and similar entries indexed for one envelope, which takes some 10 ms. SDKs send up to
 * 1,000 spans or 100 logs at once, OpenTelemetry's exporters 512.
 */
export const MAX_ENTRIES = 10_000;

/** Types of items that are parsed. Their readers are in `index/index_entries.ts`. */
const INDEXED_TYPES: ReadonlySet<string> = new Set([
  "event",
  "transaction",
  "feedback",
  "replay_event",
  "span",
  "log",
  "trace_metric",
]);

/**
 * Parses an envelope and its items. Its content is untrusted: never throws. An envelope with broken
 * framing, which the relay refuses, has no items.
 *
 * @param bytes decompressed
 */
export function parseEnvelope(bytes: Uint8Array): ParsedEnvelope {
  try {
    const { header, items } = readEnvelope(bytes);
    return parseItems(
      header,
      items.map(({ header, payload }) => ({
        type: header.type,
        bytes: payload.byteLength,
        payload,
      })),
    );
  } catch {
    return EMPTY_ENVELOPE;
  }
}

/** {@linkcode parseEnvelope} after the framing is parsed. An item without payload is listed, not parsed. */
export function parseItems(
  header: EnvelopeHeader,
  items: readonly (InboxItem & { readonly payload?: Uint8Array })[],
): ParsedEnvelope {
  const reader = new BoundedParser();
  const parsed = items.slice(0, MAX_ITEMS).map(({ type, bytes, payload }) => {
    const isRead = payload !== undefined && INDEXED_TYPES.has(type);
    return { type, bytes, json: isRead ? reader.parse(payload) : undefined };
  });
  const beyond = items.slice(MAX_ITEMS).filter(({ type }) => INDEXED_TYPES.has(type)).length;
  const { items: unread, entries } = reader.leftOut;
  return { header, items: parsed, leftOut: { items: unread + beyond, entries } };
}

/** For an envelope that cannot be parsed. */
export const EMPTY_ENVELOPE: ParsedEnvelope = {
  header: {},
  items: [],
  leftOut: { items: 0, entries: 0 },
};

/** Arrays of entries: in containers, transactions and recordings. */
const ENTRY_LISTS = ["items", "spans", "trace_ids"];
const OPENING_BRACE = "{".charCodeAt(0);
const OPENING_BRACKET = "[".charCodeAt(0);

/** Parses the payloads of one envelope within the limits. */
class BoundedParser {
  #bytes = MAX_INDEXED_BYTES;
  #objects = MAX_OBJECTS;
  #entries = MAX_ENTRIES;
  #skippedItems = 0;
  #droppedEntries = 0;

  /** Undefined: not JSON, or over a limit. */
  parse(payload: Uint8Array): unknown {
    // Also counts braces inside texts, which rarely matters.
    const objects = payload.byteLength > this.#bytes ? Infinity : countObjects(payload);
    if (objects > this.#objects) {
      this.#skippedItems++;
      return undefined;
    }
    this.#bytes -= payload.byteLength;
    this.#objects -= objects;
    return this.#limitEntries(parseJson(payload));
  }

  get leftOut(): LeftOut {
    return { items: this.#skippedItems, entries: this.#droppedEntries };
  }

  #limitEntries(json: unknown): unknown {
    let limited = json;
    for (const name of ENTRY_LISTS) {
      const list = listOf(at(json, name));
      if (list.length > this.#entries) {
        limited = { ...(limited as object), [name]: list.slice(0, this.#entries) };
        this.#droppedEntries += list.length - this.#entries;
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
