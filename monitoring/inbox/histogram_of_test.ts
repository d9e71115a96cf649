import assert from "node:assert/strict";
import { histogramOf } from "./histogram_of.ts";

const DAY_MS = 24 * 3_600_000;
const NOW = 100 * DAY_MS;

Deno.test("few old rows, many of one hour → the chart is of these, the old ones are earlier", () => {
  const at = (...hours: readonly number[]) => hours.map((hour) => NOW - hour * 3_600_000);
  const recent = Array.from({ length: 27 }, (_, n) => n / 27);
  const rangeOf = (times: readonly number[], since?: number) => {
    const rows = times.map((at) => [at, 0, null] as const);
    const { from, to, first, earlier, parts } = histogramOf(
      { of: "logs", now: NOW + 1, since },
      rows,
    );
    assert.equal(parts.reduce((sum, { count }) => sum + count, earlier), times.length);
    return { hours: Math.round((to - from) / 3_600_000), first, earlier };
  };
  const cut = rangeOf(at(600, 25, ...recent));
  assert.deepEqual(cut, { hours: 1, first: NOW - 600 * 3_600_000, earlier: 2 });
  const whole = (hours: number) => ({ hours, first: undefined, earlier: 0 });
  assert.deepEqual(rangeOf(at(600, 500, 400, 300, ...recent)), whole(606), "too many");
  assert.deepEqual(rangeOf(at(10, ...recent)), whole(10), "their time is seen");
  assert.deepEqual(rangeOf(at(600, ...recent), NOW - 601 * 3_600_000).earlier, 0, "chosen");
});

Deno.test("rows of any age → those of the 30 days before the last, and the number of earlier ones", () => {
  for (const lastDay of [NOW, NOW - 60 * DAY_MS]) {
    const times = [40, 31, 29, 0].map((days) => lastDay - days * DAY_MS);
    const histogram = histogramOf({ of: "errors", now: NOW }, times.map((at) => [at, 0, null]));
    const { from, to, parts, earlier } = histogram;
    assert.deepEqual([parts[0]!.count, parts.at(-1)!.count, earlier], [1, 1, 2]);
    assert.ok(from <= times[2]! && to > lastDay && to - from < 30 * DAY_MS);
  }
  const chosen = { since: NOW - DAY_MS, now: NOW };
  assert.equal(histogramOf(chosen, [[NOW - 2 * DAY_MS, 0, null]]).earlier, 1, "began before");
  assert.equal(histogramOf(chosen, [[NOW + 90_000, 0, null]]).later, 1, "by a clock that is ahead");
  const none = histogramOf({ of: "logs", now: NOW }, []);
  assert.equal(none.parts.reduce((sum, { count }) => sum + count, none.earlier), 0);
});
