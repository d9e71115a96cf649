import assert from "node:assert/strict";
import { describeOmitted } from "./EnvelopeDetails.tsx";

Deno.test("items, entries and logs left out of the lists → counted; none → no text", () => {
  const END = " (limit per envelope). The stored envelope is complete.";
  const text = (items: number, entries: number, logs: number) =>
    describeOmitted({ items, entries }, logs)?.replaceAll("\u00a0", " ");
  assert.equal(text(1, 0, 0), `1 item${END}`);
  assert.equal(text(2, 19_000, 1), `2 items, 19,000 entries, 1 log${END}`);
  assert.equal(text(0, 0, 0), undefined);
});
