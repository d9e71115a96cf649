import assert from "node:assert/strict";
import { foldFrames } from "./fold_frames.ts";

/** o: own, l: a library's, ?: not told. As runs, the folded ones in brackets. */
const fold = (stack: string) =>
  foldFrames([...stack].map((sign) => ({ sign, own: sign === "?" ? null : sign === "o" })))
    .map(({ frames, folded }) => {
      const signs = frames.map(({ sign }) => sign).join("");
      return folded ? `[${signs}]` : signs;
    }).join(" ");

Deno.test("runs of libraries' frames are folded, short ones are not", () => {
  assert.equal(fold("ollllo"), "o [llll] o");
  assert.equal(fold("ollo"), "o ll o");
  assert.equal(fold("lllo?lll"), "[lll] o? [lll]");
});

Deno.test("a stack of libraries alone is not folded", () => {
  assert.equal(fold("lllll"), "lllll");
  assert.equal(fold(""), "");
});
