import assert from "node:assert/strict";
import fc from "fast-check";
import { readByReference, type ReferenceResult } from "./testdata/reference_reader.ts";
import { MAX_HEADER_BYTES } from "./header_line.ts";
import { readEnvelope } from "./reader.ts";
import { EnvelopeError, EnvelopeScanner, MAX_ITEMS, type ScannedItem } from "./scanner.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Feeds an envelope cut at the given places. */
function scan(bytes: Uint8Array, cuts: readonly number[] = []): ScannedItem[] {
  const items: ScannedItem[] = [];
  const scanner = new EnvelopeScanner({ item: (item) => items.push(item) });
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    scanner.push(bytes.subarray(from, cut));
    from = cut;
  }
  scanner.push(bytes.subarray(from));
  scanner.end();
  return items;
}

const refused = (text: string | Uint8Array, offset?: number) =>
  assert.throws(
    () => scan(typeof text === "string" ? bytesOf(text) : text),
    (error) =>
      error instanceof EnvelopeError && error.code === "envelope_malformed" &&
      (offset === undefined || error.offset === offset),
    String(text).slice(0, 80),
  );

Deno.test("a header alone is an empty envelope, with or without its line feed", () => {
  for (const text of ["{}", "{}\n", "{}\n\n\n", '{"dsn":"x"}\n']) {
    const scanner = new EnvelopeScanner({ begin: () => assert.fail("there is no item") });
    scanner.push(bytesOf(text));
    scanner.end();
    assert.equal(scanner.begun, false);
    assert.notEqual(scanner.header, undefined);
  }
});

Deno.test("the header is known once its line is complete, and not before", () => {
  const scanner = new EnvelopeScanner();
  scanner.push(bytesOf('{"dsn":'));
  assert.equal(scanner.header, undefined);
  scanner.push(bytesOf('"d"}'));
  assert.equal(scanner.header, undefined);
  scanner.push(bytesOf("\n"));
  assert.deepEqual(scanner.header, { dsn: "d" });
  assert.equal(scanner.begun, false);
});

Deno.test("begin is called at the first byte of an item, before its framing is looked at", () => {
  const seen: unknown[] = [];
  const scanner = new EnvelopeScanner({ begin: (header) => void seen.push(header) });
  scanner.push(bytesOf('{"dsn":"d"}\n\n'));
  assert.deepEqual(seen, []);
  assert.throws(() => scanner.push(bytesOf("no JSON\n")), EnvelopeError);
  assert.deepEqual(seen, [{ dsn: "d" }]);
});

Deno.test("items are told with the place and length of their payloads", () => {
  const text = '{}\n{"type":"a","length":3}\nx\ny\n\n{"type":"b"}\nrest\n{"type":"c","length":0}\n';
  assert.deepEqual(scan(bytesOf(text)), [
    { header: { type: "a", length: 3 }, offset: 27, length: 3 },
    { header: { type: "b" }, offset: 45, length: 4 },
    { header: { type: "c", length: 0 }, offset: 74, length: 0 },
  ]);
});

Deno.test("a payload may end with the envelope", () => {
  assert.equal(scan(bytesOf('{}\n{"type":"a","length":2}\nxy'))[0]?.length, 2);
  assert.equal(scan(bytesOf('{}\n{"type":"a"}\nxy'))[0]?.length, 2);
  assert.equal(scan(bytesOf('{}\n{"type":"a"}\n'))[0]?.length, 0);
  assert.equal(scan(bytesOf('{}\n{"type":"a"}'))[0]?.length, 0);
  assert.equal(scan(bytesOf('{}\n{"type":"a","length":0}'))[0]?.length, 0);
});

Deno.test("blank lines between items are tolerated", () => {
  assert.equal(scan(bytesOf('{}\n\n\n{"type":"a"}\nx\n\n\n\n{"type":"b"}\ny\n\n')).length, 2);
});

Deno.test("an envelope without any byte is refused", () => refused("", 0));

Deno.test("a header that is no JSON object is refused", () => {
  for (const line of ["", " ", "[]", "null", "1", '"x"', "{", "{}{}", "\ufeff{}", "{'a':1}"]) {
    refused(`${line}\n{"type":"a"}\nx`, 0);
    refused(`{}\n${line || " "}\nx`, 3);
  }
  refused(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 0);
});

Deno.test("a header of exactly 64 KiB passes, one byte more is refused, complete or not", () => {
  const padded = (bytes: number) => `{"x":"${"a".repeat(bytes - 8)}"}`;
  scan(bytesOf(`${padded(MAX_HEADER_BYTES)}\n`));
  refused(`${padded(MAX_HEADER_BYTES + 1)}\n`, 0);
  const scanner = new EnvelopeScanner();
  const half = new Uint8Array(MAX_HEADER_BYTES).fill(0x20);
  scanner.push(half);
  assert.throws(() => scanner.push(Uint8Array.of(0x20)), EnvelopeError);
});

Deno.test("an item without a type is refused", () => {
  for (const header of ["{}", '{"type":1}', '{"type":null}', '{"type":""}', '{"Type":"event"}']) {
    refused(`{}\n${header}\nx`, 3);
  }
  refused('{}\n{"__proto__":{"type":"event"}}\nx', 3);
});

