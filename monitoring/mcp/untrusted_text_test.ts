import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { boundedJson, MAX_ANSWER_BYTES, untrustedText } from "./untrusted_text.ts";

Deno.test("data over the limit → at most MAX_ANSWER_BYTES, valid JSON, stated", () => {
  const long = "ü\u202e".repeat(100_000);
  const hostile = [
    long,
    [long, long],
    Array.from({ length: 10_000 }, () => ({ a: long.slice(0, 500), b: [long] })),
    { frames: Array.from({ length: 250 }, () => ({ source: Array(20).fill(long), own: true })) },
    Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key no. ${n}`, n])),
  ];
  for (const data of hostile) {
    const text = untrustedText({ summary: "Found.", data });
    assert.ok(Buffer.byteLength(text) <= MAX_ANSWER_BYTES, `${Buffer.byteLength(text)}`);
    assert.match(text, /Truncated to 40000 bytes/);
    JSON.parse(text.split("\n").at(-2)!);
  }
});

Deno.test("cut data → states how much is left out", () => {
  const { json } = boundedJson({ texts: Array(200).fill("x".repeat(5_000)) }, 10_000);
  const { texts } = JSON.parse(json);
  assert.match(texts[0], /^x{200}… \(5000 characters\)$/);
  assert.equal(texts.at(-1), "… 185 more");
});
