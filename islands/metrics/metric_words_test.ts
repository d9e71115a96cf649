import assert from "node:assert/strict";
import {
  figureTip,
  formatFigure,
  formatValue,
  intervalTip,
  niceStep,
  unitText,
} from "./metric_words.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

Deno.test("times and sizes in the units of Sentry, OpenTelemetry and Prometheus → one text", () => {
  const sent = [
    [0.25, ["s", "second", "seconds", "sec"]],
    [250, ["ms", "millisecond", "milliseconds"]],
    [250_000, ["us", "µs", "microsecond", "microseconds"]],
    [250_000_000, ["ns", "nanoseconds"]],
  ] as const;
  for (const [value, units] of sent) {
    for (const unit of units) assert.equal(plain(formatValue(value, unit)), "250 ms", unit);
  }
  for (const unit of ["h", "hour", "hours"]) {
    assert.equal(plain(formatValue(1.5, unit)), "1 h 30 min");
  }
  assert.equal(plain(formatValue(2, "days")), "48 h 00 min");
  for (const unit of ["By", "byte", "bytes", "B"]) {
    assert.equal(plain(formatValue(2_048, unit)), "2.0 KiB", unit);
    assert.equal(plain(formatValue(-3.5, unit)), "−3.5 B", unit);
  }
  for (const unit of ["KiBy", "kibibyte", "kibibytes"]) {
    assert.equal(plain(formatValue(2, unit)), "2.0 KiB", unit);
  }
  for (const unit of ["MBy", "MB", "megabyte"]) {
    assert.equal(plain(formatValue(1.048576, unit)), "1.0 MiB", unit);
  }
  const rate = { name: "cpu", kind: "counter", unit: "seconds" } as const;
  assert.equal(plain(formatFigure(0.5, "rate", rate)), "500 ms/s");
});

Deno.test("other units → as they were sent, without the marks of an annotation", () => {
  const shown = (value: number, ...units: readonly string[]) =>
    units.map((unit) => plain(formatValue(value, unit)));
  assert.deepEqual(
    shown(3, "1", "", "none", "{orders}", "percent", "mas", "constructor", "class"),
    [
      ...["3", "3", "3", "3 orders", "3 %", "3 mas", "3 constructor", "3 class"],
    ],
  );
  assert.deepEqual(["seconds", "s", "By", "MBy", "{orders}"].map(unitText), [
    ...["s", "s", "bytes", "MB", "orders"],
  ]);
});

Deno.test("steps of a scale → round in the unit that is shown", () => {
  assert.deepEqual([niceStep(300, "bytes"), niceStep(0.3, "KiBy"), niceStep(0.3, "seconds")], [
    ...[512, 0.5, 0.5],
  ]);
});

Deno.test("what was added in an interval → its definition names what is continued", () => {
  assert.match(intervalTip("sum", "counter"), /^What was added; in the newest interval cumulative/);
  assert.equal(intervalTip("p95", "distribution"), figureTip("p95", "distribution"));
});
