import assert from "node:assert/strict";
import { envelopeOf, eventEnvelope, hexId } from "../../../monitoring/inbox/testdata/envelopes.ts";
import { inspectEnvelope } from "./inspect_envelope.ts";

const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const inspect = (text: string) => inspectEnvelope(new TextEncoder().encode(text));

Deno.test("an envelope is taken to pieces: header, items, their headers and payloads", () => {
  const { attributes, header, items, problem } = inspectEnvelope(eventEnvelope(1));
  assert.equal(attributes.event_id, hexId(1));
  assert.deepEqual(JSON.parse(decode(header)), { event_id: hexId(1) });
  assert.equal(problem, undefined);
  const [item] = items;
  assert.equal(item?.type, "event");
  assert.deepEqual(JSON.parse(decode(item?.header)), {
    type: "event",
    length: item?.payload.length,
  });
  assert.equal(JSON.parse(decode(item?.payload)).message, "no. 1");
});

Deno.test("header lines are shown as they came: digits, order, blank lines before them left out", () => {
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

Deno.test("what is whole before the break is shown, and the break is told: what, where, what would be right", () => {
  const whole = new TextDecoder().decode(envelopeOf({}, ["event", { a: 1 }]));
  const { items, problem } = inspect(`${whole}{"type":"log","length":99}\n{}`);
  assert.deepEqual(items.map(({ type }) => type), ["event"]);
  assert.deepEqual(problem, {
    what: `A payload ends 97 bytes before its length (at byte ${whole.length + 27}).`,
    offset: whole.length + 27,
    item: 2,
    right:
      "The file was cut off, or the length is too large: it must be the payload's exact count of bytes.",
  });
});

const STANDARD = /^An envelope is a header line/;
for (
  const [what, text, item, right] of [
    ["nothing", "", 0, /shortest envelope/],
    ["no JSON", "hello", 0, /one line of JSON/],
    ["a list", "[]\n", 0, /one line of JSON/],
    ["a header without end", "{".repeat(70_000), 0, /at most 64 KiB/],
    ["an item without a type", '{}\n{"length":1}\nx', 1, /"type":"event"/],
    ["a negative length", '{}\n{"type":"a","length":-1}\nx', 1, /counts the payload's bytes/],
    ["a payload that is short", '{}\n{"type":"a","length":5}\nx', 1, /cut off/],
    ["a payload that goes on", '{}\n{"type":"a","length":1}\nxy', 1, /with a line feed or the end/],
    ["a million items", "{}\n" + '{"type":"a"}\n\n'.repeat(100_001), 100_001, /100,000 items/],
  ] as const
) {
  Deno.test(`${what}: the place is named, and what would be right`, () => {
    const { problem } = inspect(text);
    assert.match(problem?.what ?? "", /\.$/);
    assert.equal(problem?.item, item);
    assert.match(problem?.right ?? "", right);
    assert.doesNotMatch(problem?.right ?? "", STANDARD);
  });
}
