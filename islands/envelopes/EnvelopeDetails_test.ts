import assert from "node:assert/strict";
import { describeOmitted } from "./EnvelopeDetails.tsx";

const END = " (limit per envelope). The stored envelope is complete.";

Deno.test("items, entries and logs left out of the lists → counted", () => {
  assert.equal(describeOmitted({ items: 1, entries: 0 }, 0), `1\u00a0item${END}`);
  assert.equal(
    describeOmitted({ items: 2, entries: 19_000 }, 1),
    `2\u00a0items, 19,000\u00a0entries, 1\u00a0log${END}`,
  );
});

Deno.test("everything listed → no text", () => {
  assert.equal(describeOmitted({ items: 0, entries: 0 }, 0), undefined);
});
