import * as esbuild from "esbuild";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bundle, collect, extraAsset, unique } from "./built_asset.ts";
import { FIRST_LINES } from "./debug_id.ts";
import { BuildError } from "./build_error.ts";
import { type Project, STYLE } from "./scan.ts";

/** Output folder for esbuild: paths in source maps are relative to it. */
const OUTDIR = ".build/assets";

/** The first versions with import maps, `import.meta.resolve` and all else that the page uses. */
const TARGET = ["chrome120", "edge120", "firefox121", "safari17.4"];

const TSCONFIG = {
  compilerOptions: { jsx: "react-jsx", jsxImportSource: "react" },
} as const;

/** Options for all browser code. */
const COMMON = {
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
  // Names without words: content blockers cannot match them.
  entryNames: "[hash]",
  chunkNames: "[hash]",
  assetNames: "[hash]",
  tsconfigRaw: TSCONFIG,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

/** Selects the production build of React. */
const PRODUCTION = { "process.env.NODE_ENV": '"production"' };

/** Specifiers of the import map that all browser code shares. */
export const VENDOR_SPECIFIERS = ["react", "react/jsx-runtime", "react-dom", "react-dom/client"];

/** A project's own options for its browser code. */
export interface BrowserOptions {
  readonly define?: Readonly<Record<string, string>>;
  readonly plugins?: readonly esbuild.Plugin[];
  readonly alias?: Readonly<Record<string, string>>;
}

interface BundleOptions {
  readonly root: string;
  readonly project: Project;
  /** Names of the islands that some page loads with `load="first"`. */
  readonly first: ReadonlySet<string>;
  /** The browser's entry, relative to the root. */
  readonly client: string;
  readonly dev: boolean;
  readonly browser: BrowserOptions;
  /** Code of prebuilt scripts, by their specifier in the import map. */
  readonly extra: Readonly<Record<string, string>>;
}

const RELOAD = fileURLToPath(new URL("../client/reload.ts", import.meta.url));
const ISLAND_MAP = fileURLToPath(new URL("../client/island_map.ts", import.meta.url));
/** Resolves React as the framework does. */
const FRAMEWORK = fileURLToPath(new URL("..", import.meta.url));

/** A banner, so that source maps and file names include these lines. */
const SCRIPTS = { ...COMMON, banner: { js: FIRST_LINES } } as const;

/**
 * Bundles all scripts of the browser, in memory.
 *
 * @throws {esbuild.BuildFailure} with file and line
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

/** Bundles and minifies the style sheet. Returns it with the files that it was made of. */
export async function bundleStyle(
  root: string,
): Promise<{ readonly css: string; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [STYLE],
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

/** Lists the source files of the given modules, without packages. */
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
    stdin: {
      contents: vendorSource(),
      resolveDir: FRAMEWORK,
      sourcefile: "vendor.js",
      loader: "js",
    },
    define: PRODUCTION,
  });
  // All inputs are packages, whose versions are in the lock.
  return { ...collect(result, () => ({ kind: "vendor" })), inputs: [] };
}

async function bundleOwn(options: BundleOptions): Promise<Bundle> {
  const { root, project, client, dev, browser, extra } = options;
  const result = await esbuild.build({
    ...SCRIPTS,
    absWorkingDir: root,
    entryPoints: [client, ...(dev ? [RELOAD] : [])],
    splitting: true,
    // Imported by every module: all that the client is made of is then one file, whatever else uses a part of it.
    inject: [client],
    // The client would wait for a chunk, and the chunk for the client.
    supported: { "top-level-await": false },
    external: [...VENDOR_SPECIFIERS, ...Object.keys(extra)],
    define: { ...PRODUCTION, ...browser.define },
    plugins: [islandMap(options), ...browser.plugins ?? []],
    ...(browser.alias && { alias: { ...browser.alias } }),
  });
  checkFormats(result.metafile);
  const islands = new Map(project.islands.map(({ name, module }) => [module, name]));
  return collect(result, (entryPoint) => {
    if (entryPoint === undefined) return { kind: "chunk" };
    if (entryPoint === client) return { kind: "client", entryPoint };
    const label = islands.get(entryPoint);
    if (label !== undefined) return { kind: "island", label, entryPoint };
    return { kind: resolve(root, entryPoint) === RELOAD ? "reload" : "chunk", entryPoint };
  });
}

/** A CommonJS module would import the injected client, too: esbuild then wraps each module of it in a function. */
function checkFormats({ inputs }: esbuild.Metafile): void {
  const found = Object.keys(inputs).find((path) => inputs[path]?.format === "cjs");
  if (found === undefined) return;
  throw new BuildError(
    `Browser code imports ${found}, which is CommonJS: set an alias to its ES module.`,
  );
}

/**
 * Fills the framework's island map. The islands that a page loads first are part of the client's script. Paths
 * are relative, so that the build is the same in any folder.
 */
function islandMap({ root, project, first }: BundleOptions): esbuild.Plugin {
  return {
    name: "island-map",
    setup(build) {
      build.onLoad({ filter: /[\\/]island_map\.ts$/ }, ({ path }) => {
        if (path !== ISLAND_MAP) return undefined;
        const imports: string[] = [];
        const entries = project.islands.map(({ name, module }) => {
          const specifier = JSON.stringify(`island:${module}`);
          if (!first.has(name)) return `  ${name}: () => import(${specifier}),`;
          imports.push(`import ${name} from ${specifier};`);
          return `  ${name}: async () => ({ default: ${name} }),`;
        });
        const contents = [...imports, "export const islands = {", ...entries, "};"].join("\n");
        return { contents, loader: "ts" };
      });
      build.onResolve({ filter: /^island:/ }, ({ path }) => ({
        path: `${root}/${path.slice("island:".length)}`,
      }));
    },
  };
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * Source of the ES module with React for the browser. React is published as CommonJS, so its export names
 * are listed here. All four specifiers share one module: fewer requests, better compression. Names that
 * two of them export must be the same value.
 */
function vendorSource(): string {
  const require = createRequire(import.meta.url);
  const lines: string[] = [];
  const seen = new Map<string, unknown>();
  for (const [index, specifier] of VENDOR_SPECIFIERS.entries()) {
    const exported: Record<string, unknown> = require(specifier);
    const names: string[] = [];
    for (const name of Object.keys(exported).filter((key) => IDENTIFIER.test(key)).sort()) {
      if (!seen.has(name)) names.push(name);
      else if (seen.get(name) !== exported[name]) {
        throw new Error(
          `Cannot share one module: ${specifier} exports a different \`${name}\`.`,
        );
      }
      seen.set(name, exported[name]);
    }
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
