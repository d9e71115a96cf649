import assert from "node:assert/strict";
import fc from "fast-check";
import { at, booleanAt, integerAt, listAt, pairsAt, textAt, timeAt } from "./json.ts";

Deno.test("time in any form that SDKs send → milliseconds; no time zone → UTC", () => {
  const time = Date.UTC(2026, 10, 21, 3, 54, 15, 250);
  const forms = [
    time / 1000,
    String(time / 1000),
    "2026-11-21T03:54:15.250Z",
    "2026-11-21T03:54:15.250000",
    "2026-11-21 03:54:15.250",
    "2026-11-21T05:54:15.250+02:00",
  ];
  for (const form of forms) assert.equal(timeAt({ t: form }, "t"), time, String(form));
  assert.equal(timeAt("2026-11-21"), Date.UTC(2026, 10, 21));
});

Deno.test("times with microseconds, as Node and Python send them → kept, in milliseconds", () => {
  const time = Date.UTC(2026, 10, 21, 3, 54, 15) + 250.459;
  for (
    const form of [
      1_795_233_255.2504593,
      "1795233255.250459",
      "2026-11-21T03:54:15.250459Z",
      "2026-11-21T03:54:15.250459",
      "2026-11-21T05:54:15.250459123+02:00",
    ]
  ) assert.equal(timeAt(form), time, String(form));
});

Deno.test("NaN, out of range, another type or a megabyte of digits → no time", () => {
  for (const value of [NaN, Infinity, 1e300, -1e300, null, {}, [], true, "soon", "1".repeat(1e6)]) {
    assert.equal(timeAt(value), null);
  }
});

Deno.test("inherited property → undefined", () => {
  assert.equal(at({}, "constructor"), undefined);
  assert.equal(at(JSON.parse('{"__proto__":{"a":1}}'), "__proto__", "a"), 1);
});

Deno.test("list as array or in values; pairs as object, pairs or key and value → read", () => {
  assert.deepEqual(listAt({ a: [1] }, "a"), [1]);
  assert.deepEqual(listAt({ a: { values: [1] } }, "a"), [1]);
  assert.deepEqual(listAt({ a: { values: {} } }, "a"), []);
  assert.deepEqual(pairsAt({ a: 1 }), [["a", 1]]);
  assert.deepEqual(pairsAt([["a", 1], { key: "b", value: 2 }, 3, null]), [["a", 1], ["b", 2]]);
});

Deno.test("any value → each function returns its own type or null", () => {
  fc.assert(fc.property(fc.anything(), fc.string(), (value, name) => {
    for (const read of [textAt, booleanAt, timeAt]) read(value, name);
    const text = textAt({ [name]: value }, name);
    assert.ok(text === null || typeof text === "string");
    const integer = integerAt({ [name]: value }, 1, name);
    assert.ok(integer === null || (Number.isSafeInteger(integer) && integer >= 1));
    assert.ok(Array.isArray(listAt(value, name)) && Array.isArray(pairsAt(value, name)));
  }));
});
