import assert from "node:assert/strict";
import fc from "fast-check";
import { prettyJson, readPayload } from "./readable_payload.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

Deno.test("binary data → a hex dump of its start", () => {
  const bytes = new Uint8Array(2_000).map((_, at) => at % 256);
  const { kind, text, complete } = readPayload(bytes);
  assert.deepEqual([kind, complete, text.split("\n").length], ["bytes", false, 32]);
  assert.equal(
    text.split("\n")[3],
    "00000030  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?",
  );
});

const LONG = [
  ["a megabyte of text, between characters", "é".repeat(1_000_000), "text"],
  ["a list of JSON", JSON.stringify(Array(1e5).fill(1)), "JSON"],
] as const;
for (const [what, payload, kind] of LONG) {
  Deno.test(`${what} → cut at the limit`, () => {
    const read = readPayload(encode(payload), 100);
    assert.deepEqual([read.kind, read.text.length, read.complete], [kind, 100, false]);
  });
}

Deno.test("string cut between two characters of a pair → a replacement character", () => {
  assert.deepEqual(prettyJson('"😀😀"', 2), { text: '"\ufffd', complete: false });
});

Deno.test("any bytes → a text within the limit, or a hex dump", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 300 }), (bytes, limit) => {
    const { kind, text } = readPayload(new Uint8Array(bytes), limit);
    assert.ok(kind === "bytes" || text.length <= limit);
  }));
});

Deno.test("any JSON, with separators and backslashes in its strings → like JSON.stringify", () => {
  const check = (value: unknown) =>
    assert.equal(prettyJson(JSON.stringify(value), 1e6).text, JSON.stringify(value, null, 2));
  check({ a: [1, { b: "x,{y}:[" }], 'c"\\': null, d: {}, e: [], f: ["\\", '\\"', "a\\\\"] });
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), check));
});

Deno.test("long numbers and duplicate keys → unchanged; blanks outside of strings → removed", () => {
  const json = '{"id":12345678901234567890,"a":1.50,"a":2}';
  assert.equal(prettyJson(json, 1_000).text.replaceAll(/\s/g, ""), json);
  assert.equal(prettyJson('{ \n "a b"\t: [ ] }', 100).text, '{\n  "a b": []\n}');
});

Deno.test("100,000 levels → no stack overflow, bounded indentation", () => {
  const depth = 100_000;
  const { text, complete } = prettyJson(nested(depth), 1e9);
  assert.ok(complete);
  assert.ok(text.length < depth * 2 * 60, `${text.length} characters`);
});

Deno.test("invalid JSON → the same characters, no exception", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    const bare = (some: string) => some.replaceAll(/[ \n\r\t]/g, "");
    assert.equal(bare(prettyJson(text, 1e6).text), bare(text));
  }));
});
