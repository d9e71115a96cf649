import assert from "node:assert/strict";
import { differenceText } from "./PairRow.tsx";

Deno.test("difference from A to B → its direction in a word, without a sign", () => {
  assert.equal(differenceText(1_200, "duration"), "1.20\u00a0s slower");
  assert.equal(differenceText(-300, "duration"), "300\u00a0ms faster");
  assert.equal(differenceText(-40, "start"), "40\u00a0ms earlier");
  assert.equal(differenceText(2_000, "visit"), "2.00\u00a0s longer");
  assert.equal(differenceText(0.25, "score"), "0.25 higher");
  assert.equal(differenceText(-0.1, "score"), "0.10 lower");
});

Deno.test("difference that the values do not show → same", () => {
  assert.equal(differenceText(-0.04, "duration"), "same");
  assert.equal(differenceText(0.004, "score"), "same");
});
