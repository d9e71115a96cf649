import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf } from "../inbox/testdata/envelopes.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import { readEnvelopeContent } from "./envelope_content.ts";

const read = (...payloads: readonly Uint8Array[]) =>
  readEnvelopeContent(
    { received_at: 0 } as InboxRow,
    envelopeOf({}, ...payloads.map((payload) => ["attachment", payload] as const)),
  );

Deno.test("binary data → a hex dump of its start", () => {
  const [item] = read(new Uint8Array(2_000).map((_, at) => at % 256)).items;
  assert.deepEqual([item?.kind, item?.truncated], ["bytes", true]);
  const lines = item!.text.split("\n");
  assert.equal(lines.length, 32);
  assert.equal(
    lines[3],
    "00000030  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?",
  );
});

Deno.test("many long payloads → each cut, and all of them; 300 items → 256", () => {
  const { items } = read(...Array(8).fill(new TextEncoder().encode("é".repeat(300_000))));
  assert.deepEqual(items.map(({ text }) => text.length), [
    ...Array(5).fill(200_000),
    ...Array(3).fill(0),
  ]);
  assert.ok(items.every(({ truncated }) => truncated));
  const many = read(...Array(300).fill(new Uint8Array([0x78])));
  assert.deepEqual([many.items.length, many.omitted, many.unlisted], [256, 44, 0]);
});

Deno.test("any bytes → text, or a hex dump; offset and size lead to the payload", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (payload) => {
    const bytes = new Uint8Array(payload);
    const { items: [item] } = read(bytes);
    const envelope = envelopeOf({}, ["attachment", bytes]);
    assert.deepEqual(envelope.slice(item!.offset, item!.offset + item!.bytes), bytes);
    if (item!.kind === "text") {
      assert.equal(item!.text, new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    }
  }));
});
