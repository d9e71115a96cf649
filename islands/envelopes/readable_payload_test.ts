import assert from "node:assert/strict";
import fc from "fast-check";
import { prettyJson, readPayload } from "./readable_payload.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("a JSON object → indented", () => {
  assert.deepEqual(readPayload(encode('{"a":1}')), {
    kind: "JSON",
    text: '{\n  "a": 1\n}',
    complete: true,
  });
});

Deno.test("HTML → text, unchanged", () => {
  const html = "<img src=x onerror=alert(1)>";
  assert.deepEqual(readPayload(encode(html)), { kind: "text", text: html, complete: true });
});

Deno.test("binary data → a hex dump of its start", () => {
  const bytes = new Uint8Array(2_000).map((_, at) => at % 256);
  const { kind, text, complete } = readPayload(bytes);
  assert.deepEqual([kind, complete, text.split("\n").length], ["bytes", false, 32]);
  assert.equal(
    text.split("\n")[3],
    "00000030  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?",
  );
});

Deno.test("a short line of a hex dump → aligned columns", () => {
  const { text } = readPayload(new Uint8Array([0x7b, 0x00, 0xff]));
  assert.equal(text, `00000000  7b 00 ff${" ".repeat(13 * 3)}  {..`);
});

Deno.test("an empty payload → an empty text", () => {
  assert.deepEqual(readPayload(new Uint8Array(0)), { kind: "text", text: "", complete: true });
});

Deno.test("a megabyte → cut at the limit, between characters", () => {
  const text = readPayload(encode("é".repeat(1_000_000)), 100);
  assert.deepEqual([text.kind, text.text.length, text.complete], ["text", 100, false]);
  const json = readPayload(encode(JSON.stringify({ a: "x".repeat(1_000_000) })), 100);
  assert.deepEqual([json.kind, json.text.length, json.complete], ["JSON", 100, false]);
});

Deno.test("JSON with 50,000 levels → cut at the limit", () => {
  const depth = 50_000;
  const { text, complete } = readPayload(encode("[".repeat(depth) + "]".repeat(depth)), 1_000);
  assert.deepEqual([text.length, complete], [1_000, false]);
});

Deno.test("any bytes → a text within the limit, or a hex dump", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 300 }), (bytes, limit) => {
    const { kind, text } = readPayload(new Uint8Array(bytes), limit);
    assert.ok(kind === "bytes" || text.length <= limit);
  }));
});

Deno.test("JSON with separators inside strings → like JSON.stringify", () => {
  const value = { a: [1, { b: "x,{y}:[" }], 'c"\\': null, d: {}, e: [] };
  const { text, complete } = prettyJson(JSON.stringify(value), 1_000);
  assert.equal(text, JSON.stringify(value, null, 2));
  assert.ok(complete);
});

Deno.test("any JSON → like JSON.stringify", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
    assert.equal(prettyJson(JSON.stringify(value), 1e6).text, JSON.stringify(value, null, 2));
  }));
});

Deno.test("long numbers and duplicate keys → unchanged", () => {
  const json = '{"id":12345678901234567890,"a":1.50,"a":2}';
  assert.equal(prettyJson(json, 1_000).text.replaceAll(/\s/g, ""), json);
});

Deno.test("existing whitespace → removed outside of strings", () => {
  assert.equal(prettyJson('{ \n "a b"\t: [ ] }', 100).text, '{\n  "a b": []\n}');
});

Deno.test("strings that end in backslashes → unchanged", () => {
  const value = ["\\", '\\"', "a\\\\"];
  assert.deepEqual(JSON.parse(prettyJson(JSON.stringify(value), 1_000).text), value);
});

Deno.test("100,000 levels → no stack overflow, bounded indentation", () => {
  const depth = 100_000;
  const { text, complete } = prettyJson("[".repeat(depth) + "]".repeat(depth), 1e9);
  assert.ok(complete);
  assert.ok(text.length < depth * 2 * 60, `${text.length} characters`);
});

Deno.test("longer than the limit → cut, also within a string and between characters", () => {
  const long = prettyJson(JSON.stringify({ a: "x".repeat(1e6) }), 100);
  assert.deepEqual([long.text.length, long.complete], [100, false]);
  const cut = prettyJson('"😀😀"', 2);
  assert.deepEqual(cut, { text: '"\ufffd', complete: false });
  const list = prettyJson(JSON.stringify(Array(1e5).fill(1)), 50);
  assert.deepEqual([list.text.length, list.complete], [50, false]);
});

Deno.test("invalid JSON → the same characters, no exception", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    const bare = (some: string) => some.replaceAll(/[ \n\r\t]/g, "");
    assert.equal(bare(prettyJson(text, 1e6).text), bare(text));
  }));
});
