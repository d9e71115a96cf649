import assert from "node:assert/strict";
import fc from "fast-check";
import { readExceptions, type ReportedException } from "./exceptions.ts";

/** As "relation type < parent", indented by depth. */
const outline = (values: unknown): string[] =>
  readExceptions({ exception: values }).shown.map((
    { depth, relation, type, of }: ReportedException,
  ) => `${"  ".repeat(depth)}${relation} ${type}${of === null ? "" : ` < ${of}`}`);

const linked = (type: string, id: unknown, parent?: unknown, more: object = {}) => ({
  type,
  mechanism: { exception_id: id, parent_id: parent, ...more },
});

Deno.test("exceptions without ids → chain, last one outermost", () => {
  const values = [{ type: "Root" }, { type: "Middle" }, { type: "Outer" }];
  const chain = ["thrown Outer", "  cause Middle < Outer", "    cause Root < Middle"];
  assert.deepEqual(outline(values), chain);
  assert.deepEqual(outline({ values }), chain);
});

// Outer ─┬─ A ─── C
//        └─ B
Deno.test("aggregate → tree, members in order", () => {
  const group = { is_exception_group: true };
  const values = [
    linked("B", 3, 0, { source: "errors[1]" }),
    linked("C", 2, 1, { source: "cause" }),
    linked("A", 1, 0, { source: "errors[0]" }),
    linked("Outer", 0, undefined, group),
  ];
  assert.deepEqual(outline(values), [
    "thrown Outer",
    "  member A < Outer",
    "    cause C < A",
    "  member B < Outer",
  ]);
});

Deno.test("cause of an aggregate → not a member", () => {
  const values = [
    linked("M", 2, 0, { source: "exceptions[0]" }),
    linked("C", 1, 0, { source: "__cause__" }),
    linked("G", 0, undefined, { is_exception_group: true }),
  ];
  assert.deepEqual(outline(values), ["thrown G", "  cause C < G", "  member M < G"]);
});

Deno.test("exception with id 0 → outermost, in any position", () => {
  assert.deepEqual(outline([linked("Outer", 0), linked("Cause", 1, 0)]), [
    "thrown Outer",
    "  cause Cause < Outer",
  ]);
});

Deno.test("circular, missing or duplicate ids → each exception once", () => {
  assert.deepEqual(outline([linked("B", 2, 1), linked("A", 1, 2), linked("Outer", 0)]), [
    "thrown Outer",
    "  cause A < Outer",
    "    cause B < A",
  ]);
  assert.deepEqual(outline([linked("A", 1, 1), linked("Outer", 0, 0)]), [
    "thrown Outer",
    "  cause A < Outer",
  ]);
  assert.deepEqual(outline([linked("A", 7, 99), linked("Outer", 7, 98)]), [
    "thrown Outer",
    "  cause A < Outer",
  ]);
});

Deno.test("any ids → every exception once, below an earlier one", () => {
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
    const { shown } = readExceptions({ exception: { values: named } });
    assert.equal(shown.length, values.length);
    shown.forEach(({ depth }, index) => {
      const before = index === 0 ? -1 : shown[index - 1]!.depth;
      assert.ok(index === 0 ? depth === 0 : depth >= 1 && depth <= before + 1);
    });
    const types = shown.map(({ type }) => type).filter((type) => type !== "Error");
    assert.equal(new Set(types).size, types.length);
  }));
});

Deno.test("hundreds of exceptions → innermost dropped", () => {
  const values = Array.from({ length: 500 }, (_, n) => ({ type: `T${n}` }));
  const { shown, more } = readExceptions({ exception: { values } });
  assert.equal(shown[0]?.type, "T499");
  assert.equal(shown.length + more, 500);
  assert.ok(more > 0);
});
