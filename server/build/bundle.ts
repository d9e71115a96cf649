import * as esbuild from "esbuild";
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
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
  /** The browser's entry, relative to the root. */
  readonly client: string;
  readonly dev: boolean;
  readonly browser: BrowserOptions;
  /** Finished scripts that browser code finds through the import map, by specifier. */
  readonly extra: Readonly<Record<string, string>>;
}

/** One file for the browser. */
export interface BuiltAsset {
  readonly name: string;
  readonly contents: Uint8Array<ArrayBuffer>;
  readonly map?: Uint8Array<ArrayBuffer>;
  readonly kind: "vendor" | "client" | "island" | "chunk" | "extra" | "reload";
  readonly label?: string;
  readonly entryPoint?: string;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly sources: Readonly<Record<string, number>>;
}

export interface Bundle {
  readonly assets: readonly BuiltAsset[];
  /** Files that browser code was made of, relative to the root. */
  readonly inputs: readonly string[];
  readonly warnings: readonly esbuild.Message[];
}

/**
 * The first versions with all that the page uses: import maps and `import.meta.resolve` among it.
 */
const TARGET = ["chrome120", "edge120", "firefox121", "safari17.4"];
const RELOAD = fileURLToPath(new URL("../client/reload.ts", import.meta.url));
const ISLAND_MAP = fileURLToPath(new URL("../client/island_map.ts", import.meta.url));
/** React is the one that the kernel itself renders with. */
const KERNEL = fileURLToPath(new URL("..", import.meta.url));
const OUTDIR = ".build/assets";

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
    inputs: [...new Set([...vendor.inputs, ...own.inputs])].sort(),
    warnings: [...vendor.warnings, ...own.warnings],
  };
}

/** Minifies a style sheet. */
export async function minifyStyle(css: string, file: string): Promise<string> {
  const { code } = await esbuild.transform(css, {
    loader: "css",
    minify: true,
    target: TARGET,
    sourcefile: file,
    legalComments: "none",
  });
  return code.trim();
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

const TSCONFIG = { compilerOptions: { jsx: "react-jsx", jsxImportSource: "react" } } as const;

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
  // Names say nothing: a content blocker's rule cannot match them, and their content is what
  // changes them.
  entryNames: "[hash]",
  chunkNames: "[hash]",
  assetNames: "[hash]",
  tsconfigRaw: TSCONFIG,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

const PRODUCTION = { "process.env.NODE_ENV": '"production"' };

async function bundleVendor({ root }: BundleOptions): Promise<Bundle> {
  const result = await esbuild.build({
    ...COMMON,
    absWorkingDir: root,
    stdin: { contents: vendorSource(), resolveDir: KERNEL, sourcefile: "vendor.js", loader: "js" },
    define: PRODUCTION,
  });
  return collect(result, () => ({ kind: "vendor" }));
}

async function bundleOwn(options: BundleOptions): Promise<Bundle> {
  const { root, project, client, dev, browser, extra } = options;
  const result = await esbuild.build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: [client, ...(dev ? [RELOAD] : [])],
    splitting: true,
    external: [...VENDOR_SPECIFIERS, ...Object.keys(extra)],
    define: { ...PRODUCTION, ...browser.define },
    plugins: [islandMap(root, project), ...browser.plugins ?? []],
    ...(browser.alias && { alias: { ...browser.alias } }),
  });
  const islands = new Map(project.islands.map(({ name, module }) => [module, name]));
  return collect(result, (entryPoint) => {
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

type Kind = Pick<BuiltAsset, "kind" | "label">;

function collect(
  result: esbuild.BuildResult<{ metafile: true; write: false }>,
  kindOf: (entryPoint: string | undefined) => Kind,
): Bundle {
  const { metafile, outputFiles, warnings } = result;
  const bytes = new Map(
    outputFiles.map((file) => [fileName(file.path), new Uint8Array(file.contents)]),
  );
  const assets = Object.entries(metafile.outputs).filter(([path]) => !path.endsWith(".map"))
    .map(([path, output]): BuiltAsset => {
      const name = fileName(path);
      const imported = (kind: string) =>
        output.imports.filter((entry) => entry.kind === kind).map((entry) =>
          entry.external ? entry.path : fileName(entry.path)
        ).sort();
      const map = bytes.get(`${name}.map`);
      return {
        name,
        contents: bytes.get(name)!,
        ...(map && { map }),
        ...kindOf(output.entryPoint),
        ...(output.entryPoint && { entryPoint: output.entryPoint }),
        imports: imported("import-statement"),
        dynamicImports: imported("dynamic-import"),
        sources: sourceSizes(output.inputs),
      };
    });
  return { assets, inputs: Object.keys(metafile.inputs), warnings };
}

/** Bytes by package for what comes from packages, by file for the project's own. */
function sourceSizes(inputs: Record<string, { bytesInOutput: number }>): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (
    const [path, { bytesInOutput }] of Object.entries(inputs).sort(([a], [b]) => a < b ? -1 : 1)
  ) {
    if (bytesInOutput === 0) continue;
    const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    const source = inPackage ?? path;
    sizes[source] = (sizes[source] ?? 0) + bytesInOutput;
  }
  return sizes;
}

function extraAsset(label: string, code: string): BuiltAsset {
  const contents = new TextEncoder().encode(code);
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 10).toUpperCase();
  return {
    name: `${hash}.js`,
    contents,
    kind: "extra",
    label,
    imports: [],
    dynamicImports: [],
    sources: {},
  };
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
