import assert from "node:assert/strict";
import { holdRows } from "./held_rows.ts";

const key = (row: string) => row;

Deno.test("who is at the top follows", () => {
  assert.deepEqual(holdRows(["c", "b", "a"], undefined, ["a"], key), {
    rows: ["c", "b", "a"],
    fresh: 0,
    orMore: false,
  });
});

Deno.test("what is newer than the row that was on top is held back and counted", () => {
  assert.deepEqual(holdRows(["d", "c", "b", "a"], "b", ["b", "a"], key), {
    rows: ["b", "a"],
    fresh: 2,
    orMore: false,
  });
});

Deno.test("older rows come in at the end all the same", () => {
  assert.deepEqual(holdRows(["c", "b", "a"], "b", ["b"], key).rows, ["b", "a"]);
});

Deno.test("so many came that the row on top is not among them: nothing moves under the eye", () => {
  assert.deepEqual(holdRows(["z", "y"], "b", ["b", "a"], key), {
    rows: ["b", "a"],
    fresh: 2,
    orMore: true,
  });
});

Deno.test("an emptied list holds nothing", () => {
  assert.deepEqual(holdRows([], "b", ["b", "a"], key).rows, []);
});
