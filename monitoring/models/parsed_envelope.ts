import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { readEnvelope } from "../protocol/scanner.ts";
import type { InboxItem } from "../protocol/inbox_row.ts";
import { at, listOf, parseJson } from "./json.ts";

/** An envelope whose JSON has been read, once for all that is made of it. */
export interface ParsedEnvelope {
  readonly header: EnvelopeHeader;
  readonly items: readonly ParsedItem[];
  readonly leftOut: LeftOut;
}

/** What the lists do not take in of an envelope, because it is beyond the bounds. Its bytes are kept whole. */
export interface LeftOut {
  /** Items that were not read. */
  readonly items: number;
  /** Spans, logs and their like in items that were read. */
  readonly entries: number;
}

export interface ParsedItem extends InboxItem {
  /** Undefined: not read, because it is of no type that is indexed, no JSON, or beyond the bounds. */
  readonly json: unknown;
}

/** An SDK sends a handful. What is beyond is kept, as bytes, and not listed: a row must stay small. */
export const MAX_ITEMS = 256;
/**
 * Bytes of JSON read for one envelope, all items together: four times the largest event that Sentry takes. Parsing
 * blocks the server, some 10 ms for each MiB.
 */
export const MAX_INDEXED_BYTES = 4 * 1024 * 1024;

/**
 * Objects and lists in that JSON. SDKs send one to some 50 bytes, so that about as many fit; each takes 100 ns to make:
 * more than a million empty ones would hold the server up for a fifth of a second.
 */
export const MAX_OBJECTS = 100_000;
/**
 * Spans, logs and their like that one envelope adds to the lists. SDKs send up to 1,000 spans or 100 logs at once,
 * OpenTelemetry's exporters 512; so many are looked through in some 10 ms.
 */
export const MAX_ENTRIES = 10_000;

/** The items that ids, spans, errors or logs are read from. */
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
 * Reads an envelope's framing and the JSON of its items. Anyone who may post decides what is in it, so this does not
 * throw: broken framing, which the relay refuses, is an envelope without items.
 *
 * @param bytes the envelope, decompressed
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

/** {@linkcode parseEnvelope} for framing that is already read; an item without its payload is only listed. */
export function parseItems(
  header: EnvelopeHeader,
  items: readonly (InboxItem & { readonly payload?: Uint8Array })[],
): ParsedEnvelope {
  const reader = new BoundedReader();
  const parsed = items.slice(0, MAX_ITEMS).map(({ type, bytes, payload }) => {
    const isRead = payload !== undefined && INDEXED_TYPES.has(type);
    return { type, bytes, json: isRead ? reader.read(payload) : undefined };
  });
  const beyond = items.slice(MAX_ITEMS).filter(({ type }) => INDEXED_TYPES.has(type)).length;
  const { items: unread, entries } = reader.leftOut;
  return { header, items: parsed, leftOut: { items: unread + beyond, entries } };
}

/** One of which nothing can be read. */
export const EMPTY_ENVELOPE: ParsedEnvelope = {
  header: {},
  items: [],
  leftOut: { items: 0, entries: 0 },
};

/** The lists in a payload that are looked through: a container's, a transaction's, a recording's. */
const LISTS = ["items", "spans", "trace_ids"];
const OPENS_OBJECT = "{".charCodeAt(0);
const OPENS_LIST = "[".charCodeAt(0);

/** Reads payloads of one envelope until the bounds are reached. */
class BoundedReader {
  #bytes = MAX_INDEXED_BYTES;
  #objects = MAX_OBJECTS;
  #entries = MAX_ENTRIES;
  #unread = 0;
  #cut = 0;

  /** Undefined: it is no JSON, or beyond the bounds. */
  read(payload: Uint8Array): unknown {
    // Of a text in it brackets count too: it takes very many to matter.
    const objects = payload.byteLength > this.#bytes ? Infinity : countOpening(payload);
    if (objects > this.#objects) {
      this.#unread++;
      return undefined;
    }
    this.#bytes -= payload.byteLength;
    this.#objects -= objects;
    return this.#shortened(parseJson(payload));
  }

  get leftOut(): LeftOut {
    return { items: this.#unread, entries: this.#cut };
  }

  #shortened(json: unknown): unknown {
    let shortened = json;
    for (const name of LISTS) {
      const list = listOf(at(json, name));
      if (list.length > this.#entries) {
        shortened = { ...(shortened as object), [name]: list.slice(0, this.#entries) };
        this.#cut += list.length - this.#entries;
      }
      this.#entries -= Math.min(list.length, this.#entries);
    }
    return shortened;
  }
}

function countOpening(payload: Uint8Array): number {
  let count = 0;
  // Not `for…of`, which takes 15 ms for 4 MiB instead of 3.
  for (let index = 0; index < payload.length; index++) {
    const byte = payload[index];
    if (byte === OPENS_OBJECT || byte === OPENS_LIST) count++;
  }
  return count;
}
