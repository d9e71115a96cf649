import assert from "node:assert/strict";
import type { EnvelopeMeta } from "./envelope.ts";
import { selectForEviction } from "./retention.ts";

const make = (id: string, type: string, createdAt: number, bytes = 10): EnvelopeMeta => ({
  id,
  createdAt,
  bytes,
  items: [{ type, bytes }],
  attempts: 0,
});
const evicted = (stored: EnvelopeMeta[], quota: { count: number; bytes: number }) =>
  selectForEviction(stored.map((meta) => ({ meta })), quota).map(({ meta }) => meta.id);

Deno.test("within the quota → nothing evicted", () => {
  assert.deepEqual(evicted([make("a", "event", 1)], { count: 1, bytes: 10 }), []);
});

Deno.test("recordings → evicted first, the newest segment first", () => {
  const stored = [
    make("e", "event", 1),
    make("r0", "replay_recording", 2),
    make("r1", "replay_recording", 3),
    make("s", "span", 4),
  ];
  assert.deepEqual(evicted(stored, { count: 3, bytes: 1000 }), ["r1"]);
  assert.deepEqual(evicted(stored, { count: 1, bytes: 1000 }), ["r1", "r0", "s"]);
});

Deno.test("errors → evicted after logs, the oldest first", () => {
  const stored = [make("e1", "event", 1), make("e2", "event", 2), make("l", "log", 3)];
  assert.deepEqual(evicted(stored, { count: 9, bytes: 10 }), ["l", "e1"]);
});

Deno.test("client report → evicted after everything else", () => {
  const stored = [make("c", "client_report", 1), make("e", "event", 2), make("l", "log", 3)];
  assert.deepEqual(evicted(stored, { count: 1, bytes: 1000 }), ["l", "e"]);
});

Deno.test("envelope larger than the quota → evicted itself", () => {
  assert.deepEqual(evicted([make("big", "event", 1, 99)], { count: 9, bytes: 50 }), ["big"]);
});
