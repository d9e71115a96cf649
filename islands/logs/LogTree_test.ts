import assert from "node:assert/strict";
import { holdRows } from "./LogTree.tsx";

const key = (row: string) => row;

Deno.test("reader at the top → all rows are shown", () => {
  assert.deepEqual(holdRows(["c", "b", "a"], undefined, ["a"], key), {
    rows: ["c", "b", "a"],
    newCount: 0,
    hasMore: false,
  });
});

Deno.test("reader further down → newer rows are held back and counted", () => {
  assert.deepEqual(holdRows(["d", "c", "b", "a"], "b", ["b", "a"], key), {
    rows: ["b", "a"],
    newCount: 2,
    hasMore: false,
  });
});

Deno.test("older rows are loaded while newer ones are held back → appended", () => {
  assert.deepEqual(holdRows(["c", "b", "a"], "b", ["b"], key).rows, ["b", "a"]);
});

Deno.test("newest seen row is no longer in the list → the rows on the screen stay", () => {
  assert.deepEqual(holdRows(["z", "y"], "b", ["b", "a"], key), {
    rows: ["b", "a"],
    newCount: 2,
    hasMore: true,
  });
});

Deno.test("all logs are deleted → no rows are held back", () => {
  assert.deepEqual(holdRows([], "b", ["b", "a"], key).rows, []);
});
