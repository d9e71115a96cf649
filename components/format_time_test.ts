import assert from "node:assert/strict";
import {
  formatDateAndTime,
  formatDay,
  formatExactTime,
  formatTimeAgo,
  formatTimeOfDay,
  formatTimeOfDayMs,
} from "./format_time.ts";

const time = (...parts: [number, number, number, number?, number?, number?, number?]) =>
  new Date(...parts).getTime();
const noon = time(2026, 10, 21, 12);

Deno.test("time of day → local time, two digits each, milliseconds three", () => {
  assert.equal(formatTimeOfDay(time(2026, 0, 2, 3, 4, 5)), "03:04:05");
  assert.equal(formatTimeOfDay(time(2026, 6, 31, 23, 59, 59, 999)), "23:59:59");
  assert.equal(formatTimeOfDayMs(time(2026, 0, 2, 3, 4, 5, 6)), "03:04:05.006");
});

Deno.test("invalid time → en dash, no date", () => {
  assert.equal(formatTimeOfDay(NaN), "–");
  assert.equal(formatTimeOfDayMs(Infinity), "–");
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
  assert.equal(formatDateAndTime(at, noon, formatTimeOfDayMs), "20\u00a0Nov 14:03:07.120");
  assert.equal(formatDateAndTime(at, at, formatTimeOfDayMs), "14:03:07.120");
});

Deno.test("exact time → with its date, today too, and milliseconds", () => {
  assert.equal(formatExactTime(noon + 120, noon), "21\u00a0Nov 12:00:00.120");
  assert.equal(formatExactTime(time(2025, 10, 21), noon), "21\u00a0Nov 2025 00:00:00.000");
});

Deno.test("time ago → its largest whole unit; from a week on the date", () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  for (
    const [age, text] of [
      [0, "0 s ago"],
      [12_345, "12 s ago"],
      [minute - 1, "59 s ago"],
      [minute, "1 min ago"],
      [hour - 1, "59 min ago"],
      [hour, "1 h ago"],
      [day - 1, "23 h ago"],
      [day, "1 d ago"],
      [7 * day - 1, "6 d ago"],
      [7 * day, "14 Nov"],
      [365 * day, "21 Nov 2025"],
    ] as const
  ) {
    assert.equal(formatTimeAgo(noon - age, noon).replaceAll("\u00a0", " "), text);
  }
});

Deno.test("time ahead of the clock → in how long; within a minute as now", () => {
  assert.equal(formatTimeAgo(noon + 59_999, noon), "in\u00a059\u00a0s");
  assert.equal(formatTimeAgo(noon + 999, noon), "0\u00a0s\u00a0ago");
  assert.equal(formatTimeAgo(noon + 3_600_000, noon), "in\u00a01\u00a0h");
  assert.equal(formatTimeAgo(NaN, noon), "–");
});
