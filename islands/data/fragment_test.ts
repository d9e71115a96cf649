import assert from "node:assert/strict";
import fc from "fast-check";
import { fragmentTo, parseFragment } from "./fragment.ts";

/** Whole characters, because an address cannot contain a lone surrogate; separators are frequent. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.constantFrom("/", "?", "%"),
);

Deno.test("any parts and parameters → a link that parses to the same", () => {
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

Deno.test("an empty parameter → not in the link", () => {
  assert.equal(
    fragmentTo("logs", [], { q: "", trace: undefined, level: "warn" }),
    "#/logs?level=warn",
  );
  assert.equal(fragmentTo("logs"), "#/logs");
});

Deno.test("an invalid address → no exception, invalid parts unchanged", () => {
  assert.deepEqual(parseFragment("#/errors/%/%E0%A4").path, ["%", "%E0%A4"]);
  assert.deepEqual(parseFragment("").path, []);
  fc.assert(fc.property(fc.string(), (any) => void parseFragment(`#/${any}`)));
});
