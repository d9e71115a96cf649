import assert from "node:assert/strict";
import { envelopeOf } from "../../inbox/testdata/envelopes.ts";
import { readRelatedItems } from "./related_items.ts";

const ID = "e".repeat(32);
const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("profile of several threads → duration, and the samples of its own, as in the list", () => {
  const samples = [0, 10, 25].flatMap((ms) =>
    ["7", "8"].map((thread_id) => ({ elapsed_since_start_ns: ms * 1e6, thread_id, stack_id: 0 }))
  );
  const bytes = envelopeOf(
    { event_id: ID },
    ["profile", {
      event_id: ID,
      timestamp: "2026-11-29T12:00:00Z",
      transaction: { active_thread_id: "8" },
      profile: { samples, stacks: [[]] },
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
