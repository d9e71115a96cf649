import assert from "node:assert/strict";
import fc from "fast-check";
import { readStack } from "./stack.ts";

Deno.test("stack → innermost first, with position, in_app, source and variables", () => {
  const { shown: [inner, outer] } = readStack({
    frames: [
      { filename: "http://page/a.js", function: "?", lineno: 1, colno: 20 },
      {
        module: "shop.cart",
        function: "add",
        filename: "shop/cart.py",
        lineno: 12,
        in_app: true,
        pre_context: ["def add(item):", "    check(item)"],
        context_line: "    raise ValueError(item)",
        post_context: [""],
        vars: { item: "'<b>'", count: 3 },
      },
    ],
  });
  assert.deepEqual(inner, {
    function: "add",
    file: "shop/cart.py",
    line: 12,
    column: null,
    own: true,
    source: {
      first: 10,
      lines: ["def add(item):", "    check(item)", "    raise ValueError(item)", ""],
      marked: 2,
    },
    variables: { shown: [["item", "'<b>'"], ["count", "3"]], more: 0 },
  });
  assert.equal(outer?.function, null);
  assert.equal(outer?.own, null);
  assert.equal(outer?.source, null);
});

Deno.test("frame without file → module; source without line number → no numbers", () => {
  const { shown: [frame] } = readStack({
    frames: [{ module: "com.example.Cart", lineno: -1, context_line: "x", pre_context: ["a", 5] }],
  });
  assert.equal(frame?.file, "com.example.Cart");
  assert.equal(frame?.line, null);
  assert.deepEqual(frame?.source, { first: null, lines: ["a", "", "x"], marked: 2 });
});

Deno.test("very long stack or line → cut", () => {
  const frames = Array.from({ length: 10_000 }, (_, n) => ({
    function: `f${n}`,
    context_line: "x".repeat(1_000_000),
  }));
  const { shown, more } = readStack({ frames });
  assert.equal(shown[0]?.function, "f9999");
  assert.equal(shown.length + more, 10_000);
  assert.ok(more > 9_000);
  assert.ok((shown[0]?.source?.lines[0]?.length ?? 0) < 2_000);
});

Deno.test("any stack → marked line is one of the lines", () => {
  const frame = fc.record({
    filename: fc.anything(),
    lineno: fc.anything(),
    colno: fc.anything(),
    pre_context: fc.anything(),
    context_line: fc.oneof(fc.string(), fc.anything()),
    post_context: fc.anything(),
    vars: fc.anything(),
  });
  fc.assert(fc.property(fc.array(frame, { maxLength: 3 }), (frames) => {
    for (const { source, line } of readStack({ frames }).shown) {
      assert.ok(line === null || line >= 1);
      if (source) assert.ok(source.marked < source.lines.length);
    }
  }));
});
