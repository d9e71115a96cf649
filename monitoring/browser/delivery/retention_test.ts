import assert from "node:assert/strict";
import type { EnvelopeMeta } from "./describe_envelope.ts";
import { chooseVictims } from "./retention.ts";

const make = (id: string, type: string, createdAt: number, bytes = 10): EnvelopeMeta => ({
  id,
  createdAt,
  bytes,
  items: [{ type, bytes }],
  attempts: 0,
});
const victims = (kept: EnvelopeMeta[], room: { count: number; bytes: number }) =>
  chooseVictims(kept, room).map(({ id }) => id);

Deno.test("nothing is given up while there is room", () => {
  assert.deepEqual(victims([make("a", "event", 1)], { count: 1, bytes: 10 }), []);
});

Deno.test("recordings go first, the newest segment first", () => {
  const kept = [
    make("e", "event", 1),
    make("r0", "replay_recording", 2),
    make("r1", "replay_recording", 3),
    make("s", "span", 4),
  ];
  assert.deepEqual(victims(kept, { count: 3, bytes: 1000 }), ["r1"]);
  assert.deepEqual(victims(kept, { count: 1, bytes: 1000 }), ["r1", "r0", "s"]);
});

Deno.test("errors go last, the oldest first", () => {
  const kept = [make("e1", "event", 1), make("e2", "event", 2), make("l", "log", 3)];
  assert.deepEqual(victims(kept, { count: 9, bytes: 10 }), ["l", "e1"]);
});

Deno.test("a report of what was given up is not given up before what it could be about", () => {
  const kept = [make("c", "client_report", 1), make("e", "event", 2), make("l", "log", 3)];
  assert.deepEqual(victims(kept, { count: 1, bytes: 1000 }), ["l", "e"]);
});

Deno.test("an envelope larger than all room is given up itself", () => {
  assert.deepEqual(victims([make("big", "event", 1, 99)], { count: 9, bytes: 50 }), ["big"]);
});
