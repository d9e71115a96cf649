import assert from "node:assert/strict";
import { formatFineDuration } from "./fine_duration.ts";

const read = (ms: number) => formatFineDuration(ms).replaceAll("\u00a0", " ");

Deno.test("below ten milliseconds a decimal is shown", () => {
  assert.deepEqual([0, 0.01, 0.4, 5.24, 9.94].map(read), [
    "0 ms",
    "<0.1 ms",
    "0.4 ms",
    "5.2 ms",
    "9.9 ms",
  ]);
});

Deno.test("from there on durations read as everywhere else", () => {
  assert.deepEqual([9.96, 38, 1240, NaN, -1].map(read), ["10 ms", "38 ms", "1.24 s", "–", "–"]);
});
