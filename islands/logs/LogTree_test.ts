import assert from "node:assert/strict";
import { holdRows } from "./LogTree.tsx";

/** Rows are letters, newest first: of the list, the newest that the reader has seen, those on the screen. */
const CASES = [
  ["reader at the top → all rows", "cba", undefined, "a", "cba", 0, false],
  ["reader further down → newer rows are counted", "dcba", "b", "ba", "ba", 2, false],
  [
    "older rows are loaded while newer ones are held back → appended",
    "cba",
    "b",
    "b",
    "ba",
    1,
    false,
  ],
  ["newest seen row is no longer in the list → the screen stays", "zy", "b", "ba", "ba", 2, true],
  ["all logs are deleted → no rows are held back", "", "b", "ba", "", 0, false],
] as const;

for (const [title, rows, seen, onScreen, shown, newCount, hasMore] of CASES) {
  Deno.test(title, () => {
    const held = holdRows([...rows], seen, [...onScreen], (row) => row);
    assert.deepEqual(held, { rows: [...shown], newCount, hasMore });
  });
}
