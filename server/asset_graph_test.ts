import assert from "node:assert/strict";
import { assetsOf, extraAsset, firstAssets } from "./asset_graph.ts";
import type { Manifest, ManifestAsset } from "./manifest.ts";

const asset = (part: Partial<ManifestAsset>): ManifestAsset => ({
  type: "text/javascript",
  hash: "",
  bytes: 1,
  kind: "chunk",
  imports: [],
  dynamicImports: [],
  sources: {},
  ...part,
});

/*
 *   FIRST ◄── LATER ──► SHARED ──► react (import map)
 *                ┆         │
 *                └┄► LAST ◄┘ (a circle back to SHARED)
 */
const manifest = {
  pages: [
    { path: "/", variant: "a", assets: ["FIRST.js", "ONLY_A.js"] },
    { path: "/", variant: "b", assets: ["FIRST.js"] },
    { path: "/other", variant: "a", assets: ["OTHER.js"] },
  ],
  assets: {
    "FIRST.js": asset({}),
    "LATER.js": asset({
      entryPoint: "later.ts",
      imports: ["FIRST.js", "SHARED.js"],
      dynamicImports: ["LAST.js"],
    }),
    "SHARED.js": asset({ imports: ["react", "LAST.js"] }),
    "LAST.js": asset({ imports: ["SHARED.js"] }),
    "W.js": asset({ kind: "extra", name: "worker" }),
  },
} as unknown as Manifest;

Deno.test("a chunk brings along all that it imports statically, once", () => {
  assert.deepEqual([...assetsOf(manifest, "later.ts")], [
    "LATER.js",
    "FIRST.js",
    "SHARED.js",
    "LAST.js",
  ]);
});

Deno.test("a source that no chunk is the entry of is told, not counted as nothing", () => {
  assert.throws(() => assetsOf(manifest, "gone.ts"), /no chunk of gone\.ts/);
});

Deno.test("what a page loads first is what all of its variants do", () => {
  assert.deepEqual([...firstAssets(manifest, "/")], ["FIRST.js"]);
});

Deno.test("a script of the import map is found by its name there", () => {
  assert.equal(extraAsset(manifest, "worker"), "W.js");
  assert.equal(extraAsset(manifest, "none"), undefined);
});
