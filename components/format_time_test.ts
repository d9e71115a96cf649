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
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

Deno.test("time of day → local time, two digits each, milliseconds three; invalid → a dash", () => {
  assert.equal(formatTimeOfDay(time(2026, 0, 2, 3, 4, 5)), "03:04:05");
  assert.equal(formatTimeOfDay(time(2026, 6, 31, 23, 59, 59, 999)), "23:59:59");
  assert.equal(formatTimeOfDayMs(time(2026, 0, 2, 3, 4, 5, 6)), "03:04:05.006");
  assert.deepEqual([formatTimeOfDay(NaN), formatTimeOfDayMs(Infinity)], ["–", "–"]);
});

const midnight = time(2026, 10, 21);
const DAYS = [
  ["today's first millisecond", midnight, noon, ""],
  ["today's last millisecond", midnight + day - 1, noon, ""],
  ["a millisecond before midnight, seen after it", midnight - 1, midnight, "20 Nov"],
  ["tomorrow: the sender's clock may be ahead", noon, midnight - 1, "21 Nov"],
  ["this year", time(2026, 0, 1), noon, "1 Jan"],
  ["another year", time(2025, 10, 21, 12), noon, "21 Nov 2025"],
  ["not a time", NaN, noon, ""],
] as const;
for (const [what, at, now, text] of DAYS) {
  Deno.test(`day of ${what} → ${text || "nothing"}`, () =>
    assert.equal(formatDay(at, now).replaceAll("\u00a0", " "), text));
}

Deno.test("date and time of day → the date first, today the time alone; exact time → always", () => {
  const at = time(2026, 10, 20, 14, 3, 7, 120);
  assert.equal(formatDateAndTime(at, noon, formatTimeOfDayMs), "20\u00a0Nov 14:03:07.120");
  assert.equal(formatDateAndTime(at, at, formatTimeOfDayMs), "14:03:07.120");
  assert.equal(formatExactTime(noon + 120, noon), "21\u00a0Nov 12:00:00.120");
  assert.equal(formatExactTime(time(2025, 10, 21), noon), "21\u00a0Nov 2025 00:00:00.000");
});

Deno.test("time ago → its largest whole unit, from a week on the date; ahead → in how long", () => {
  const ages = {
    "0 s ago": 0,
    "12 s ago": 12_345,
    "59 s ago": minute - 1,
    "1 min ago": minute,
    "59 min ago": hour - 1,
    "1 h ago": hour,
    "23 h ago": day - 1,
    "1 d ago": day,
    "6 d ago": 7 * day - 1,
    "14 Nov": 7 * day,
    "21 Nov 2025": 365 * day,
    "in 59 s": -59_999,
    "in 1 h": -hour,
    "–": NaN,
  };
  for (const [text, age] of Object.entries(ages)) {
    assert.equal(formatTimeAgo(noon - age, noon).replaceAll("\u00a0", " "), text);
  }
  assert.equal(formatTimeAgo(noon + 999, noon), "0\u00a0s\u00a0ago", "within a second");
});
