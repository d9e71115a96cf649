import assert from "node:assert/strict";
import { envelopeOf } from "../inbox/testdata/envelopes.ts";
import {
  MAX_ENTRIES,
  MAX_ITEMS,
  MAX_OBJECTS,
  MAX_PARSED_BYTES,
  type ParsedEnvelope,
  parseEnvelope,
} from "./parsed_envelope.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const areParsed = ({ items }: ParsedEnvelope) => items.map(({ json }) => json !== undefined);

Deno.test("entries over the limit → omitted and counted, over all items of the envelope", () => {
  const many = (count: number) => Array.from({ length: count }, () => ({ n: 1 }));
  const { items, omitted } = parseEnvelope(envelopeOf(
    {},
    ["span", { items: many(MAX_ENTRIES - 2_000) }],
    ["log", { items: many(2_500) }],
    ["span", { items: many(7) }],
    ["replay_event", { trace_ids: ["1"] }],
  ));
  const lengths = items.map(({ json }) => Object.values(json as unknown[][])[0]?.length);
  assert.deepEqual(lengths, [MAX_ENTRIES - 2_000, 2_000, 0, 0]);
  assert.deepEqual(omitted, { items: 0, entries: 500 + 7 + 1 });
});

Deno.test("item with too many objects → omitted, other items parsed", () => {
  const flood = (unit: string) => encode(`{"items":[${`${unit},`.repeat(MAX_OBJECTS)}0]}`);
  for (const unit of ["{}", "[]"]) {
    const parsed = parseEnvelope(envelopeOf(
      {},
      ["log", flood(unit)],
      ["event", { message: "hello" }],
      ["metric_buckets", flood(unit)],
    ));
    assert.deepEqual(parsed.omitted, { items: 1, entries: 0 }, unit);
    assert.deepEqual(areParsed(parsed), [false, true, false]);
  }
});

Deno.test("payloads over the limit of bytes together → the one that exceeds it is omitted", () => {
  const half = { message: "m".repeat(MAX_PARSED_BYTES / 2) };
  const parsed = parseEnvelope(envelopeOf({}, ["event", half], ["event", half], ["event", {}]));
  assert.deepEqual(areParsed(parsed), [true, false, true]);
  assert.deepEqual(parsed.omitted, { items: 1, entries: 0 });
});

Deno.test("items over the limit → omitted; only indexed types are counted", () => {
  const events = Array.from({ length: MAX_ITEMS + 2 }, () => ["event", {}] as const);
  const { items, omitted } = parseEnvelope(envelopeOf({}, ...events, ["metric_buckets", {}]));
  assert.equal(items.length, MAX_ITEMS);
  assert.deepEqual(omitted, { items: 2, entries: 0 });
});
