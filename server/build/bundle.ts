import * as esbuild from "esbuild";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contentHash } from "../content.ts";
import type { AssetRole } from "../manifest.ts";
import { FIRST_LINES, withDebugId } from "./debug_id.ts";

export interface BuiltAsset extends AssetRole {
  readonly file: string;
  readonly contents: Uint8Array<ArrayBuffer>;
  readonly map?: Uint8Array<ArrayBuffer>;
}

/** A project's own options for its browser code. */
export type BrowserOptions = Pick<esbuild.BuildOptions, "alias" | "define" | "plugins">;

interface BundleOptions {
  readonly root: string;
  readonly client: string;
  readonly dev: boolean;
  readonly browser: BrowserOptions;
  readonly extra: Readonly<Record<string, string>>;
}

/** Specifiers of the import map that all browser code shares. */
export const VENDOR_SPECIFIERS = ["react", "react/jsx-runtime", "react-dom", "react-dom/client"];

const RELOAD = fileURLToPath(new URL("../client/reload.ts", import.meta.url));
/** Resolves React as the framework does. */
const FRAMEWORK = fileURLToPath(new URL("..", import.meta.url));

const TSCONFIG = {
  compilerOptions: { jsx: "react-jsx", jsxImportSource: "react" },
} as const;

const COMMON = {
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  // The first versions with `URL.parse`, `Set.symmetricDifference` and all else that the page uses.
  target: ["chrome126", "edge126", "firefox127", "safari18"],
  legalComments: "none",
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

const SCRIPTS = {
  ...COMMON,
  format: "esm",
  platform: "browser",
  sourcemap: "external",
  sourcesContent: true,
  charset: "utf8",
  // Paths in source maps are relative to it.
  outdir: ".build/assets",
  // Names without words: content blockers cannot match them.
  entryNames: "[hash]",
  chunkNames: "[hash]",
  assetNames: "[hash]",
  tsconfigRaw: TSCONFIG,
  // A banner, so that source maps and file names include these lines.
  banner: { js: FIRST_LINES },
} as const satisfies esbuild.BuildOptions;

const PRODUCTION = { "process.env.NODE_ENV": '"production"' };

/** @throws {esbuild.BuildFailure} with file and line */
export async function bundleBrowser(options: BundleOptions) {
  const [vendor, own] = await Promise.all([bundleVendor(options), bundleOwn(options)]);
  const extra = Object.entries(options.extra).sort()
    .map(([name, code]) => textAsset("extra", code, name));
  return { ...own, assets: [...vendor, ...own.assets, ...extra] };
}

/**
 * Bundles and minifies a style sheet, into a cascade layer if one is named. Returns the files that it was made of, too.
 *
 * @throws {Error} it has a syntax error, for which browsers would only leave out rules
 */
export async function bundleStyle(
  root: string,
  entry: string,
  layer?: string,
): Promise<{ readonly css: string; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile, warnings } = await esbuild.build({
    ...COMMON,
    absWorkingDir: root,
    stdin: {
      contents: `@import "./${entry}"${layer === undefined ? "" : ` layer(${layer})`};`,
      loader: "css",
      resolveDir: root,
    },
  });
  const [wrong] = warnings;
  if (wrong) {
    throw new Error(`${wrong.location?.file}:${wrong.location?.line}: ${wrong.text}`);
  }
  const inputs = Object.keys(metafile.inputs).filter((file) => file !== "<stdin>");
  return { css: outputFiles[0]?.text.trim() ?? "", inputs };
}

/** Lists the source files of the given modules, without packages. */
export async function sourcesOf(root: string, entryPoints: readonly string[]): Promise<string[]> {
  const { metafile } = await esbuild.build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    format: "esm",
    platform: "neutral",
    packages: "external",
    external: ["npm:*", "node:*", "jsr:*"],
    outdir: ".build",
    tsconfigRaw: TSCONFIG,
  });
  return Object.keys(metafile.inputs);
}

async function bundleVendor({ root }: BundleOptions): Promise<BuiltAsset[]> {
  const result = await esbuild.build({
    ...SCRIPTS,
    absWorkingDir: root,
    stdin: {
      contents: vendorSource(),
      resolveDir: FRAMEWORK,
      sourcefile: "vendor.js",
      loader: "js",
    },
    define: PRODUCTION,
  });
  // Its inputs are packages, whose versions are in the lock.
  return collect(result, () => "vendor");
}

