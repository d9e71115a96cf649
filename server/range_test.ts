import assert from "node:assert/strict";
import fc from "fast-check";
import { type ByteRange, parseRange } from "./range.ts";

Deno.test("a single range is read as RFC 9110 says", () => {
  const cases: [string, number, ByteRange | "unsatisfiable" | undefined][] = [
    ["bytes=0-0", 10, { start: 0, end: 0 }],
    ["bytes=2-5", 10, { start: 2, end: 5 }],
    ["bytes=2-", 10, { start: 2, end: 9 }],
    ["bytes=2-99", 10, { start: 2, end: 9 }],
    ["bytes=-3", 10, { start: 7, end: 9 }],
    ["bytes=-99", 10, { start: 0, end: 9 }],
    ["BYTES = 0-1 ", 10, { start: 0, end: 1 }],
    ["bytes=0-99999999999999999999999", 10, { start: 0, end: 9 }],
    ["bytes=10-", 10, "unsatisfiable"],
    ["bytes=99999999999999999999999-", 10, "unsatisfiable"],
    ["bytes=-0", 10, "unsatisfiable"],
    ["bytes=0-0", 0, "unsatisfiable"],
    ["bytes=-1", 0, "unsatisfiable"],
    ["bytes=5-2", 10, undefined],
    ["bytes=0-1,3-4", 10, undefined],
    ["bytes=-", 10, undefined],
    ["bytes=a-b", 10, undefined],
    ["bytes=1", 10, undefined],
    ["bytes=+1-2", 10, undefined],
    ["bytes=0x1-2", 10, undefined],
    ["items=0-1", 10, undefined],
    ["", 10, undefined],
  ];
  for (const [header, size, expected] of cases) {
    assert.deepEqual(parseRange(header, size), expected, header);
  }
});

Deno.test("a range takes just the bytes that a slow reading of it takes", () => {
  const number = fc.nat({ max: 60 });
  const form = fc.oneof(
    fc.tuple(number, number).map(([first, last]) => ({ first, last })),
    number.map((first) => ({ first })),
    number.map((suffix) => ({ suffix })),
  );
  fc.assert(fc.property(form, fc.nat({ max: 50 }), (range, size) => {
    const { first, last, suffix } = {
      first: undefined,
      last: undefined,
      suffix: undefined,
      ...range,
    };
    const header = suffix === undefined ? `bytes=${first}-${last ?? ""}` : `bytes=-${suffix}`;
    const taken = Array.from({ length: size }, (_, index) => index).filter((index) =>
      suffix === undefined
        ? index >= (first ?? 0) && (last === undefined || index <= last)
        : index >= size - suffix
    );
    const result = parseRange(header, size);
    if (first !== undefined && last !== undefined && last < first) return result === undefined;
    if (taken.length === 0) return result === "unsatisfiable";
    assert.deepEqual(result, { start: taken.at(0), end: taken.at(-1) });
  }));
});

Deno.test("no header makes a range outside the body", () => {
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom("bytes", "=", "-", "0", "9", ",", " ", "1")).map((all) =>
      all.join("")
    ),
  );
  fc.assert(fc.property(text, fc.nat({ max: 20 }), (header, size) => {
    const range = parseRange(header, size);
    if (range === undefined || range === "unsatisfiable") return;
    assert.ok(0 <= range.start && range.start <= range.end && range.end < size, header);
  }));
});
