import assert from "node:assert/strict";
import fc from "fast-check";
import { axisLabels, fitting, timeTicks } from "./TimeAxis.tsx";

const NOON = new Date(2026, 10, 24, 12, 0, 0).getTime();
const MINUTE = 60_000;

Deno.test("time ranges → ticks at full minutes, hours and days", () => {
  for (
    const [from, to, labels] of [
      [NOON, NOON + 20_000, ["12:00:00", "12:00:10"]],
      [NOON - 30 * MINUTE, NOON + 31 * MINUTE, ["11:30", "11:45", "12:00", "12:15", "12:30"]],
      [NOON - 24 * 60 * MINUTE, NOON, ["12:00", "18:00", "00:00", "06:00"]],
    ] as const
  ) {
    const ticks = timeTicks(from, to, 5).map(({ label }) => label);
    assert.deepEqual(ticks, labels);
  }
});

Deno.test("time range → its ends are labelled, with the day, and no tick over them", () => {
  const labels = (from: number, to: number) => axisLabels(from, to, 5).map(({ label }) => label);
  const today = new Date().setHours(12, 0, 0, 0);
  assert.deepEqual(labels(today + 1_000, today + 61_000), [
    "12:00:01",
    "12:00:30",
    "12:01:01",
  ]);
  assert.deepEqual(labels(today, today + 60 * MINUTE), [
    "12:00",
    "12:15",
    "12:30",
    "12:45",
    "13:00",
  ]);
  const [first = "", ...rest] = labels(NOON, NOON + 60 * MINUTE);
  assert.match(first, /^24\sNov( 2026)? 12:00$/);
  assert.equal(rest.length, 2);
  const narrow = fitting(axisLabels(today, today + 60 * MINUTE, 5), 24);
  assert.deepEqual(narrow.map(({ label }) => label), ["12:00", "12:30", "13:00"]);
});

Deno.test("any time range → at most that many ticks and one, within it, in order", () => {
  fc.assert(fc.property(
    fc.integer({ min: 0, max: 2e12 }),
    fc.integer({ min: 1, max: 3e10 }),
    fc.integer({ min: 2, max: 12 }),
    (from, length, most) => {
      const ticks = timeTicks(from, from + length, most).map(({ at }) => at);
      assert.ok(ticks.length <= most + 1, `${ticks.length} of ${most}`);
      assert.ok(ticks.every((at) => at >= from && at < from + length));
      assert.deepEqual(ticks, ticks.toSorted((a, b) => a - b));
    },
  ));
});
