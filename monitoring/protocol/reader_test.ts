import assert from "node:assert/strict";
import fc from "fast-check";
import { readEnvelope } from "./reader.ts";
import { EnvelopeError, EnvelopeScanner, type ScannedItem } from "./scanner.ts";
import { hostileEnvelope } from "./testdata/hostile_envelope.ts";
import { readByReference, type ReferenceResult } from "./testdata/reference_reader.ts";

const RUNS = 1500;

/** What `read` makes of an envelope, in the reference reader's terms. */
function orRefused(read: () => NonNullable<ReferenceResult>): ReferenceResult {
  try {
    return read();
  } catch (error) {
    // Anything else is a crash.
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}

const inOnePiece = (bytes: Uint8Array) =>
  orRefused(() => {
    const { header, items } = readEnvelope(bytes);
    return {
      header,
      items: items.map(({ header, payload }) => ({ header, payload: [...payload] })),
    };
  });

const byteByByte = (bytes: Uint8Array) =>
  orRefused(() => {
    const items: ScannedItem[] = [];
    const scanner = new EnvelopeScanner({ item: (item) => items.push(item) });
    for (const byte of bytes) scanner.push(Uint8Array.of(byte));
    scanner.end();
    return {
      header: scanner.header,
      items: items.map(({ header, offset, length }) => ({
        header,
        payload: [...bytes.subarray(offset, offset + length)],
      })),
    };
  });

Deno.test("the reader and the reference reader accept the same of hostile envelopes, with the same items", () => {
  let whole = 0;
  let broken = 0;
  fc.assert(
    fc.property(hostileEnvelope(fc.constant(['"event_id":"e1"'])), (bytes) => {
      const expected = readByReference([...bytes]);
      if (expected) whole++;
      else broken++;
      assert.deepEqual(inOnePiece(bytes), expected);
      assert.deepEqual(byteByByte(bytes), expected);
    }),
    { numRuns: RUNS },
  );
  const enough = RUNS / 5;
  assert.ok(whole > enough && broken > enough, `${whole} whole, ${broken} broken of ${RUNS}`);
});
