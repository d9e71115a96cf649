import assert from "node:assert/strict";
import fc from "fast-check";
import { tokenize } from "./source_tokens.ts";

/** Tokens with a colour, as `kind:text`. */
const coloured = (lines: readonly string[], file = "a.ts") =>
  tokenize(lines, file).map((tokens) =>
    tokens.filter(({ kind }) => kind !== "text").map(({ kind, text }) => `${kind}:${text}`)
  );

Deno.test("TypeScript → keywords, strings, numbers, comments", () => {
  assert.deepEqual(
    coloured([
      "export const price = await of('it\\'s', 0x1F) + 1_000.5e3; // total",
      "if (a.b2 < .5) throw new Error(`no ${name}`); /* c */ return 1n;",
    ]),
    [
      [
        "keyword:export",
        "keyword:const",
        "keyword:await",
        "keyword:of",
        "string:'it\\'s'",
        "number:0x1F",
        "number:1_000.5e3",
        "comment:// total",
      ],
      [
        "keyword:if",
        "number:.5",
        "keyword:throw",
        "keyword:new",
        "string:`no ${name}`",
        "comment:/* c */",
        "keyword:return",
        "number:1n",
      ],
    ],
  );
});

Deno.test("comments and texts over several lines → coloured until their end", () => {
  assert.deepEqual(coloured(["/* one", "two", "three */ let x", "`a", "b`"]), [
    ["comment:/* one"],
    ["comment:two"],
    ["comment:three */", "keyword:let"],
    ["string:`a"],
    ["string:b`"],
  ]);
  // An unclosed quote ends with its line.
  assert.deepEqual(coloured(["it's", "return"]), [["string:'s"], ["keyword:return"]]);
});

Deno.test("excerpt that begins in a block comment → comment until its end", () => {
  assert.deepEqual(coloured([" * @param if the cart", " */", "return;"]), [
    ["comment: * @param if the cart"],
    ["comment: */"],
    ["keyword:return"],
  ]);
});

Deno.test("Python → its own keywords and comments, triple quotes", () => {
  assert.deepEqual(
    coloured(
      ["def price(sku):  # of one", '    """Returns', '    it."""', "    raise E('#')"],
      "b.py",
    ),
    [
      ["keyword:def", "comment:# of one"],
      ['string:"""Returns'],
      ['string:    it."""'],
      ["keyword:raise", "string:'#'"],
    ],
  );
});

Deno.test("any lines → their tokens' texts together are the lines", () => {
  const part = fc.constantFrom(
    "'",
    '"',
    "`",
    "/*",
    "*/",
    "//",
    "#",
    "\\",
    "a",
    "1",
    ".",
    "e",
    "😀",
    " ",
  );
  const line = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 5 }),
      fc.constantFrom("a.js", "a.py"),
      (lines, file) => {
        assert.deepEqual(
          tokenize(lines, file).map((tokens) => tokens.map(({ text }) => text).join("")),
          lines,
        );
      },
    ),
  );
});
