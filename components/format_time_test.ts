import assert from "node:assert/strict";
import {
  formatClock,
  formatClockMs,
  formatDated,
  formatDay,
  nextDay,
  startOfDay,
} from "./format_time.ts";

const time = (...parts: [number, number, number, number?, number?, number?, number?]) =>
  new Date(...parts).getTime();
const noon = time(2026, 10, 21, 12);

Deno.test("time of day → local time, two digits each, milliseconds three", () => {
  assert.equal(formatClock(time(2026, 0, 2, 3, 4, 5)), "03:04:05");
  assert.equal(formatClock(time(2026, 6, 31, 23, 59, 59, 999)), "23:59:59");
  assert.equal(formatClockMs(time(2026, 0, 2, 3, 4, 5, 6)), "03:04:05.006");
});

Deno.test("an invalid time → a dash, and no date", () => {
  assert.equal(formatClock(NaN), "–");
  assert.equal(formatClockMs(Infinity), "–");
  assert.equal(formatDay(NaN, noon), "");
  assert.equal(formatDay(Infinity, noon), "");
});

Deno.test("today, from its first to its last millisecond → no date", () => {
  assert.equal(formatDay(time(2026, 10, 21), noon), "");
  assert.equal(formatDay(time(2026, 10, 21, 23, 59, 59, 999), noon), "");
});

Deno.test("another day → a date, one millisecond after midnight too", () => {
  const last = time(2026, 10, 20, 23, 59, 59, 999);
  assert.equal(formatDay(last, last), "");
  assert.equal(formatDay(last, last + 1), "20\u00a0Nov");
  assert.equal(formatDay(noon, last), "21\u00a0Nov", "the sender's clock may be ahead");
});

Deno.test("another year → a date with the year", () => {
  assert.equal(formatDay(time(2025, 10, 21, 12), noon), "21\u00a0Nov 2025");
  assert.equal(formatDay(time(2026, 0, 1), noon), "1\u00a0Jan");
});

Deno.test("date and time of day → the date first, today the time alone", () => {
  const at = time(2026, 10, 20, 14, 3, 7, 120);
  assert.equal(formatDated(at, noon, formatClockMs), "20\u00a0Nov 14:03:07.120");
  assert.equal(formatDated(at, at, formatClockMs), "14:03:07.120");
});

Deno.test("the days of a year → each begins where the one before ended", () => {
  let day = startOfDay(time(2026, 0, 1, 15));
  for (let count = 1; count <= 365; count++) {
    const next = nextDay(day + 1);
    assert.equal(startOfDay(next), next);
    assert.equal(startOfDay(next - 1), day);
    day = next;
  }
  assert.equal(day, time(2027, 0, 1));
});
