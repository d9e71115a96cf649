import * as esbuild from "esbuild";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bundle, collect, extraAsset, unique } from "./collect.ts";
import { DEBUG_ID_LINE } from "./debug_id.ts";
import { COMMON, OUTDIR, PRODUCTION, TARGET, TSCONFIG } from "./esbuild_options.ts";
import { shareFirstChunk } from "./first_chunk.ts";
import type { Project } from "./scan.ts";
import { VENDOR_SPECIFIERS, vendorSource } from "./vendor.ts";

/** What a project adds to the bundling of its browser code. */
export interface BrowserOptions {
  readonly define?: Readonly<Record<string, string>>;
  readonly plugins?: readonly esbuild.Plugin[];
  readonly alias?: Readonly<Record<string, string>>;
}

export interface BundleOptions {
  readonly root: string;
  readonly project: Project;
  /** Names of the islands that some page's first scripts bring. */
  readonly first: ReadonlySet<string>;
  /** The browser's entry, relative to the root. */
  readonly client: string;
  readonly dev: boolean;
  readonly browser: BrowserOptions;
  /** Finished scripts that browser code finds through the import map, by specifier. */
  readonly extra: Readonly<Record<string, string>>;
}

const RELOAD = fileURLToPath(new URL("../client/reload.ts", import.meta.url));
const ISLAND_MAP = fileURLToPath(new URL("../client/island_map.ts", import.meta.url));
/** React is the one that the kernel itself renders with. */
const KERNEL = fileURLToPath(new URL("..", import.meta.url));

/** A banner, not put there later: so the bundler's source maps count its line, and its names hash it. */
const SCRIPTS = { ...COMMON, banner: { js: DEBUG_ID_LINE } } as const;

/**
 * Everything that the browser may load, in memory. Errors are esbuild's `BuildFailure`, with file
 * and line.
 */
export async function bundleBrowser(options: BundleOptions): Promise<Bundle> {
  const [vendor, own] = await Promise.all([bundleVendor(options), bundleOwn(options)]);
  const extra = Object.entries(options.extra).sort().map(([label, code]) =>
    extraAsset(label, code)
  );
  return {
    assets: [...vendor.assets, ...own.assets, ...extra],
    inputs: unique([...vendor.inputs, ...own.inputs]),
    warnings: [...vendor.warnings, ...own.warnings],
  };
}

/** A style sheet with what it imports put in, minified, and the files that it was made of. */
export async function bundleStyle(
  root: string,
  file: string,
): Promise<{ readonly css: string; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    target: TARGET,
    legalComments: "none",
    logLevel: "silent",
  });
  return { css: outputFiles[0]?.text.trim() ?? "", inputs: Object.keys(metafile.inputs) };
}

/**
 * The sources that the given modules are made of, packages left out: what a page's HTML depends on.
 */
export async function sourcesOf(root: string, entryPoints: readonly string[]): Promise<string[]> {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    packages: "external",
    external: ["npm:*", "node:*", "jsr:*"],
    outdir: OUTDIR,
    tsconfigRaw: TSCONFIG,
    logLevel: "silent",
  });
  return Object.keys(metafile.inputs);
}

async function bundleVendor({ root }: BundleOptions): Promise<Bundle> {
  const result = await esbuild.build({
    ...SCRIPTS,
    absWorkingDir: root,
    stdin: { contents: vendorSource(), resolveDir: KERNEL, sourcefile: "vendor.js", loader: "js" },
    define: PRODUCTION,
  });
  // All of it comes from packages, which the lock stands for.
  return { ...collect(result, () => ({ kind: "vendor" })), inputs: [] };
}

async function bundleOwn(options: BundleOptions): Promise<Bundle> {
  const { root, project, first, client, dev, browser, extra } = options;
  const own = {
    ...SCRIPTS,
    absWorkingDir: root,
    entryPoints: [client, ...(dev ? [RELOAD] : [])],
    splitting: true,
    external: [...VENDOR_SPECIFIERS, ...Object.keys(extra)],
    define: { ...PRODUCTION, ...browser.define },
    plugins: [islandMap(root, project), ...browser.plugins ?? []],
    ...(browser.alias && { alias: { ...browser.alias } }),
  };
  const modules = project.islands.filter(({ name }) => first.has(name)).map(({ module }) => module);
  const plugins = [await shareFirstChunk(own, [client, ...modules]), ...own.plugins];
  const islands = new Map(project.islands.map(({ name, module }) => [module, name]));
  return collect(await esbuild.build({ ...own, plugins }), (entryPoint) => {
    const island = entryPoint && islands.get(entryPoint);
    if (island) return { kind: "island", label: island };
    if (entryPoint === client) return { kind: "client" };
    return { kind: entryPoint && resolve(root, entryPoint) === RELOAD ? "reload" : "chunk" };
  });
}

/**
 * Puts the project's islands into the kernel's map, by paths relative to it, so that builds
 * elsewhere are the same.
 */
function islandMap(root: string, { islands }: Project): esbuild.Plugin {
  return {
    name: "island-map",
    setup(build) {
      build.onLoad({ filter: /[\\/]island_map\.ts$/ }, ({ path }) => {
        if (path !== ISLAND_MAP) return undefined;
        const entries = islands.map(({ name, module }) =>
          `  ${name}: () => import(${JSON.stringify(`island:${module}`)}),`
        );
        return { contents: `export const islands = {\n${entries.join("\n")}\n};`, loader: "ts" };
      });
      build.onResolve({ filter: /^island:/ }, ({ path }) => ({
        path: `${root}/${path.slice("island:".length)}`,
      }));
    },
  };
}
