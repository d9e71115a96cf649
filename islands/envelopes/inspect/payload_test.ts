import assert from "node:assert/strict";
import fc from "fast-check";
import { readPayload } from "./payload.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("an object is JSON, a line for each value", () => {
  assert.deepEqual(readPayload(encode('{"a":1}')), {
    kind: "JSON",
    text: '{\n  "a": 1\n}',
    whole: true,
  });
});

Deno.test("HTML is text, and stays what it is", () => {
  const html = "<img src=x onerror=alert(1)>";
  assert.deepEqual(readPayload(encode(html)), { kind: "text", text: html, whole: true });
});

Deno.test("what is no text is shown as the start of a dump", () => {
  const bytes = new Uint8Array(2_000).map((_, at) => at % 256);
  const { kind, text, whole } = readPayload(bytes);
  assert.deepEqual([kind, whole, text.split("\n").length], ["bytes", false, 32]);
  assert.equal(
    text.split("\n")[3],
    "00000030  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?",
  );
});

Deno.test("the last line of a dump keeps its columns", () => {
  const { text } = readPayload(new Uint8Array([0x7b, 0x00, 0xff]));
  assert.equal(text, `00000000  7b 00 ff${" ".repeat(13 * 3)}  {..`);
});

Deno.test("a payload of nothing is an empty text", () => {
  assert.deepEqual(readPayload(new Uint8Array(0)), { kind: "text", text: "", whole: true });
});

Deno.test("a megabyte is bounded, and a character at the bound is not halved", () => {
  const text = readPayload(encode("é".repeat(1_000_000)), 100);
  assert.deepEqual([text.kind, text.text.length, text.whole], ["text", 100, false]);
  const json = readPayload(encode(JSON.stringify({ a: "x".repeat(1_000_000) })), 100);
  assert.deepEqual([json.kind, json.text.length, json.whole], ["JSON", 100, false]);
});

Deno.test("JSON that nests deeper than anyone reads is shown all the same", () => {
  const depth = 50_000;
  const { text, whole } = readPayload(encode("[".repeat(depth) + "]".repeat(depth)), 1_000);
  assert.deepEqual([text.length, whole], [1_000, false]);
});

Deno.test("whatever the bytes: a text within the bound, or a dump", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 300 }), (bytes, limit) => {
    const { kind, text } = readPayload(new Uint8Array(bytes), limit);
    assert.ok(kind === "bytes" || text.length <= limit);
  }));
});
