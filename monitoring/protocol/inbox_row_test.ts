import assert from "node:assert/strict";
import fc from "fast-check";
import { type InboxRow, parseRow } from "./inbox_row.ts";

const row: InboxRow = {
  id: 7,
  received_at: 1_790_000_000_000,
  event_id: "e".repeat(32),
  trace_ids: ["a".repeat(32)],
  replay_id: null,
  bytes: 120,
  items: [{ type: "event", bytes: 90 }],
  content_encoding: "gzip",
  source: null,
  summary: { title: "TypeError", spans: 0, logs: 2 },
};

Deno.test("row with an extra attribute → parsed without it", () => {
  const text = JSON.stringify({ ...row, more: 1 });
  assert.deepEqual(parseRow(JSON.parse(text)), row);
});

Deno.test("attribute missing or of another type → undefined", () => {
  for (const key of Object.keys(row)) {
    const rest: Record<string, unknown> = { ...row };
    delete rest[key];
    if (key !== "summary") assert.equal(parseRow(rest), undefined, `without ${key}`);
    assert.equal(parseRow({ ...row, [key]: { odd: true } }), undefined, `odd ${key}`);
  }
  assert.equal(parseRow({ ...row, items: [null] }), undefined);
  assert.equal(parseRow({ ...row, items: [{ type: 1, bytes: 90 }] }), undefined);
  assert.equal(parseRow({ ...row, bytes: -1 }), undefined);
  assert.equal(parseRow({ ...row, trace_ids: [1] }), undefined);
});

Deno.test("any value → parseRow does not throw", () => {
  fc.assert(fc.property(fc.anything(), (value) => void parseRow(value)));
});