Deno.test("a length that is no whole number from 0 is refused", () => {
  for (const length of ["-1", "1.5", '"2"', "null", "true", "[]", "1e400", "9007199254740993"]) {
    refused(`{}\n{"type":"a","length":${length}}\nxx`, 3);
  }
});

Deno.test("a payload shorter than its length is refused", () => {
  refused('{}\n{"type":"a","length":3}\nxy', 27);
  refused('{}\n{"type":"a","length":1}', 26);
});

Deno.test("bytes smuggled in after a payload are refused", () => {
  refused('{}\n{"type":"a","length":2}\nxyz\n', 29);
  refused('{}\n{"type":"a","length":2}\nxy\r\n', 29);
  refused('{}\n{"type":"a","length":0}\n{"type":"b"}\n', 27);
});

Deno.test("more items than the limit are too large", () => {
  const items = (count: number) => bytesOf(`{}\n${'{"type":"a"}\n\n'.repeat(count)}`);
  assert.equal(scan(items(MAX_ITEMS)).length, MAX_ITEMS);
  assert.throws(
    () => scan(items(MAX_ITEMS + 1)),
    (error) => error instanceof EnvelopeError && error.code === "envelope_too_large",
  );
});

Deno.test("payloads are views of the envelope, not copies", () => {
  const bytes = bytesOf('{}\n{"type":"a","length":2}\nxy\n');
  assert.equal(readEnvelope(bytes).items[0]?.payload.buffer, bytes.buffer);
});

/** What the scanner makes of an envelope, in the reference reader's terms. */
function read(bytes: Uint8Array, cuts: readonly number[]): ReferenceResult {
  const items: { header: unknown; payload: number[] }[] = [];
  const scanner = new EnvelopeScanner({
    item: ({ header, offset, length }) =>
      items.push({ header, payload: [...bytes.subarray(offset, offset + length)] }),
  });
  try {
    let from = 0;
    for (const cut of cuts) {
      // A copy that is wiped afterwards: the scanner may keep no view of what it is given.
      const chunk = bytes.slice(from, cut);
      scanner.push(chunk);
      chunk.fill(0);
      from = cut;
    }
    scanner.push(bytes.subarray(from));
    scanner.end();
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
  return { header: scanner.header, items };
}

const anyHeader = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
const anyItem = fc.record({
  header: anyHeader,
  type: fc.oneof(fc.constantFrom("event", "span", "replay_recording"), fc.string()),
  payload: fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom("\n", "\n\n{}", '{"type":"event"}\n').map(bytesOf),
  ),
  declared: fc.boolean(),
  lie: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 3 })),
  blanks: fc.nat(2),
});
const anyEnvelope = fc.tuple(anyHeader, fc.array(anyItem, { maxLength: 4 })).map(
  ([header, items]) => {
    const parts = [bytesOf(`${JSON.stringify(header)}\n`)];
    for (const { header, type, payload, declared, lie, blanks } of items) {
      const length = declared ? { length: payload.length + lie } : {};
      parts.push(bytesOf(`${JSON.stringify({ ...header, type, ...length })}\n`), payload);
      parts.push(bytesOf("\n".repeat(1 + blanks)));
    }
    return Uint8Array.from(parts.flatMap((part) => [...part]));
  },
);
const anyMutation = fc.record({
  at: fc.nat(),
  remove: fc.nat(3),
  insert: fc.oneof(
    fc.constantFrom("\n", "{}", '"', "\r", ",", "0").map(bytesOf),
    fc.uint8Array({ maxLength: 3 }),
  ),
});
const mutatedEnvelope = fc.tuple(anyEnvelope, fc.array(anyMutation, { maxLength: 3 })).map(
  ([envelope, mutations]) => {
    let bytes = [...envelope];
    for (const { at, remove, insert } of mutations) {
      const place = at % (bytes.length + 1);
      bytes = [...bytes.slice(0, place), ...insert, ...bytes.slice(place + remove)];
    }
    return Uint8Array.from(bytes);
  },
);
const anyInput = fc.oneof(anyEnvelope, mutatedEnvelope, fc.uint8Array({ maxLength: 60 }));

Deno.test("the scanner agrees with the reference reader on any bytes, however they are cut", () => {
  let good = 0;
  fc.assert(
    fc.property(anyInput, fc.array(fc.nat(), { maxLength: 6 }), (bytes, places) => {
      const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
      const expected = readByReference([...bytes]);
      if (expected) good++;
      assert.deepEqual(read(bytes, cuts), expected);
    }),
    { numRuns: 4000 },
  );
  assert.ok(good > 500, `only ${good} of 4,000 envelopes were whole: the generator proves little`);
});

Deno.test("an error is at the same offset in one piece and byte by byte", () => {
  const offsetOf = (bytes: Uint8Array, cuts: readonly number[]) => {
    try {
      scan(bytes, cuts);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof EnvelopeError);
      return `${error.offset} ${error.message}`;
    }
  };
  fc.assert(
    fc.property(
      mutatedEnvelope,
      (bytes) => assert.equal(offsetOf(bytes, [...bytes.keys()]), offsetOf(bytes, [])),
    ),
    { numRuns: 1000 },
  );
});
