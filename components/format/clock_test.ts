import assert from "node:assert/strict";
import { formatClock, formatClockMs } from "./clock.ts";

Deno.test("the time of day has two digits in each part, on the reader's own clock", () => {
  assert.equal(formatClock(new Date(2026, 0, 2, 3, 4, 5).getTime()), "03:04:05");
  assert.equal(formatClock(new Date(2026, 6, 31, 23, 59, 59, 999).getTime()), "23:59:59");
});

Deno.test("milliseconds have three digits", () => {
  assert.equal(formatClockMs(new Date(2026, 0, 2, 3, 4, 5, 6).getTime()), "03:04:05.006");
});

Deno.test("what is no time is a dash", () => {
  assert.equal(formatClock(NaN), "–");
  assert.equal(formatClockMs(Infinity), "–");
});
