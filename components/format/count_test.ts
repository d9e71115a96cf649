import assert from "node:assert/strict";
import { formatCount } from "./count.ts";

Deno.test("a count agrees with its word", () => {
  assert.equal(formatCount(0, "envelope"), "0\u00a0envelopes");
  assert.equal(formatCount(1, "envelope"), "1\u00a0envelope");
  assert.equal(formatCount(2, "reply", "replies"), "2\u00a0replies");
});

Deno.test("thousands are set apart", () => {
  assert.equal(formatCount(999, "row"), "999\u00a0rows");
  assert.equal(formatCount(1_234_567, "row"), "1,234,567\u00a0rows");
});
