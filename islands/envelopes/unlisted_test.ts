import assert from "node:assert/strict";
import { unlistedInWords } from "./unlisted.ts";

const end = ": more than one envelope may add to the lists. The envelope itself is whole.";

Deno.test("what the lists leave out is counted by its kind", () => {
  assert.equal(unlistedInWords({ items: 1, entries: 0 }, 0), `1\u00a0item${end}`);
  assert.equal(
    unlistedInWords({ items: 2, entries: 19_000 }, 1),
    `2\u00a0items, 19,000\u00a0more entries of items, 1\u00a0more log${end}`,
  );
});

Deno.test("where the lists show all there is nothing to say", () => {
  assert.equal(unlistedInWords({ items: 0, entries: 0 }, 0), undefined);
});
