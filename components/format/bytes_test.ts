import assert from "node:assert/strict";
import fc from "fast-check";
import { formatBytes } from "./bytes.ts";

const read = (bytes: number) => formatBytes(bytes).replace("\u00a0", " ");

Deno.test("a size carries its unit, in the binary steps of the contract", () => {
  assert.equal(read(0), "0 B");
  assert.equal(read(1023), "1023 B");
  assert.equal(read(1024), "1.0 KiB");
  assert.equal(read(4200), "4.1 KiB");
  assert.equal(read(128 * 1024), "128 KiB");
  assert.equal(read(20 * 1024 ** 2), "20.0 MiB");
  assert.equal(read(3 * 1024 ** 4), "3.0 TiB");
});

Deno.test("rounding never shows 1024 of a unit, nor 100.0", () => {
  assert.equal(read(1024 ** 2 - 1), "1.0 MiB");
  assert.equal(read(Math.floor(99.96 * 1024)), "100 KiB");
});

Deno.test("what is no size is a dash, not NaN", () => {
  assert.equal(formatBytes(NaN), "–");
  assert.equal(formatBytes(-1), "–");
  assert.equal(formatBytes(Infinity), "–");
});

Deno.test("number and unit never part, and at most four digits stand before the unit", () => {
  fc.assert(fc.property(fc.nat({ max: 1024 ** 4 }), (bytes) => {
    assert.match(formatBytes(bytes), /^(\d{1,4}|\d{1,2}\.\d)\u00a0([KMGT]i)?B$/);
  }));
});
