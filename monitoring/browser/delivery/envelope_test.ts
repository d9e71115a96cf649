import assert from "node:assert/strict";
import { createEnvelope, serializeEnvelope } from "@sentry/core/browser";
import { describeEnvelope } from "./envelope.ts";

function describe(header: object, items: unknown[]) {
  const body = serializeEnvelope(createEnvelope(header as never, items as never));
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { bytes, meta: describeEnvelope(bytes, "local", 7) };
}

Deno.test("envelope of two items → described with their types and sizes in bytes", () => {
  const { bytes, meta } = describe({ event_id: "e1" }, [
    [{ type: "event" }, { message: "漢" }],
    [{ type: "client_report" }, {}],
  ]);
  assert.deepEqual(meta, {
    id: "local",
    eventId: "e1",
    lane: undefined,
    createdAt: 7,
    bytes: bytes.length,
    items: [{ type: "event", bytes: 17 }, { type: "client_report", bytes: 2, reported: [] }],
    attempts: 0,
  });
});

Deno.test("recording segment with line feeds → its lane is the recording's id, its size is right", () => {
  const recording = new Uint8Array([123, 125, 10, 10, 0, 255, 10]);
  const { meta } = describe({ event_id: "r1" }, [
    [{ type: "replay_event" }, { segment_id: 0 }],
    [{ type: "replay_recording", length: recording.length }, recording],
  ]);
  assert.equal(meta.lane, "r1");
  assert.deepEqual(meta.items[1], { type: "replay_recording", bytes: 7 });
});

Deno.test("envelope without an event → no event id", () => {
  assert.equal(describe({}, [[{ type: "log" }, { items: [] }]]).meta.eventId, undefined);
});
