import assert from "node:assert/strict";
import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import { sourceNote } from "./source_note.ts";

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
const debugIds = new Map([["/a.js", "id"]]);

Deno.test("why a frame has no source is told: relaying, another build, nothing sent", () => {
  const note = (frames: FoundFrame[], scope: "inbox" | "visit" = "inbox") =>
    sourceNote({ frames, debugIds, scope });
  assert.equal(note([]), "");
  assert.equal(note([frame("shop.ts", true)]), "");
  assert.match(note([frame("/a.js", false)], "visit"), /when relaying/);
  assert.match(note([frame("/a.js", false), frame("shop.ts", true)]), /another build/);
  assert.match(note([frame("cart.py", false)]), /no lines of source/);
  assert.equal(note([frame("native", false), frame("shop.ts", true)]), "");
});
