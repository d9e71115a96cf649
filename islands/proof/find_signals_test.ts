import assert from "node:assert/strict";
import { findSignals, type SignalIds } from "./find_signals.ts";

const ids: SignalIds = {
  error: "e".repeat(32),
  span: "5".repeat(16),
  log: "1".repeat(16),
  recording: { replayId: "a".repeat(32) },
};

/** An envelope with the header's `event_id` and one item of each type. */
function envelope(eventId: string, items: Readonly<Record<string, unknown>>): Uint8Array {
  const lines = Object.entries(items).flatMap(([type, payload]) => {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    return [JSON.stringify({ type, length: text.length }), text];
  });
  return new TextEncoder().encode([JSON.stringify({ event_id: eventId }), ...lines].join("\n"));
}
const segment = (replayId: string, number: number) =>
  envelope(replayId, {
    replay_event: { replay_id: replayId, segment_id: number },
    replay_recording: `{"segment_id":${number}}\n[]`,
  });

Deno.test("each signal → found by its own id, among others", () => {
  const others = [{ span_id: "6".repeat(16) }, {}, null];
  const logs = (id: string) => ({
    items: [...others, { attributes: { "proof.id": { value: id } } }],
  });
  const found: readonly (readonly [Uint8Array, readonly string[]])[] = [
    [envelope(ids.error, { event: { event_id: ids.error } }), ["error"]],
    [envelope(ids.error, { event: { event_id: "f".repeat(32) } }), []],
    // The envelope of an attachment has the event's id.
    [envelope(ids.error, { attachment: "text" }), []],
    [envelope("", { span: { items: [...others, { span_id: ids.span }] } }), ["span"]],
    [envelope("", { span: { items: others } }), []],
    [envelope("", { log: logs(ids.log) }), ["log"]],
    [envelope("", { log: logs(ids.span) }), []],
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
