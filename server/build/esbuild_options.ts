import type * as esbuild from "esbuild";

/** Where esbuild believes it writes to; paths in source maps are relative to it. */
export const OUTDIR = ".build/assets";

/**
 * The first versions with all that the page uses: import maps and `import.meta.resolve` among it.
 */
export const TARGET = ["chrome120", "edge120", "firefox121", "safari17.4"];

export const TSCONFIG = {
  compilerOptions: { jsx: "react-jsx", jsxImportSource: "react" },
} as const;

/** What all browser code is built with. */
export const COMMON = {
  bundle: true,
  write: false,
  metafile: true,
  format: "esm",
  platform: "browser",
  target: TARGET,
  minify: true,
  sourcemap: "external",
  sourcesContent: true,
  legalComments: "none",
  charset: "utf8",
  outdir: OUTDIR,
  // Names say nothing: a content blocker's rule cannot match them, and their content is what
  // changes them.
  entryNames: "[hash]",
  chunkNames: "[hash]",
  assetNames: "[hash]",
  tsconfigRaw: TSCONFIG,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

/** React and others choose their build by it. */
export const PRODUCTION = { "process.env.NODE_ENV": '"production"' };
