import assert from "node:assert/strict";
import fc from "fast-check";
import { hostileEnvelope } from "./testdata/hostile_envelope.ts";
import { readByReference, type ReferenceResult } from "./testdata/reference_reader.ts";
import { EnvelopeError, MAX_HEADER_BYTES } from "./envelope.ts";
import { EnvelopeScanner, MAX_ITEMS, readEnvelope, type ScannedItem } from "./scanner.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Scans an envelope in chunks that end at `cuts`. */
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

Deno.test("header line only, with or without line feed → empty envelope", () => {
  for (const text of ["{}", "{}\n", "{}\n\n\n", '{"dsn":"x"}\n']) {
    const scanner = new EnvelopeScanner({ begin: () => assert.fail("there is no item") });
    scanner.push(bytesOf(text));
    scanner.end();
    assert.notEqual(scanner.header, undefined);
  }
});

Deno.test("header line complete → known; first byte of an item → begin, before its header is parsed", () => {
  const seen: unknown[] = [];
  const scanner = new EnvelopeScanner({ begin: (header) => void seen.push(header) });
  scanner.push(bytesOf('{"dsn":"d"}'));
  assert.equal(scanner.header, undefined);
  scanner.push(bytesOf("\n\n"));
  assert.deepEqual([scanner.header, seen], [{ dsn: "d" }, []]);
  assert.throws(() => scanner.push(bytesOf("no JSON\n")), EnvelopeError);
  assert.deepEqual(seen, [{ dsn: "d" }]);
});

Deno.test("empty, no JSON object, no type, invalid or wrong length → refused, with the offset", () => {
  refused("", 0);
  for (const line of ["", " ", "[]", "null", "1", '"x"', "{", "{}{}", "\ufeff{}", "{'a':1}"]) {
    refused(`${line}\n{"type":"a"}\nx`, 0);
    refused(`{}\n${line || " "}\nx`, 3);
  }
  refused(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 0);
  for (const header of ["{}", '{"type":1}', '{"type":null}', '{"type":""}', '{"Type":"event"}']) {
    refused(`{}\n${header}\nx`, 3);
  }
  refused('{}\n{"__proto__":{"type":"event"}}\nx', 3);
  for (const length of ["-1", "1.5", '"2"', "null", "true", "[]", "1e400", "9007199254740993"]) {
    refused(`{}\n{"type":"a","length":${length}}\nxx`, 3);
  }
  // Payload shorter than its length.
  refused('{}\n{"type":"a","length":3}\nxy', 27);
  refused('{}\n{"type":"a","length":1}', 26);
  // Payload followed by something but a line feed.
  refused('{}\n{"type":"a","length":2}\nxyz\n', 29);
  refused('{}\n{"type":"a","length":2}\nxy\r\n', 29);
  refused('{}\n{"type":"a","length":0}\n{"type":"b"}\n', 27);
});

Deno.test("header of 64 KiB → accepted; one byte more → refused, complete or not", () => {
  const padded = (bytes: number) => `{"x":"${"a".repeat(bytes - 8)}"}`;
  scan(bytesOf(`${padded(MAX_HEADER_BYTES)}\n`));
  refused(`${padded(MAX_HEADER_BYTES + 1)}\n`, 0);
  const scanner = new EnvelopeScanner();
  const unfinished = new Uint8Array(MAX_HEADER_BYTES).fill(0x20);
  scanner.push(unfinished);
  assert.throws(() => scanner.push(Uint8Array.of(0x20)), EnvelopeError);
});

Deno.test("more items than the limit → envelope_too_large", () => {
  const items = (count: number) => bytesOf(`{}\n${'{"type":"a"}\n\n'.repeat(count)}`);
  assert.equal(scan(items(MAX_ITEMS)).length, MAX_ITEMS);
  assert.throws(
    () => scan(items(MAX_ITEMS + 1)),
    (error) => error instanceof EnvelopeError && error.code === "envelope_too_large",
  );
});

Deno.test("readEnvelope → payloads are views, not copies", () => {
  const bytes = bytesOf('{}\n{"type":"a","length":2}\nxy\n');
  assert.equal(readEnvelope(bytes).items[0]?.payload.buffer, bytes.buffer);
});

/** The result of `read` in the reference reader's terms. */
function orBroken(read: () => NonNullable<ReferenceResult>): ReferenceResult {
  try {
    return read();
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}

const readWhole = (bytes: Uint8Array) =>
  orBroken(() => {
    const { header, items } = readEnvelope(bytes);
    return {
      header,
      items: items.map(({ header, payload }) => ({ header, payload: [...payload] })),
    };
  });

const readInChunks = (bytes: Uint8Array, cuts: readonly number[]) =>
  orBroken(() => {
    const items: { header: unknown; payload: number[] }[] = [];
    const scanner = new EnvelopeScanner({
      item: ({ header, offset, length }) =>
        items.push({ header, payload: [...bytes.subarray(offset, offset + length)] }),
    });
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      // A copy that is wiped afterwards: the scanner must keep no view of a chunk.
      const chunk = bytes.slice(from, cut);
      scanner.push(chunk);
      chunk.fill(0);
      from = cut;
    }
    scanner.end();
    return { header: scanner.header, items };
  });

const anyEnvelope = hostileEnvelope(fc.constant(['"event_id":"e1"']));

Deno.test("hostile envelopes, in chunks of any size → same result as the reference reader", () => {
  const numRuns = 2000;
  let valid = 0;
  fc.assert(
    fc.property(anyEnvelope, fc.array(fc.nat(), { maxLength: 6 }), (bytes, positions) => {
      const cuts = positions.map((position) => position % (bytes.length + 1)).sort((a, b) => a - b);
      const expected = readByReference([...bytes]);
      if (expected) valid++;
      assert.deepEqual(readWhole(bytes), expected);
      assert.deepEqual(readInChunks(bytes, cuts), expected);
      // Byte by byte, unless it has a header of 64 KiB.
      if (bytes.length < 5000) {
        assert.deepEqual(readInChunks(bytes, [...bytes.keys()]), expected);
      }
    }),
    { numRuns },
  );
  // Both kinds must be frequent, else the comparison proves little.
  const enough = numRuns / 5;
  assert.ok(valid > enough && numRuns - valid > enough, `${valid} valid of ${numRuns}`);
});

Deno.test("broken envelope in one chunk or byte by byte → error with the same offset", () => {
  const errorOf = (bytes: Uint8Array, cuts: readonly number[]) => {
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
      anyEnvelope,
      (bytes) => assert.equal(errorOf(bytes, [...bytes.keys()]), errorOf(bytes, [])),
    ),
    { numRuns: 1000 },
  );
});
