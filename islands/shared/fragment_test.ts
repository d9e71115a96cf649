import assert from "node:assert/strict";
import fc from "fast-check";
import { fragmentTo, parseFragment } from "./fragment.ts";

/** Whole characters: a surrogate alone cannot stand in an address. The marks that part an address come often. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.constantFrom("/", "?", "%"),
);

Deno.test("a place in the console is read as it was linked, whatever its parts say", () => {
  fc.assert(fc.property(
    fc.array(text),
    fc.dictionary(text, text),
    (path, params) => {
      const read = parseFragment(fragmentTo("traces", path, params));
      assert.equal(read.view, "traces");
      assert.deepEqual(read.path, path);
      assert.deepEqual(new Map(read.params), new Map(Object.entries(params)));
    },
  ));
});

Deno.test("a parameter that says nothing is not in the link", () => {
  assert.equal(
    fragmentTo("logs", [], { q: "", trace: undefined, level: "warn" }),
    "#/logs?level=warn",
  );
  assert.equal(fragmentTo("logs"), "#/logs");
});

Deno.test("an address that a stranger wrote is read without a throw, what is broken as it stands", () => {
  assert.deepEqual(parseFragment("#/errors/%/%E0%A4").path, ["%", "%E0%A4"]);
  assert.deepEqual(parseFragment("").path, []);
  fc.assert(fc.property(fc.string(), (any) => void parseFragment(`#/${any}`)));
});
