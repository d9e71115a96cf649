import assert from "node:assert/strict";
import { readWholeNumber } from "./whole_number.ts";

Deno.test("option with a number → read; anything else → refused by name", () => {
  assert.equal(readWholeNumber("seed", undefined), undefined);
  assert.equal(readWholeNumber("seed", "12"), 12);
  for (const value of ["", "-1", "1.5", "x"]) {
    assert.throws(() => readWholeNumber("seed", value), /--seed is ".*"\. Use a whole number\./);
  }
});
