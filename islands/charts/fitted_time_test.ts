import assert from "node:assert/strict";
import { fittedTime } from "./fitted_time.ts";

/** Of 100 parts of 10 ms, from 1,000. */
const histogram = (...used: readonly number[]) => ({
  from: 1_000,
  to: 2_000,
  step: 10,
  parts: Array.from({ length: 100 }, (_, part) => ({
    count: used.includes(part) ? 1 : 0,
    warnings: 0,
    failures: 0,
  })),
});

const CASES = {
  "something early and late → the whole time": [[[3, 97]], {}],
  "nothing at all, or not known yet → the whole time": [[[]], {}],
  "second half empty → ends after the last": [[[3, 20]], { until: "1220" }],
  "first half empty → begins before the first": [[[80, 97]], { since: "1790" }],
  "a burst between → neither": [[[70, 72]], { since: "1690", until: "1740" }],
  "several charts → something in one of them is enough": [[[70, 72], [10]], {}],
} as const;

for (const [title, [charts, expected]] of Object.entries(CASES)) {
  Deno.test(title, () => {
    const { since, until } = fittedTime(charts.map((used) => histogram(...used)));
    assert.deepEqual({ since, until }, { since: undefined, until: undefined, ...expected });
    assert.deepEqual(fittedTime([histogram(70), undefined]), {});
  });
}