async function bundleOwn(options: BundleOptions) {
  const { root, client, dev, browser, extra } = options;
  const result = await esbuild.build({
    ...SCRIPTS,
    absWorkingDir: root,
    entryPoints: [client, ...(dev ? [RELOAD] : [])],
    splitting: true,
    // Every module imports the client, so esbuild keeps its code in one file, also parts that other modules use.
    inject: [client],
    // With a top-level `await`, the client and a chunk would wait for each other.
    supported: { "top-level-await": false },
    external: [...VENDOR_SPECIFIERS, ...Object.keys(extra)],
    define: { ...PRODUCTION, ...browser.define },
    ...browser.alias && { alias: browser.alias },
    ...browser.plugins && { plugins: browser.plugins },
  });
  const { metafile: { inputs }, warnings } = result;
  // It would import the injected client, too: esbuild then wraps each module of it in a function.
  const commonJs = Object.keys(inputs).find((path) => inputs[path]?.format === "cjs");
  if (commonJs !== undefined) {
    throw new Error(
      `Browser code imports ${commonJs}, which is CommonJS: set an alias to its ES module.`,
    );
  }
  const assets = collect(result, (entryPoint) => {
    if (entryPoint === client) return "client";
    return resolve(root, entryPoint) === RELOAD ? "reload" : "chunk";
  });
  return { assets, inputs: Object.keys(inputs), warnings };
}

/**
 * Source of the ES module with React for the browser, which is published as CommonJS. All four specifiers share one
 * module: fewer requests, better compression. A name that two of them export is the same value.
 */
function vendorSource(): string {
  const require = createRequire(import.meta.url);
  const lines: string[] = [];
  const seen = new Set<string>();
  for (const [index, specifier] of VENDOR_SPECIFIERS.entries()) {
    const names = Object.keys(require(specifier)).filter((name) => !seen.has(name)).sort();
    for (const name of names) seen.add(name);
    lines.push(`import m${index} from ${JSON.stringify(specifier)};`);
    lines.push(`export const { ${names.join(", ")} } = m${index};`);
  }
  if (seen.has("act")) {
    throw new Error("React was loaded before NODE_ENV was set: import build/production.ts first.");
  }
  const all = VENDOR_SPECIFIERS.map((_, index) => `m${index}`).join(", ");
  lines.push(`export default Object.assign({}, ${all});`);
  return lines.join("\n");
}

/** @param kindOf returns the kind of the output of an entry point or a dynamic import */
function collect(
  { metafile, outputFiles }: esbuild.BuildResult<{ metafile: true; write: false }>,
  kindOf: (entryPoint: string) => AssetRole["kind"],
): BuiltAsset[] {
  const files = new Map(outputFiles.map((file) => [basename(file.path), file.contents]));
  const contentsOf = (file: string) => new Uint8Array(files.get(file)!);
  return Object.entries(metafile.outputs).filter(([path]) => !path.endsWith(".map"))
    .map(([path, { entryPoint, imports, inputs }]): BuiltAsset => {
      const file = basename(path);
      const imported = imports.filter(({ kind }) => kind === "import-statement")
        .map(({ external, path }) => external ? path : basename(path));
      return {
        file,
        ...withDebugId(contentsOf(file), contentsOf(`${file}.map`)),
        kind: entryPoint === undefined ? "chunk" : kindOf(entryPoint),
        entryPoint: entryPoint || undefined,
        imports: [...new Set(imported)].sort(),
        sources: sourceSizes(inputs),
      };
    });
}

/** Bytes by package, and by file for the project's own sources. */
function sourceSizes(inputs: Record<string, { bytesInOutput: number }>): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const path of Object.keys(inputs).sort()) {
    const { bytesInOutput } = inputs[path]!;
    if (bytesInOutput === 0) continue;
    const source = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path;
    sizes[source] = (sizes[source] ?? 0) + bytesInOutput;
  }
  return sizes;
}

/** @param name its specifier in the import map */
export function textAsset(kind: "extra" | "style", text: string, name?: string): BuiltAsset {
  const contents = new TextEncoder().encode(text);
  // Hexadecimal: it contains no word that a content blocker matches.
  const hash = Uint8Array.fromBase64(contentHash(contents), { alphabet: "base64url" }).toHex();
  const file = `${hash.slice(0, 10).toUpperCase()}.${kind === "style" ? "css" : "js"}`;
  return { kind, name, file, contents, imports: [], sources: {} };
}
