import assert from "node:assert/strict";
import { assetsOf, extraAsset } from "./assets.ts";
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

Deno.test("entry point → its chunk and all static imports, each once", () => {
  assert.deepEqual([...assetsOf(manifest, "later.ts")], [
    "LATER.js",
    "FIRST.js",
    "SHARED.js",
    "LAST.js",
  ]);
});

Deno.test("unknown entry point → error", () => {
  assert.throws(() => assetsOf(manifest, "missing.ts"), /no chunk of missing\.ts/);
});

Deno.test("extra script → found by its specifier", () => {
  assert.equal(extraAsset(manifest, "worker"), "W.js");
  assert.equal(extraAsset(manifest, "none"), undefined);
});
