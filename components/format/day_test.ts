import assert from "node:assert/strict";
import { formatClockMs } from "./clock.ts";
import { formatDated, formatDay, nextDay, startOfDay } from "./day.ts";

const time = (...parts: [number, number, number, number?, number?, number?, number?]) =>
  new Date(...parts).getTime();
const noon = time(2026, 10, 21, 12);

Deno.test("today needs no date, from its first millisecond to its last", () => {
  assert.equal(formatDay(time(2026, 10, 21), noon), "");
  assert.equal(formatDay(time(2026, 10, 21, 23, 59, 59, 999), noon), "");
});

Deno.test("a millisecond before midnight was another day, as soon as it is past", () => {
  const last = time(2026, 10, 20, 23, 59, 59, 999);
  assert.equal(formatDay(last, last), "");
  assert.equal(formatDay(last, last + 1), "20\u00a0Nov");
  assert.equal(formatDay(noon, last), "21\u00a0Nov", "clocks of others may be ahead");
});

Deno.test("another year is said", () => {
  assert.equal(formatDay(time(2025, 10, 21, 12), noon), "21\u00a0Nov 2025");
  assert.equal(formatDay(time(2026, 0, 1), noon), "1\u00a0Jan");
});

Deno.test("the date stands before the time of day, of today there is that alone", () => {
  const at = time(2026, 10, 20, 14, 3, 7, 120);
  assert.equal(formatDated(at, noon, formatClockMs), "20\u00a0Nov 14:03:07.120");
  assert.equal(formatDated(at, at, formatClockMs), "14:03:07.120");
});

Deno.test("what is no time has no day", () => {
  assert.equal(formatDay(NaN, noon), "");
  assert.equal(formatDay(Infinity, noon), "");
});

Deno.test("days follow each other without a gap, whatever their length", () => {
  let day = startOfDay(time(2026, 0, 1, 15));
  for (let count = 1; count <= 365; count++) {
    const next = nextDay(day + 1);
    assert.equal(startOfDay(next), next);
    assert.equal(startOfDay(next - 1), day);
    day = next;
  }
  assert.equal(day, time(2027, 0, 1));
});
