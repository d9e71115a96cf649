import assert from "node:assert/strict";
import fc from "fast-check";
import { readable } from "./readable.ts";

Deno.test("a text stands as it is, all else as JSON on indented lines", () => {
  assert.equal(readable('<b>"a"</b>'), '<b>"a"</b>');
  assert.equal(readable(null), "null");
  assert.equal(
    readable({ a: [1, "b"], c: {} }),
    '{\n  "a": [\n    1,\n    "b"\n  ],\n  "c": {}\n}',
  );
});

Deno.test("depth, breadth and length are bounded, and what is left out is marked", () => {
  let deep: unknown = "bottom";
  for (let level = 0; level < 100_000; level++) deep = [deep];
  assert.match(readable(deep), /\[…\]/);
  assert.match(readable(Array.from({ length: 5_000 }, () => 1)), /… 4900 more/);
  const long = readable([Array.from({ length: 90 }, () => "x".repeat(100_000))]);
  assert.ok(long.length < 30_000, `${long.length}`);
  assert.ok(long.includes("…"));
});

Deno.test("what is small is whole: it reads back as what it was", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
    const text = readable(value);
    if (typeof value !== "string") {
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }
  }));
});
