import assert from "node:assert/strict";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { inspectEnvelope } from "./inspect_envelope.ts";

const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const inspect = (text: string) => inspectEnvelope(new TextEncoder().encode(text));

Deno.test("header lines → unchanged digits and order, blank lines skipped", () => {
  const { header, items } = inspect(
    '{"id":12345678901234567890}\n\n\n{"type":"a", "n":1.0}\nx\n\n{"length":0,"type":"b"}\n',
  );
  assert.equal(decode(header), '{"id":12345678901234567890}');
  assert.deepEqual(items.map(({ header }) => decode(header)), [
    '{"type":"a", "n":1.0}',
    '{"length":0,"type":"b"}',
  ]);
  assert.deepEqual(items.map(({ payload }) => decode(payload)), ["x", ""]);
});

Deno.test("a truncated item → the items before it, and the problem with its offset", () => {
  const whole = new TextDecoder().decode(envelopeOf({}, ["event", { a: 1 }]));
  const { items, problem } = inspect(`${whole}{"type":"log","length":99}\n{}`);
  assert.deepEqual(items.map(({ type }) => type), ["event"]);
  assert.deepEqual(problem, {
    what: `A payload ends 97 bytes before its length (at byte ${whole.length + 27}).`,
    offset: whole.length + 27,
    right:
      "The file is truncated, or the length is too large: it must be the exact number of payload bytes.",
  });
});

const MALFORMED = [
  ["an empty file", "", /shortest envelope/],
  ["a header that is not JSON", "hello", /one line of JSON/],
  ["a header that is an array", "[]\n", /one line of JSON/],
  ["a header without end", "{".repeat(70_000), /at most 64 KiB/],
  ["an item without a type", '{}\n{"length":1}\nx', /"type":"event"/],
  ["a negative length", '{}\n{"type":"a","length":-1}\nx', /counts the payload's bytes/],
  ["a payload that is too short", '{}\n{"type":"a","length":5}\nx', /truncated/],
  ["a payload that is too long", '{}\n{"type":"a","length":1}\nxy', /then a line feed or the/],
  ["over 100,000 items", `{}\n${'{"type":"a"}\n\n'.repeat(100_001)}`, /100,000 items/],
] as const;
for (const [what, text, right] of MALFORMED) {
  Deno.test(`${what} → what is wrong, and what would be right`, () => {
    const { problem } = inspect(text);
    assert.match(problem?.what ?? "", /\.$/);
    assert.match(problem?.right ?? "", right);
  });
}
