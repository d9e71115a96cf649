import assert from "node:assert/strict";
import fc from "fast-check";
import { flagAt, listAt, pairsAt, textAt, timeAt, wholeAt } from "./fields.ts";
import { at } from "./json.ts";

Deno.test("a moment is read in every form that SDKs write, and UTC is meant where no zone stands", () => {
  const moment = Date.UTC(2026, 10, 21, 3, 54, 15, 250);
  const forms = [
    moment / 1000,
    String(moment / 1000),
    "2026-11-21T03:54:15.250Z",
    "2026-11-21T03:54:15.250000",
    "2026-11-21 03:54:15.250",
    "2026-11-21T05:54:15.250+02:00",
  ];
  for (const form of forms) assert.equal(timeAt({ t: form }, "t"), moment, String(form));
  assert.equal(timeAt("2026-11-21"), Date.UTC(2026, 10, 21));
});

Deno.test("what is no moment is none: NaN, beyond the calendar, another type, a megabyte of digits", () => {
  for (const value of [NaN, Infinity, 1e300, -1e300, null, {}, [], true, "soon", "1".repeat(1e6)]) {
    assert.equal(timeAt(value), null);
  }
});

Deno.test("only a value's own attributes count", () => {
  assert.equal(at({}, "constructor"), undefined);
  assert.equal(at(JSON.parse('{"__proto__":{"a":1}}'), "__proto__", "a"), 1);
});

Deno.test("a list stands bare or as values; pairs as an object, as pairs or as keys and values", () => {
  assert.deepEqual(listAt({ a: [1] }, "a"), [1]);
  assert.deepEqual(listAt({ a: { values: [1] } }, "a"), [1]);
  assert.deepEqual(listAt({ a: { values: {} } }, "a"), []);
  assert.deepEqual(pairsAt({ a: 1 }), [["a", 1]]);
  assert.deepEqual(pairsAt([["a", 1], { key: "b", value: 2 }, 3, null]), [["a", 1], ["b", 2]]);
});

Deno.test("whatever stands there, nothing throws and each gives its own type or null", () => {
  fc.assert(fc.property(fc.anything(), fc.string(), (value, name) => {
    for (const read of [textAt, flagAt, timeAt]) read(value, name);
    const text = textAt({ [name]: value }, name);
    assert.ok(text === null || typeof text === "string");
    const whole = wholeAt({ [name]: value }, 1, name);
    assert.ok(whole === null || (Number.isSafeInteger(whole) && whole >= 1));
    assert.ok(Array.isArray(listAt(value, name)) && Array.isArray(pairsAt(value, name)));
  }));
});
