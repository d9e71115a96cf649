import "./production.ts";
import * as esbuild from "esbuild";
import { compress, contentHash, isCompressible, mediaType } from "../content.ts";
import {
  type Manifest,
  MANIFEST_VERSION,
  type ManifestAsset,
  type ManifestFile,
} from "../manifest.ts";
import type { BuiltAsset } from "./built_asset.ts";
import { type BrowserOptions, bundleBrowser, bundleStyle, sourcesOf } from "./bundle.ts";
import { BUILT_AT, describeInputs, INPUTS } from "./freshness.ts";
import { finishPage, importMapOf, renderPages } from "./pages.ts";
import { type OutputFile, publish } from "./publish.ts";
import { APP, listFiles, NOT_FOUND, type Project, scanProject, SERVER_ERROR } from "./scan.ts";
import { BuildError } from "./build_error.ts";

export interface BuildOptions {
  /** The project's folder: an absolute path without a slash at the end. */
  readonly root: string;
  /** Output folder. Default: `<root>/.build`. */
  readonly out?: string;
  /** The browser's entry, relative to the root. */
  readonly client: string;
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

/**
 * Builds a project into `out`. A failed build does not change the last one.
 *
 * @throws {esbuild.BuildFailure} an error in a source, with file and line
 */
export async function build(options: BuildOptions): Promise<BuildReport> {
  const startedAt = new Date();
  const { root, client, dev = false, browser = {}, extra = {}, files = {}, builders = [] } =
    options;
  const names = listFiles(root);
  const project = scanProject(root, names);
  // First, because esbuild reports syntax errors with file, line and column.
  const [sources, style] = await Promise.all([
    sourcesOf(root, [...modulesOf(project), ...builders]),
    bundleStyle(root),
  ]);
  const rendered = await renderPages({ root, project });
  // Which islands are loaded first decides what the bundles share.
  const first = new Set(rendered.flatMap(({ page }) => page.islands));
  const bundle = await bundleBrowser({ root, project, first, client, dev, browser, extra });
  checkImports(bundle.assets, importMapOf(bundle.assets));
  const pages = rendered.map((page) => finishPage(page, bundle.assets, style.css));
  const [assets, statics] = await Promise.all([
    Promise.all(bundle.assets.map((asset) => encodeAsset(asset, dev))),
    Promise.all(project.statics.map(({ path, file }) => encodeStatic(root, path, file, dev))),
  ]);
  const content: Omit<Manifest, "buildId"> = {
    version: MANIFEST_VERSION,
    dev,
    pages: pages.map(({ entry }) => entry),
    assets: byName(assets),
    statics: byName(statics),
  };
  const manifest: Manifest = {
    ...content,
    buildId: contentHash(new TextEncoder().encode(JSON.stringify(content))),
  };
  const inputs = [
    ...bundle.inputs,
    ...sources,
    ...style.inputs,
    ...names.filter(isContent),
  ].filter(isFile);
  await publish(options.out ?? `${root}/.build`, [
    ...assets.flatMap(({ files }) => files),
    ...statics.flatMap(({ files }) => files),
    ...pages.flatMap(({ files }) => files),
    ...Object.entries(files).map(([path, contents]) => ({ path, contents })),
    { path: INPUTS, contents: describeInputs(root, dev, inputs) },
    {
      path: BUILT_AT,
      contents: `${JSON.stringify(manifest, null, 1)}\n`,
      modifiedAt: startedAt,
    },
  ]);
  return { manifest, warnings: bundle.warnings };
}

/** Modules that the build imports to render pages. */
function modulesOf({ pages, islands }: Project): string[] {
  return [APP, NOT_FOUND, SERVER_ERROR, ...[...pages, ...islands].map(({ module }) => module)];
}

/** Whether a scanned file is part of the build without being imported. */
function isContent(file: string): boolean {
  return file.startsWith("static/");
}

/** False for modules of plugins (`namespace:path`). */
function isFile(input: string): boolean {
  return !/^[a-z-]{2,}:/.test(input);
}

function checkImports(assets: readonly BuiltAsset[], map: Readonly<Record<string, string>>): void {
  const built = new Set(assets.map(({ name }) => name));
  for (const { imports, dynamicImports, sources } of assets) {
    for (const specifier of [...imports, ...dynamicImports]) {
      if (built.has(specifier) || specifier in map) continue;
      throw new BuildError(
        `Browser code imports "${specifier}", which is not in the import map, from one of ${
          Object.keys(sources).join(", ")
        }.`,
      );
    }
  }
}

interface Encoded<T extends ManifestFile> {
  readonly name: string;
  readonly entry: T;
  readonly files: readonly OutputFile[];
}

async function encodeAsset(asset: BuiltAsset, dev: boolean): Promise<Encoded<ManifestAsset>> {
  const { name, contents, map, label, ...role } = asset;
  const { entry, files } = await encode(`assets/${name}`, contents, dev);
  return {
    name,
    entry: { ...entry, ...role, name: label },
    files: map === undefined ? files : [...files, { path: `maps/${name}.map`, contents: map }],
  };
}

async function encodeStatic(
  root: string,
  path: string,
  file: string,
  dev: boolean,
): Promise<Encoded<ManifestFile>> {
  const contents = await Deno.readFile(`${root}/${file}`);
  return { name: path, ...await encode(`static${path}`, contents, dev) };
}

async function encode(path: string, contents: Uint8Array<ArrayBuffer>, dev: boolean) {
  const { br, gzip } = isCompressible(path)
    ? await compress(contents, { brotli: dev ? "fast" : "best" })
    : {};
  const entry: ManifestFile = {
    type: mediaType(path),
    hash: contentHash(contents),
    bytes: contents.length,
    gzip: gzip?.length,
    brotli: br?.length,
  };
  const files: OutputFile[] = [{ path, contents }];
  if (br) files.push({ path: `${path}.br`, contents: br });
  if (gzip) files.push({ path: `${path}.gz`, contents: gzip });
  return { entry, files };
}

function byName<T extends ManifestFile>(encoded: readonly Encoded<T>[]): Record<string, T> {
  const sorted = [...encoded].sort((a, b) => a.name < b.name ? -1 : 1);
  return Object.fromEntries(sorted.map(({ name, entry }) => [name, entry]));
}
