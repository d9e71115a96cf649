import type { EnvelopeHeader } from "../../envelope/envelope.ts";
import { readEnvelope } from "../../envelope/reader.ts";
import type { InboxItem } from "../row.ts";
import { parseJson } from "./json.ts";

/** An envelope whose JSON has been read, once for all that is made of it. */
export interface ParsedEnvelope {
  readonly header: EnvelopeHeader;
  readonly items: readonly ParsedItem[];
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
    return { header: {}, items: [] };
  }
}

/** {@linkcode parseEnvelope} for framing that is already read; an item without its payload is only listed. */
export function parseItems(
  header: EnvelopeHeader,
  items: readonly (InboxItem & { readonly payload?: Uint8Array })[],
): ParsedEnvelope {
  let budget = MAX_INDEXED_BYTES;
  const parsed = items.slice(0, MAX_ITEMS).map(({ type, bytes, payload }) => {
    const readable = payload !== undefined && INDEXED_TYPES.has(type) &&
      payload.byteLength <= budget;
    if (!readable) return { type, bytes, json: undefined };
    budget -= payload.byteLength;
    return { type, bytes, json: parseJson(payload) };
  });
  return { header, items: parsed };
}
