import assert from "node:assert/strict";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { findSignals, type SignalIds } from "./find_signals.ts";

const ids: SignalIds = {
  error: "e".repeat(32),
  span: "5".repeat(16),
  log: "1".repeat(16),
  recording: { replayId: "a".repeat(32) },
};

const segment = (replayId: string, number: number) =>
  envelopeOf(
    { event_id: replayId },
    ["replay_event", { replay_id: replayId, segment_id: number }],
    ["replay_recording", new TextEncoder().encode(`{"segment_id":${number}}\n[]`)],
  );

Deno.test("each signal → found by its own id, among others", () => {
  const others = [{ span_id: "6".repeat(16) }, {}, null];
  const logs = (id: string) => ({
    items: [...others, { attributes: { "proof.id": { value: id } } }],
  });
  const found: readonly (readonly [Uint8Array, readonly string[]])[] = [
    [envelopeOf({ event_id: ids.error }, ["event", { event_id: ids.error }]), ["error"]],
    [envelopeOf({ event_id: ids.error }, ["event", { event_id: "f".repeat(32) }]), []],
    // The envelope of an attachment has the event's id.
    [envelopeOf({ event_id: ids.error }, ["attachment", "text"]), []],
    [envelopeOf({}, ["span", { items: [...others, { span_id: ids.span }] }]), ["span"]],
    [envelopeOf({}, ["span", { items: others }]), []],
    [envelopeOf({}, ["log", logs(ids.log)]), ["log"]],
    [envelopeOf({}, ["log", logs(ids.span)]), []],
    [new TextEncoder().encode("no envelope"), []],
  ];
  for (const [bytes, signals] of found) assert.deepEqual(findSignals(bytes, ids).signals, signals);
});

Deno.test("segment of the recording → its number; with a number only that one", () => {
  const { replayId } = ids.recording!;
  assert.deepEqual(findSignals(segment(replayId, 3), ids), { signals: ["recording"], segment: 3 });
  assert.deepEqual(findSignals(segment("b".repeat(32), 3), ids).signals, []);
  const one = { ...ids, recording: { replayId, segment: 3 } };
  assert.deepEqual(findSignals(segment(replayId, 3), one).signals, ["recording"]);
  assert.deepEqual(findSignals(segment(replayId, 4), one).signals, []);
  assert.deepEqual(findSignals(segment(replayId, 3), { ...ids, recording: undefined }).signals, []);
});
