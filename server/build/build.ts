import "./production.ts";
import type * as esbuild from "esbuild";
import { assetsOf } from "../assets.ts";
import { compress, contentHash, mediaType } from "../content.ts";
import {
  type AssetRole,
  MANIFEST,
  type Manifest,
  MANIFEST_VERSION,
  type ManifestFile,
} from "../manifest.ts";
import {
  type BrowserOptions,
  type BuiltAsset,
  bundleBrowser,
  bundleStyle,
  sourcesOf,
  styleAsset,
  VENDOR_SPECIFIERS,
} from "./bundle.ts";
import { inputsOf } from "./freshness.ts";
import { finishPage, renderPages } from "./pages.ts";
import { type OutputFile, publish } from "./publish.ts";
import {
  APP,
  LATER_STYLE,
  listFiles,
  NOT_FOUND,
  scanProject,
  SERVER_ERROR,
  STYLE,
} from "./scan.ts";

export interface BuildOptions {
  /** The project's folder: an absolute path without a slash at the end. */
  readonly root: string;
  /** Output folder. Default: `<root>/.build`. */
  readonly out?: string;
  /** The browser's entry, relative to the root. */
  readonly client: string;
  /** Each page is rendered once for each of these, as its prop `variant`. A server serves one. */
  readonly variants: readonly string[];
  /** A development build: compressed fast; pages reload when the server restarts. */
  readonly dev?: boolean;
  readonly browser?: BrowserOptions;
  /** Code of prebuilt scripts, found by `import.meta.resolve(specifier)`. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Further files, which are not served: texts by path, relative to the build's folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Modules that call this, relative to the root: a change of them makes another build. */
  readonly builders?: readonly string[];
}

export interface BuildReport {
  readonly manifest: Manifest;
  readonly warnings: readonly esbuild.Message[];
}

/** Quality of brotli in development builds. */
const FAST = 5;

/**
 * Builds a project into `out`. A failed build does not change the last one.
 *
 * @throws {esbuild.BuildFailure} an error in a source, with file and line
 */
export async function build(options: BuildOptions): Promise<BuildReport> {
  const startedAt = new Date();
  const { root, client, dev = false, browser = {}, extra = {}, files = {} } = options;
  const scanned = listFiles(root);
  const project = scanProject(root, scanned);
  const modules = [...project.pages, ...project.islands].map(({ module }) => module);
  // First, because esbuild reports syntax errors with file, line and column.
  const [sources, style, later] = await Promise.all([
    sourcesOf(root, [APP, NOT_FOUND, SERVER_ERROR, ...modules, ...options.builders ?? []]),
    bundleStyle(root, STYLE),
    scanned.includes(LATER_STYLE) ? bundleStyle(root, LATER_STYLE) : undefined,
  ]);
  const rendered = await renderPages(root, project, options.variants);
  // Which islands are on a page decides what the bundles share.
  const firstIslands = new Set(rendered.flatMap(({ islands }) => islands));
  const bundle = await bundleBrowser({
    root,
    project,
    first: firstIslands,
    client,
    dev,
    browser,
    extra,
  });
  const built = [...bundle.assets, ...later ? [styleAsset(later.css)] : []];
  const importMap = importMapOf(built);
  checkImports(built, importMap);
  const filesOf = (...kinds: AssetRole["kind"][]) =>
    built.filter(({ kind }) => kinds.includes(kind)).map(({ file }) => file);
  const byFile = Object.fromEntries(built.map((asset) => [asset.file, asset]));
  const first = [...filesOf("vendor"), ...assetsOf({ assets: byFile }, client)];
  const scripts = filesOf("client", "reload");
  const head = {
    style: style.css,
    importMap,
    preload: first,
    scripts,
    later: filesOf("style"),
  };
  const pages = rendered.map((page) => finishPage(page, head));

  const output: OutputFile[] = pages.flatMap(({ files }) => files);
  const encode = async (path: string, contents: Uint8Array<ArrayBuffer>): Promise<ManifestFile> => {
    const { br, gzip } = await compress(contents, dev ? FAST : undefined);
    output.push({ path, contents });
    if (br) output.push({ path: `${path}.br`, contents: br });
    if (gzip) output.push({ path: `${path}.gz`, contents: gzip });
    return {
      type: mediaType(path),
      hash: contentHash(contents),
      bytes: contents.length,
      gzip: gzip?.length,
      brotli: br?.length,
    };
  };
  const assets = built.map(async ({ file, contents, map, ...role }) => {
    if (map) output.push({ path: `maps/${file}.map`, contents: map });
    return [file, { ...await encode(`assets/${file}`, contents), ...role }] as const;
  });
  const statics = project.statics.map(async ({ path, file }) =>
    [path, await encode(`static${path}`, await Deno.readFile(`${root}/${file}`))] as const
  );
  const content: Omit<Manifest, "buildId" | "inputs"> = {
    version: MANIFEST_VERSION,
    dev,
    first,
    pages: pages.map(({ entry }) => entry),
    assets: sorted(await Promise.all(assets)),
    statics: sorted(await Promise.all(statics)),
  };
  const buildId = contentHash(JSON.stringify(content));
  const staticFiles = project.statics.map(({ file }) => file);
  const read = [
    ...bundle.inputs,
    ...sources,
    ...style.inputs,
    ...later?.inputs ?? [],
    ...staticFiles,
  ];
  const manifest: Manifest = { ...content, buildId, inputs: inputsOf(read, scanned) };

  for (const [path, contents] of Object.entries(files)) output.push({ path, contents });
  const contents = `${JSON.stringify(manifest, null, 1)}\n`;
  output.push({ path: MANIFEST, contents, modifiedAt: startedAt });
  await publish(options.out ?? `${root}/.build`, output);
  return { manifest, warnings: bundle.warnings };
}

/** The import map of every page: React and the extra scripts. */
function importMapOf(assets: readonly BuiltAsset[]): Record<string, string> {
  return Object.fromEntries(assets.flatMap(({ kind, file, name = "" }) => {
    const specifiers = kind === "vendor" ? VENDOR_SPECIFIERS : kind === "extra" ? [name] : [];
    return specifiers.map((specifier) => [specifier, `/assets/${file}`]);
  }));
}

function checkImports(assets: readonly BuiltAsset[], map: Readonly<Record<string, string>>): void {
  const known = new Set([...Object.keys(map), ...assets.map(({ file }) => file)]);
  for (const { imports, dynamicImports, sources } of assets) {
    const specifier = [...imports, ...dynamicImports].find((specifier) => !known.has(specifier));
    if (specifier === undefined) continue;
    const from = Object.keys(sources).join(", ");
    throw new Error(
      `Browser code imports "${specifier}", which is not in the import map, from one of ${from}.`,
    );
  }
}

function sorted<T>(entries: readonly (readonly [name: string, value: T])[]): Record<string, T> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => a < b ? -1 : 1));
}
