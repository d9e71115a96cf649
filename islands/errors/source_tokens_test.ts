import assert from "node:assert/strict";
import fc from "fast-check";
import { tokenize } from "./source_tokens.ts";

/** Tokens with a colour, as `kind:text`, lines and tokens separated by ` | `. */
const CASES: readonly (readonly [title: string, file: string, lines: string, tokens: string])[] = [
  [
    "TypeScript → keywords, strings, numbers, comments",
    "a.ts",
    "export const price = await of('it\\'s', 0x1F) + 1_000.5e3; // total",
    "keyword:export | keyword:const | keyword:await | keyword:of | string:'it\\'s' | " +
    "number:0x1F | number:1_000.5e3 | comment:// total",
  ],
  [
    "comments and texts over several lines → coloured until their end",
    "a.ts",
    "/* one\ntwo\nthree */ let x\n`a\nb`",
    "comment:/* one | comment:two | comment:three */ | keyword:let | string:`a | string:b`",
  ],
  ["an unclosed quote → ends with its line", "a.ts", "it's\nreturn", "string:'s | keyword:return"],
  [
    "excerpt that begins in a block comment → comment until its end",
    "a.ts",
    " * @param if the cart\n */\nreturn;",
    "comment: * @param if the cart | comment: */ | keyword:return",
  ],
  [
    "Python → its own keywords and comments, triple quotes",
    "b.py",
    `def price(sku):  # of one\n    """Returns\n    it."""\n    raise E('#')`,
    `keyword:def | comment:# of one | string:"""Returns | string:    it.""" | ` +
    "keyword:raise | string:'#'",
  ],
];
for (const [title, file, lines, expected] of CASES) {
  Deno.test(title, () => {
    const coloured = tokenize(lines.split("\n"), file).flat().filter(({ kind }) => kind !== "text");
    assert.equal(coloured.map(({ kind, text }) => `${kind}:${text}`).join(" | "), expected);
  });
}

Deno.test("line feed within a line → a blank", () => {
  const texts = tokenize(["let a\n", "// b"], "a.ts").map((line) => line.map(({ text }) => text));
  assert.deepEqual(texts, [["let", " a "], ["// b"]]);
});

Deno.test("any lines → their tokens' texts together are the lines", () => {
  const parts = ["'", '"', "`", "/*", "*/", "//", "#", "\\", "a", "1", ".", "e", "😀", " "];
  const line = fc.array(fc.constantFrom(...parts), { maxLength: 30 }).map((all) => all.join(""));
  const lines = fc.array(line, { maxLength: 5 });
  fc.assert(fc.property(lines, fc.constantFrom("a.js", "a.py"), (lines, file) => {
    const texts = tokenize(lines, file).map((tokens) => tokens.map(({ text }) => text).join(""));
    assert.deepEqual(texts, lines);
  }));
});
