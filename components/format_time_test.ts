import assert from "node:assert/strict";
import { formatDateAndTime, formatDay, formatTimeOfDay, formatTimeOfDayMs } from "./format_time.ts";

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
