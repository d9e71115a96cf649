import assert from "node:assert/strict";
import { describeContent } from "./EnvelopeList.tsx";

const content = (types: string[], title: string | null, spans = 0, logs = 0) =>
  describeContent({
    items: types.map((type) => ({ type, bytes: 1 })),
    summary: { title, spans, logs },
  }).replaceAll("\u00a0", " ");

Deno.test("content of an envelope → its items and its title", () => {
  assert.equal(content(["span"], "POST /api/checkout", 12), "12 spans · POST /api/checkout");
  assert.equal(content(["event"], "E: no"), "event · E: no");
  assert.equal(content(["log"], null, 0, 1), "1 log");
  assert.equal(content(["event", "attachment", "attachment"], null), "event, 2 × attachment");
  assert.equal(content([], null), "no items");
  // A batch that could not be read, or a row without a summary.
  assert.equal(content(["span", "log"], null), "span, log");
  assert.equal(describeContent({ items: [{ type: "log", bytes: 1 }] }), "log");
});
