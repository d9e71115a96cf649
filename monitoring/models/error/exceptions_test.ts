import assert from "node:assert/strict";
import fc from "fast-check";
import { at } from "../json.ts";
import { readExceptions } from "./exceptions.ts";

/** As "relation type < parent", indented by depth. */
const outline = (exception: unknown): string[] =>
  readExceptions({ exception }, "Error").shown.map(({ depth, relation, type, of }) =>
    `${"  ".repeat(depth)}${relation} ${type}${of === null ? "" : ` < ${of}`}`
  );
const linked = (type: string, exception_id: number, parent_id?: number, more: object = {}) => (
  { type, mechanism: { exception_id, parent_id, ...more } }
);
const GROUP = { is_exception_group: true };
const CHAIN = [{ type: "Root" }, { type: "Middle" }, { type: "Outer" }];
const OUTLINE_OF_CHAIN = ["thrown Outer", "  cause Middle < Outer", "    cause Root < Middle"];

const CASES: readonly (readonly [title: string, exceptions: unknown, outline: string[]])[] = [
  ["exceptions without ids → chain, last one outermost", CHAIN, OUTLINE_OF_CHAIN],
  ["exceptions in `values` → the same chain", { values: CHAIN }, OUTLINE_OF_CHAIN],
  // Outer ─┬─ A ─── C
  //        └─ B
  ["aggregate → tree, members in order", [
    linked("B", 3, 0, { source: "errors[1]" }),
    linked("C", 2, 1, { source: "cause" }),
    linked("A", 1, 0, { source: "errors[0]" }),
    linked("Outer", 0, undefined, GROUP),
  ], ["thrown Outer", "  member A < Outer", "    cause C < A", "  member B < Outer"]],
  ["cause of an aggregate → not a member", [
    linked("M", 2, 0, { source: "exceptions[0]" }),
    linked("C", 1, 0, { source: "__cause__" }),
    linked("G", 0, undefined, GROUP),
  ], ["thrown G", "  cause C < G", "  member M < G"]],
  [
    "exception with id 0 → outermost, in any position",
    [linked("Outer", 0), linked("Cause", 1, 0)],
    ["thrown Outer", "  cause Cause < Outer"],
  ],
  [
    "circular ids → each exception once",
    [linked("B", 2, 1), linked("A", 1, 2), linked("Outer", 0)],
    ["thrown Outer", "  cause A < Outer", "    cause B < A"],
  ],
  [
    "exceptions that are their own parents → each once",
    [linked("A", 1, 1), linked("Outer", 0, 0)],
    ["thrown Outer", "  cause A < Outer"],
  ],
  [
    "missing and duplicate ids → each exception once",
    [linked("A", 7, 99), linked("Outer", 7, 98)],
    ["thrown Outer", "  cause A < Outer"],
  ],
];
for (const [title, exceptions, expected] of CASES) {
  Deno.test(title, () => assert.deepEqual(outline(exceptions), expected));
}

Deno.test("any ids → every exception once, below an earlier one; other values left out", () => {
  const id = fc.oneof(fc.nat(6), fc.constantFrom(undefined, null, -1, "1", NaN, 1e99, {}));
  const value = fc.oneof(
    fc.record({ mechanism: fc.record({ exception_id: id, parent_id: id }) }),
    fc.constantFrom(null, "text", 5, [], {}),
  );
  fc.assert(fc.property(fc.array(value, { maxLength: 12 }), (values) => {
    const named = values.map((value, n) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { ...value, type: `T${n}` }
        : value
    );
    const { shown } = readExceptions({ exception: { values: named } }, "Error");
    const types = named.flatMap((value) => at(value, "type") ?? []);
    assert.deepEqual(shown.map(({ type }) => type).sort(), types.sort());
    shown.forEach(({ depth }, index) => {
      const before = index === 0 ? -1 : shown[index - 1]!.depth;
      assert.ok(index === 0 ? depth === 0 : depth >= 1 && depth <= before + 1);
    });
  }));
});

Deno.test("a single exception without a list → that one", () => {
  assert.deepEqual(outline({ type: "E", value: "x" }), ["thrown E"]);
});

Deno.test("hundreds of exceptions → innermost dropped", () => {
  const values = Array.from({ length: 500 }, (_, n) => ({ type: `T${n}` }));
  const { shown, more } = readExceptions({ exception: { values } }, "Error");
  assert.equal(shown[0]?.type, "T499");
  assert.equal(shown.length + more, 500);
  assert.ok(more > 0);
});
