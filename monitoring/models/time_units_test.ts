import assert from "node:assert/strict";
import { isAge, readTimeBound } from "./time_units.ts";

const NOW = 1_795_262_400_000;

Deno.test("age → that long ago; milliseconds → as they are", () => {
  const ages = ["30s", "10m", "1h", "7d"].map((age) => NOW - readTimeBound(age, NOW)!);
  assert.deepEqual(ages, [30_000, 600_000, 3_600_000, 604_800_000]);
  assert.equal(readTimeBound("1795262400000", NOW), NOW);
  assert.deepEqual(["10m", "1795262400000", ""].map(isAge), [true, false, false]);
});

Deno.test("anything else → no time", () => {
  for (const text of ["", "m", "1.5h", "-1", "10 m", "10y", "1e3", "9".repeat(16)]) {
    assert.equal(readTimeBound(text, NOW), undefined, text);
  }
});
