import assert from "node:assert/strict";
import fc from "fast-check";
import { pan, ticks, windowBetween, zoom } from "./time_window.ts";

const all = { start_ms: 1000, end_ms: 2000 };
const labels = (start_ms: number, end_ms: number, most = 5) =>
  ticks({ start_ms, end_ms }, 0, most).map(({ label }) => label.replace("\u00a0", " "));

Deno.test("zoom → middle stays in place, window within the trace", () => {
  assert.deepEqual(zoom(all, all, 0.5), { start_ms: 1250, end_ms: 1750 });
  assert.deepEqual(zoom({ start_ms: 1250, end_ms: 1750 }, all, 4), all);
});

Deno.test("pan → stops at the ends of the trace", () => {
  assert.deepEqual(pan({ start_ms: 1400, end_ms: 1500 }, all, 0.5), {
    start_ms: 1450,
    end_ms: 1550,
  });
  assert.deepEqual(pan({ start_ms: 1950, end_ms: 2000 }, all, 2), { start_ms: 1950, end_ms: 2000 });
});

Deno.test("window drawn from right to left → same window", () => {
  assert.deepEqual(windowBetween(1700, 1300, all), { start_ms: 1300, end_ms: 1700 });
});

Deno.test("ticks → round steps, matching units", () => {
  assert.deepEqual(labels(0, 100), ["0", "20 ms", "40 ms", "60 ms", "80 ms", "100 ms"]);
  assert.deepEqual(labels(0, 1), ["0", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1.0 ms"]);
  assert.deepEqual(labels(900, 3100), ["1.0 s", "1.5 s", "2.0 s", "2.5 s", "3.0 s"]);
  assert.deepEqual(labels(1990, 2012), ["1.990 s", "1.995 s", "2.000 s", "2.005 s", "2.010 s"]);
  assert.deepEqual(labels(0, 50_000), ["0", "10 s", "20 s", "30 s", "40 s", "50 s"]);
  assert.deepEqual(labels(50_000, 200_000), ["1 min", "1:30", "2 min", "2:30", "3 min"]);
  assert.deepEqual(labels(0, 90_000), ["0", "30 s", "1 min", "1:30"]);
  assert.deepEqual(labels(0, 4 * 3_600_000), ["0", "1:00 h", "2:00 h", "3:00 h", "4:00 h"]);
});

Deno.test("any window → few ticks, in order, with distinct labels", () => {
  const wide = fc.double({ min: 0.01, max: 1e12, noNaN: true });
  const from = fc.double({ min: 0, max: 1e12, noNaN: true });
  fc.assert(fc.property(from, wide, fc.integer({ min: 1, max: 12 }), (start_ms, width, most) => {
    const found = ticks({ start_ms, end_ms: start_ms + width }, 0, most);
    assert.ok(found.length <= most + 1);
    assert.equal(new Set(found.map(({ label }) => label)).size, found.length);
    for (const { offset_ms } of found) {
      const slack = width * 1e-3;
      assert.ok(offset_ms >= start_ms - slack && offset_ms <= start_ms + width + slack);
    }
  }));
});
