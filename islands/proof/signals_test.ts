import assert from "node:assert/strict";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { findIds } from "./signals.ts";

Deno.test("each signal → found by its own id, among others", () => {
  const none = { error: [], span: [], log: [], recording: [] };
  const logs = [{ attributes: { "proof.id": { value: "1f" } } }, {}, null];
  const segment = new TextEncoder().encode('{"segment_id":3}\n[]');
  const found: readonly (readonly [Uint8Array, object])[] = [
    [envelopeOf({ event_id: "e" }, ["event", { event_id: "e" }]), { error: ["e"] }],
    // The envelope of an attachment has the event's id.
    [envelopeOf({ event_id: "e" }, ["attachment", "text"]), {}],
    [
      envelopeOf({}, ["span", { items: [{ span_id: "5" }, { span_id: "6" }] }]),
      { span: ["5", "6"] },
    ],
    [envelopeOf({}, ["log", { items: logs }]), { log: ["1f", undefined, undefined] }],
    [
      envelopeOf({ event_id: "a" }, ["replay_event", { replay_id: "b", segment_id: 4 }], [
        "replay_recording",
        segment,
      ]),
      { recording: ["a segment 3"] },
    ],
    [new TextEncoder().encode("no envelope"), {}],
  ];
  for (const [bytes, ids] of found) assert.deepEqual(findIds(bytes), { ...none, ...ids });
});
