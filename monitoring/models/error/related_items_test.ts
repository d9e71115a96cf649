import assert from "node:assert/strict";
import { envelopeOf } from "../../inbox/testdata/envelopes.ts";
import { readRelatedItems } from "./related_items.ts";

const ID = "e".repeat(32);
const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("profiles → duration and samples", () => {
  const bytes = envelopeOf(
    { event_id: ID },
    ["profile", {
      event_id: ID,
      profile: { samples: [{ elapsed_since_start_ns: "0" }, {}, { elapsed_since_start_ns: 25e6 }] },
    }],
    ["profile", []],
  );
  assert.deepEqual(readRelatedItems(bytes, 9, ID).profiles, [
    { id: ID, envelope: 9, durationMs: 25, samples: 3 },
    { id: null, envelope: 9, durationMs: null, samples: 0 },
  ]);
});

Deno.test("broken envelope → nothing", () => {
  const { attachments, profiles } = readRelatedItems(encode("{"), 1, ID);
  assert.deepEqual([attachments, profiles], [[], []]);
});
