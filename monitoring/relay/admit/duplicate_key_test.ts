import assert from "node:assert/strict";
import fc from "fast-check";
import { DuplicateKey } from "./duplicate_key.ts";

const DSN = "https://key@o1.ingest.sentry.io/1";
const LINE_FEED = 10;
const encode = (text: string) => new TextEncoder().encode(text);

/**
 * The key of an envelope.
 *
 * @param cuts offsets at which the envelope is split into chunks
 */
function keyOf(envelope: Uint8Array, cuts: readonly number[] = [], dsn = DSN): string {
  const key = new DuplicateKey();
  let at = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    key.push(envelope.subarray(at, Math.max(at, cut)));
    at = Math.max(at, cut);
  }
  key.push(envelope.subarray(at));
  const line = new TextDecoder().decode(envelope.subarray(0, envelope.indexOf(LINE_FEED)));
  return key.finish(dsn, JSON.parse(line));
}

const envelope = (header: unknown, items = '{"type":"event"}\n{}\n') =>
  encode(`${JSON.stringify(header)}\n${items}`);

Deno.test("large envelopes that differ in one byte or in length → other keys", () => {
  const large = envelope({ event_id: "1" }, "a".repeat(100_000));
  fc.assert(fc.property(fc.nat(99_999), fc.integer({ min: 1, max: 255 }), (at, change) => {
    const other = large.slice();
    other[large.length - 1 - at]! ^= change;
    assert.notEqual(keyOf(other), keyOf(large));
  }));
  assert.notEqual(keyOf(large.subarray(0, -1)), keyOf(large));
});

Deno.test("the same bytes in any chunks → the same key", () => {
  fc.assert(fc.property(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(fc.nat(400)),
    (header, items, cuts) => {
      const bytes = new Uint8Array([...envelope(header, ""), ...items]);
      assert.equal(keyOf(bytes, cuts), keyOf(bytes));
    },
  ));
});
