import assert from "node:assert/strict";
import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import { explainMissingSource, foldFrames } from "./stack_frames.ts";

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

const frame = (file: string, hasSource: boolean): FoundFrame => ({
  function: null,
  file,
  line: 1,
  column: 1,
  own: true,
  source: hasSource ? { first: 1, lines: ["x"], marked: 0 } : null,
  variables: { shown: [], more: 0 },
  script: null,
});

const SHOP = "http://127.0.0.1:4517";

Deno.test("frames without source → why: relay mode, no source map, none sent", () => {
  const explain = (frames: FoundFrame[], scope: "inbox" | "visit" = "inbox") =>
    explainMissingSource(frames, new Map([["/a.js", "id"]]), scope, []);
  assert.equal(explain([]), "");
  assert.equal(explain([frame("shop.ts", true)]), "");
  assert.match(explain([frame("/a.js", false)], "visit"), /in relay mode/);
  assert.match(
    explain([frame("/a.js", false), frame("shop.ts", true)]),
    /deno task sourcemaps --to/,
  );
  assert.match(explain([frame("cart.py", false)]), /no source lines/);
  assert.equal(explain([frame("native", false), frame("shop.ts", true)]), "");
});

Deno.test("script without debug id → what to do: name its origin, or fetch from it", () => {
  const explain = (origins: string[], scope: "inbox" | "visit" = "inbox") =>
    explainMissingSource([frame(`${SHOP}/shop.js?v=1`, false)], new Map(), scope, origins);
  assert.match(
    explain([]),
    /^No source map for \/shop.js: build .* name http:\/\/127.0.0.1:4517 in SOURCE_MAP_ORIGINS\.$/,
  );
  assert.match(explain([SHOP]), /^No source map for \/shop.js: fetch it/);
  assert.match(explain([], "visit"), /no source lines/);
});
