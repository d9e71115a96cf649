import assert from "node:assert/strict";
import { foldFrames } from "./stack_frames.ts";

/** i: in app, l: library, ?: unknown. Folded runs are in brackets. */
const fold = (stack: string) =>
  foldFrames([...stack].map((sign) => ({ sign, own: sign === "?" ? null : sign === "i" })))
    .map(({ frames, folded }) => {
      const signs = frames.map(({ sign }) => sign).join("");
      return folded ? `[${signs}]` : signs;
    }).join(" ");

Deno.test("runs of three or more library frames → folded", () => {
  assert.equal(fold("illlli"), "i [llll] i");
  assert.equal(fold("illi"), "i ll i");
  assert.equal(fold("llli?lll"), "[lll] i? [lll]");
});

Deno.test("only library frames → not folded", () => {
  assert.equal(fold("lllll"), "lllll");
  assert.equal(fold(""), "");
});
