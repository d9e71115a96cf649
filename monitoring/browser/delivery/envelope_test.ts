import assert from "node:assert/strict";
import { createEnvelope, serializeEnvelope } from "@sentry/core/browser";
import { describeEnvelope, nextEnvelope } from "./envelope.ts";

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

interface Options {
  readonly lane?: string;
  readonly isSending?: boolean;
  readonly failures?: number;
  readonly notBefore?: number;
}

const waiting = (name: string, { lane, ...more }: Options = {}) => ({
  name,
  meta: { lane },
  isSending: false,
  failures: 0,
  notBefore: 0,
  ...more,
});
const next = (...all: ReturnType<typeof waiting>[]) => nextEnvelope(all, 100)?.name;

Deno.test("one is being sent, one has to wait → the oldest of the others is next", () => {
  assert.equal(
    next(
      waiting("a", { isSending: true }),
      waiting("b", { notBefore: 101 }),
      waiting("c"),
      waiting("d"),
    ),
    "c",
  );
  assert.equal(next(), undefined);
});

Deno.test("envelope with failures → next only if there is no other", () => {
  assert.equal(next(waiting("bad", { failures: 3 }), waiting("good")), "good");
  assert.equal(next(waiting("bad", { failures: 3 })), "bad");
});

Deno.test("first segment of a recording is being sent or waits → its next segment is not sent", () => {
  assert.equal(
    next(waiting("r0", { lane: "r", isSending: true }), waiting("r1", { lane: "r" })),
    undefined,
  );
  assert.equal(
    next(waiting("r0", { lane: "r", notBefore: 101 }), waiting("r1", { lane: "r" })),
    undefined,
  );
  assert.equal(next(waiting("r0", { lane: "r", failures: 2 }), waiting("r1", { lane: "r" })), "r0");
  assert.equal(
    next(waiting("r0", { lane: "r", isSending: true }), waiting("s0", { lane: "s" })),
    "s0",
  );
});
