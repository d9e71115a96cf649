import "./production.ts";
import { existsSync, readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
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
  textAsset,
  VENDOR_SPECIFIERS,
} from "./bundle.ts";
import { inputsOf } from "./freshness.ts";
import { APP, finishPage, renderPages } from "./pages.tsx";
import { type OutputFile, publish } from "./publish.ts";

const STATIC = "static";
/** The style sheet that is inlined into every page. */
const STYLE = `${STATIC}/page.css`;
/** The style sheet that every page loads after its first paint. Optional. */
const LATER_STYLE = `${STATIC}/later.css`;
/**
 * The folder of style sheets that scripts load, as `import.meta.resolve("NAME.css")`. They are in a layer. Those whose
 * name begins with `_` are parts of others.
 */
const VIEWS = "islands";
const VIEWS_LAYER = "views";

export interface BuildOptions {
  /** The project's folder: an absolute path without a slash at the end. */
  readonly root: string;
  /** Output folder. Default: `<root>/.build`. */
  readonly out?: string;
  /** Modules of the pages, relative to the root, by path; of the error pages by status. */
  readonly pages: Readonly<Record<string, string>>;
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

export type BuildReport = Awaited<ReturnType<typeof build>>;

/** Quality of brotli in development builds. */
const FAST = 5;

/** Builds a project into `out`. A failed build does not change the last one. @throws {esbuild.BuildFailure} */
export async function build(options: BuildOptions) {
  const startedAt = new Date();
  const { root, client, dev = false, browser = {}, extra = {}, files = {} } = options;
  const allStatics = listFiles(root, STATIC);
  // First, because esbuild reports syntax errors with file, line and column.
  const viewStyles = listFiles(root, VIEWS).filter((file) => /\/[^_/][^/]*\.css$/.test(file));
  const later = allStatics.filter((file) => file === LATER_STYLE);
  const [sources, style, ...sheets] = await Promise.all([
    sourcesOf(root, [APP, ...Object.values(options.pages), ...options.builders ?? []]),
    bundleStyle(root, STYLE),
    ...later.map((file) => bundleStyle(root, file)),
    ...viewStyles.map((file) => bundleStyle(root, file, VIEWS_LAYER)),
  ]);
  const rendered = await renderPages(root, options.pages, options.variants);
  const bundle = await bundleBrowser({ root, client, dev, browser, extra });
  const names = [...later.map(() => undefined), ...viewStyles.map((file) => basename(file))];
  const styles = sheets.map(({ css }, index) => textAsset("style", css, names[index]));
  const built = [...bundle.assets, ...styles];
  const filesOf = (...kinds: AssetRole["kind"][]) =>
    built.filter(({ kind }) => kinds.includes(kind)).map(({ file }) => file);
  const byFile = Object.fromEntries(built.map((asset) => [asset.file, asset]));
  const first = [...filesOf("vendor"), ...assetsOf({ assets: byFile }, client)];
  const head = {
    style: style.css,
    importMap: importMapOf(built),
    preload: first,
    scripts: filesOf("client", "reload"),
    later: styles.filter(({ name }) => name === undefined).map(({ file }) => file),
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
  const staticFiles = allStatics.filter((file) => file !== STYLE && file !== LATER_STYLE);
  const statics = staticFiles.map(async (file) => {
    const path = encodeURI(file.slice(STATIC.length));
    return [path, await encode(`static${path}`, await Deno.readFile(`${root}/${file}`))] as const;
  });
  const content: Omit<Manifest, "buildId" | "inputs"> = {
    version: MANIFEST_VERSION,
    dev,
    first,
    pages: pages.map(({ entry }) => entry),
    assets: sorted(await Promise.all(assets)),
    statics: sorted(await Promise.all(statics)),
  };
  const buildId = contentHash(JSON.stringify(content));
  const read = [
    ...bundle.inputs,
    ...sources,
    ...style.inputs,
    ...sheets.flatMap(({ inputs }) => inputs),
    ...staticFiles,
  ];
  const manifest: Manifest = {
    ...content,
    buildId,
    inputs: inputsOf(read, [...allStatics, ...viewStyles]),
  };

  for (const [path, contents] of Object.entries(files)) output.push({ path, contents });
  const contents = `${JSON.stringify(manifest, null, 1)}\n`;
  output.push({ path: MANIFEST, contents, modifiedAt: startedAt });
  await publish(options.out ?? `${root}/.build`, output);
  return { manifest, warnings: bundle.warnings };
}

function listFiles(root: string, folder: string): string[] {
  if (!existsSync(`${root}/${folder}`)) return [];
  return readdirSync(`${root}/${folder}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll("\\", "/"))
    .sort();
}

function importMapOf(assets: readonly BuiltAsset[]): Record<string, string> {
  return Object.fromEntries(assets.flatMap(({ kind, file, name }) => {
    const specifiers = kind === "vendor" ? VENDOR_SPECIFIERS : name === undefined ? [] : [name];
    return specifiers.map((specifier) => [specifier, `/assets/${file}`]);
  }));
}

function sorted<T>(entries: readonly (readonly [name: string, value: T])[]): Record<string, T> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => a < b ? -1 : 1));
}
