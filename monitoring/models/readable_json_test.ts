import assert from "node:assert/strict";
import fc from "fast-check";
import { readableJson, visibleJson } from "./readable_json.ts";

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
  assert.match(readableJson(deep), /\[…\]/);
  assert.match(readableJson(Array.from({ length: 5_000 }, () => 1)), /… 4900 more/);
  const long = readableJson([Array.from({ length: 90 }, () => "x".repeat(100_000))]);
  assert.ok(long.length < 30_000, `${long.length}`);
  assert.ok(long.includes("…"));
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
  const value = { "a\u0000b": "\u001b[2J \u009b \u202e \u200b \u{e0041} \ufe0f \u2028 ü 😀" };
  const json = visibleJson(value);
  assert.match(json, /^[\x20-\x7eü😀]+$/u);
  assert.deepEqual(JSON.parse(json), value);
});
