import assert from "node:assert/strict";
import fc from "fast-check";
import { indentJson, readableJson, visibleJson } from "./readable_json.ts";

Deno.test("text → unchanged; other values → indented JSON", () => {
  assert.equal(readableJson('<b>"a"</b>'), '<b>"a"</b>');
  assert.equal(readableJson(null), "null");
  assert.equal(
    readableJson({ a: [1, "b"], c: {} }),
    '{\n  "a": [\n    1,\n    "b"\n  ],\n  "c": {}\n}',
  );
});

Deno.test("deep, wide or long values → cut, with a mark", () => {
  let deep: unknown = "bottom";
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const wide = Array.from({ length: 50_000 }, () => 1);
  const long = ["x".repeat(100_000)];
  for (const value of [deep, wide, long]) {
    const text = readableJson(value);
    assert.ok(text.length <= 20_001, `${text.length}`);
    assert.ok(text.endsWith("…"));
  }
});

Deno.test("any JSON, with separators and backslashes in its strings → like JSON.stringify", () => {
  const check = (value: unknown) =>
    assert.equal(indentJson(JSON.stringify(value), 1e6).text, JSON.stringify(value, null, 2));
  check({ a: [1, { b: "x,{y}:[" }], 'c"\\': null, d: {}, e: [], f: ["\\", '\\"', "a\\\\"] });
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), check));
});

Deno.test("long numbers and duplicate keys → unchanged; blanks outside of strings → removed", () => {
  const json = '{"id":12345678901234567890,"a":1.50,"a":2}';
  assert.equal(indentJson(json, 1_000).text.replaceAll(/\s/g, ""), json);
  assert.equal(indentJson('{ \n "a b"\t: [ ] }', 100).text, '{\n  "a b": []\n}');
});

Deno.test("JSON cut in a text → the text up to there, well-formed", () => {
  assert.deepEqual(indentJson('"😀😀"', 2), { text: '"\ufffd', truncated: true });
  assert.deepEqual(indentJson('"a b"', 4), { text: '"a b', truncated: true });
  const escapes = indentJson(JSON.stringify("\n".repeat(1e6)), 3_000_000);
  assert.deepEqual([escapes.text.length, escapes.truncated], [2_000_002, false]);
});

Deno.test("100,000 levels → no stack overflow, bounded indentation", () => {
  const depth = 100_000;
  const { text, truncated } = indentJson("[".repeat(depth) + "]".repeat(depth), 1e9);
  assert.ok(!truncated);
  assert.ok(text.length < depth * 2 * 60, `${text.length} characters`);
});

Deno.test("invalid JSON → the same characters, no exception", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    const bare = (some: string) => some.replaceAll(/[ \n\r\t]/g, "");
    assert.equal(bare(indentJson(text, 1e6).text), bare(text));
  }));
});

Deno.test("small value → complete JSON that parses back to the same value", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
    const text = readableJson(value);
    if (typeof value !== "string") {
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }
  }));
});

Deno.test("invisible characters → escaped, the value stays the same", () => {
  const ignorable =
    "\u034f \u115f \u17b4 \u180f \u3164 \uffa0 \ufff0 \u{1d173} \u{e0080} \u{e0fff}";
  const text = `\u001b[2J \u009b \u202e \u200b \u{e0041} \ufe0f \u2028 ü 😀${ignorable}`;
  const value = { "a\u0000b": text };
  const json = visibleJson(value);
  assert.match(json, /^[\x20-\x7eü😀]+$/u);
  assert.deepEqual(JSON.parse(json), value);
});
