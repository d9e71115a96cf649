import assert from "node:assert/strict";
import fc from "fast-check";
import { formatBytes, formatCount, formatDuration, formatFineDuration, shortId } from "./format.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const bytes = (size: number) => plain(formatBytes(size));
const duration = (ms: number) => plain(formatDuration(ms));

Deno.test("bytes → binary units", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1023), "1023 B");
  assert.equal(bytes(1024), "1.0 KiB");
  assert.equal(bytes(4200), "4.1 KiB");
  assert.equal(bytes(128 * 1024), "128 KiB");
  assert.equal(bytes(20 * 1024 ** 2), "20.0 MiB");
  assert.equal(bytes(3 * 1024 ** 4), "3.0 TiB");
});

Deno.test("a size that rounds up to 1024 or 100.0 → the next unit, no decimal", () => {
  assert.equal(bytes(1024 ** 2 - 1), "1.0 MiB");
  assert.equal(bytes(Math.floor(99.96 * 1024)), "100 KiB");
});

Deno.test("an invalid size or duration → a dash", () => {
  for (const invalid of [NaN, -1, Infinity]) {
    assert.equal(formatBytes(invalid), "–");
    assert.equal(formatDuration(invalid), "–");
  }
});

Deno.test("any size → at most four digits and a unit, joined by a no-break space", () => {
  fc.assert(fc.property(fc.nat({ max: 1024 ** 4 }), (size) => {
    assert.match(formatBytes(size), /^(\d{1,4}|\d{1,2}\.\d)\u00a0([KMGT]i)?B$/);
  }));
});

Deno.test("counts → singular, plural, thousands separators", () => {
  assert.equal(formatCount(0, "envelope"), "0\u00a0envelopes");
  assert.equal(formatCount(1, "envelope"), "1\u00a0envelope");
  assert.equal(formatCount(2, "reply", "replies"), "2\u00a0replies");
  assert.equal(formatCount(999, "row"), "999\u00a0rows");
  assert.equal(formatCount(1_234_567, "row"), "1,234,567\u00a0rows");
});

Deno.test("durations → the unit that fits", () => {
  assert.equal(duration(0), "0 ms");
  assert.equal(duration(0.4), "<1 ms");
  assert.equal(duration(38.4), "38 ms");
  assert.equal(duration(1240), "1.24 s");
  assert.equal(duration(125_000), "2 min 05 s");
  assert.equal(duration(3_720_000), "1 h 02 min");
});

Deno.test("a duration that rounds up → the next unit", () => {
  assert.equal(duration(999.6), "1.00 s");
  assert.equal(duration(59_996), "1 min 00 s");
  assert.equal(duration(3_599_700), "1 h 00 min");
});

Deno.test("any duration → never 60 of the smaller unit", () => {
  fc.assert(fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (ms) => {
    assert.doesNotMatch(duration(ms), /\b(60\.00 s|60 s|60 min|1000 ms)/);
  }));
});

Deno.test("fine durations → one decimal below 10 ms, else like other durations", () => {
  assert.deepEqual(
    [0, 0.01, 0.4, 5.24, 9.94, 9.96, 38, 1240, NaN, -1].map((ms) => plain(formatFineDuration(ms))),
    ["0 ms", "<0.1 ms", "0.4 ms", "5.2 ms", "9.9 ms", "10 ms", "38 ms", "1.24 s", "–", "–"],
  );
});

Deno.test("an id → its first eight characters without hyphens", () => {
  assert.equal(shortId("4bf92f3577b34da6a3ce929d0e0e4736"), "4bf92f35");
  assert.equal(shortId("4bf92-f35-77b34da6"), "4bf92f35");
  assert.equal(shortId("abc"), "abc");
  assert.equal(shortId(""), "");
});
