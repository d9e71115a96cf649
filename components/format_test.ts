import assert from "node:assert/strict";
import fc from "fast-check";
import { formatBytes, formatCount, formatDuration, shortId } from "./format.ts";

/** A test for each reason; in texts a blank is a no-break space. */
function table<Input>(
  format: (input: Input) => string,
  cases: Readonly<Record<string, readonly (readonly [input: Input, text: string])[]>>,
): void {
  for (const [title, pairs] of Object.entries(cases)) {
    Deno.test(title, () => {
      for (const [input, text] of pairs) {
        assert.equal(format(input), text.replaceAll(" ", "\u00a0"));
      }
    });
  }
}

table(formatBytes, {
  "bytes → binary units": [
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [4200, "4.1 KiB"],
    [128 * 1024, "128 KiB"],
    [20 * 1024 ** 2, "20.0 MiB"],
    [3 * 1024 ** 4, "3.0 TiB"],
  ],
  "a size that rounds up to 1024 or 100.0 → the next unit, no decimal": [
    [1024 ** 2 - 1, "1.0 MiB"],
    [Math.floor(99.96 * 1024), "100 KiB"],
  ],
  "an invalid size → a dash": [[NaN, "–"], [-1, "–"], [Infinity, "–"]],
});

table(formatDuration, {
  "durations → the unit that fits": [
    [0, "0 ms"],
    [0.0004, "<1 µs"],
    [0.0006, "1 µs"],
    [0.42, "420 µs"],
    [1.87, "1.87 ms"],
    [5, "5 ms"],
    [38.4, "38 ms"],
    [1240, "1.24 s"],
    [125_000, "2 min 05 s"],
    [3_720_000, "1 h 02 min"],
  ],
  "a duration that rounds up → the next unit": [
    [0.9996, "1 ms"],
    [9.996, "10 ms"],
    [999.6, "1.00 s"],
    [59_996, "1 min 00 s"],
    [3_599_700, "1 h 00 min"],
  ],
  "an invalid duration → a dash": [[NaN, "–"], [-1, "–"], [Infinity, "–"]],
});

table<Parameters<typeof formatCount>>((counted) => formatCount(...counted), {
  "counts → singular, plural, thousands separators": [
    [[0, "envelope"], "0 envelopes"],
    [[1, "envelope"], "1 envelope"],
    [[2, "reply", "replies"], "2 replies"],
    [[1_234_567, "row"], "1,234,567 rows"],
  ],
});

table(shortId, {
  "an id → its first eight characters without hyphens": [
    ["4bf92f3577b34da6a3ce929d0e0e4736", "4bf92f35"],
    ["4bf92-f35-77b34da6", "4bf92f35"],
    ["abc", "abc"],
  ],
});

Deno.test("any size → at most four digits and a unit; any duration → never 60 of a unit", () => {
  fc.assert(fc.property(fc.nat({ max: 1024 ** 4 }), (size) => {
    assert.match(formatBytes(size), /^(\d{1,4}|\d{1,2}\.\d)\u00a0([KMGT]i)?B$/);
  }));
  fc.assert(fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (ms) => {
    assert.doesNotMatch(formatDuration(ms), /(?<![\d.])(60\.00\s|60\ss|60\smin|1000\s[µm]s)/);
  }));
});
