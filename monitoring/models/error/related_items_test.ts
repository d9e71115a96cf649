import assert from "node:assert/strict";
import { envelopeOf } from "../../inbox/testdata/envelopes.ts";
import { readRelatedItems } from "./related_items.ts";

const ID = "e".repeat(32);
const OTHER = "d".repeat(32);
const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("feedback and user report of the event → text, name, contact; of another → none", () => {
  const who = { message: "It broke", name: "Ada", contact_email: "ada@shop.test" };
  const feedback = (id: string) => (
    { timestamp: 1_790_000_000, contexts: { feedback: { ...who, associated_event_id: id } } }
  );
  const bytes = envelopeOf(
    {},
    ["feedback", feedback(ID)],
    ["feedback", feedback(OTHER)],
    ["user_report", { event_id: ID, comments: "Twice", email: "b@shop.test" }],
    ["user_report", encode("no JSON")],
  );
  assert.deepEqual(readRelatedItems(bytes, 1, ID).feedback, [
    { message: "It broke", name: "Ada", contact: "ada@shop.test", at: 1_790_000_000_000 },
    { message: "Twice", name: null, contact: "b@shop.test", at: null },
  ]);
});

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
  const { attachments, feedback, profiles } = readRelatedItems(encode("{"), 1, ID);
  assert.deepEqual([attachments, feedback, profiles], [[], [], []]);
});
