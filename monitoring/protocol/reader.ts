import type { Envelope, Item } from "./envelope.ts";
import { EnvelopeScanner } from "./scanner.ts";

/**
 * Reads a whole, decompressed envelope. Payloads are views of `bytes`, not copies.
 *
 * @throws {EnvelopeError} if the framing is broken
 *
 * @example
 * ```ts
 * import { readEnvelope } from "./reader.ts";
 *
 * const bytes = new TextEncoder().encode('{"event_id":"9ec7"}\n{"type":"event","length":2}\n{}\n');
 * const { header, items } = readEnvelope(bytes);
 * header.event_id; // "9ec7"
 * items[0]?.header.type; // "event"
 * ```
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  const items: Item[] = [];
  const scanner = new EnvelopeScanner({
    item: ({ header, offset, length }) =>
      items.push({ header, payload: bytes.subarray(offset, offset + length) }),
  });
  scanner.push(bytes);
  scanner.end();
  return { header: scanner.header ?? {}, items };
}
