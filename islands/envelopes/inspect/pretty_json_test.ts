import assert from "node:assert/strict";
import fc from "fast-check";
import { prettyJson } from "./pretty_json.ts";

Deno.test("JSON is written a line for each value, as everyone writes it", () => {
  const value = { a: [1, { b: "x,{y}:[" }], 'c"\\': null, d: {}, e: [] };
  const { text, whole } = prettyJson(JSON.stringify(value), 1_000);
  assert.equal(text, JSON.stringify(value, null, 2));
  assert.ok(whole);
});

Deno.test("whatever JSON: the same as the engine writes, up to the depth that is indented", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
    assert.equal(prettyJson(JSON.stringify(value), 1e6).text, JSON.stringify(value, null, 2));
  }));
});

Deno.test("numbers keep their digits, and names that occur twice occur twice", () => {
  const json = '{"id":12345678901234567890,"a":1.50,"a":2}';
  assert.equal(prettyJson(json, 1_000).text.replaceAll(/\s/g, ""), json);
});

Deno.test("blanks that are there already are no matter, those in strings are kept", () => {
  assert.equal(prettyJson('{ \n "a b"\t: [ ] }', 100).text, '{\n  "a b": []\n}');
});

Deno.test("a string that ends in backslashes ends where it ends", () => {
  const value = ["\\", '\\"', "a\\\\"];
  assert.deepEqual(JSON.parse(prettyJson(JSON.stringify(value), 1_000).text), value);
});

Deno.test("a hundred thousand levels cost neither the stack nor memory", () => {
  const depth = 100_000;
  const { text, whole } = prettyJson("[".repeat(depth) + "]".repeat(depth), 1e9);
  assert.ok(whole);
  assert.ok(text.length < depth * 2 * 60, `${text.length} characters`);
});

Deno.test("what is beyond the bound is left out, also of one long string, and halves of characters are not shown", () => {
  const long = prettyJson(JSON.stringify({ a: "x".repeat(1e6) }), 100);
  assert.deepEqual([long.text.length, long.whole], [100, false]);
  const cut = prettyJson('"😀😀"', 2);
  assert.deepEqual(cut, { text: '"\ufffd', whole: false });
  const list = prettyJson(JSON.stringify(Array(1e5).fill(1)), 50);
  assert.deepEqual([list.text.length, list.whole], [50, false]);
});

Deno.test("what is no JSON keeps its characters and throws nothing", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    const bare = (some: string) => some.replaceAll(/[ \n\r\t]/g, "");
    assert.equal(bare(prettyJson(text, 1e6).text), bare(text));
  }));
});
