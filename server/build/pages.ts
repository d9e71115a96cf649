import "./production.ts";
import type { ComponentType } from "react";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { ManifestPage } from "../manifest.ts";
import { contentHash } from "../content.ts";
import type { BuiltAsset } from "./built_asset.ts";
import type { OutputFile } from "./publish.ts";
import { VENDOR_SPECIFIERS } from "./bundle.ts";
import { type AppProps, type PageProps, type RenderedPage, renderPage } from "./prerender.tsx";
import { APP, NOT_FOUND, type Project, SERVER_ERROR } from "./scan.ts";
import { BuildError } from "./build_error.ts";

/** One variant of a page, rendered by React. */
interface RenderedVariant {
  readonly path: string;
  readonly variant: string;
  readonly page: RenderedPage;
}

interface BuiltPage {
  readonly entry: ManifestPage;
  /** The page and its partial. */
  readonly files: readonly OutputFile[];
}

/** The variant of pages that do not export `variants`. */
const DEFAULT_VARIANT = "default";

/** Renders every page in each of its variants, and error pages in all variants. */
export async function renderPages(
  { root, project }: { readonly root: string; readonly project: Project },
): Promise<RenderedVariant[]> {
  const islands = new Map<unknown, string>();
  for (const { name, module } of project.islands) {
    islands.set((await load(root, module)).default, name);
  }
  const App = component<AppProps>(await load(root, APP), APP);
  const pages = await Promise.all(project.pages.map(async ({ path, module }) => {
    const loaded = await load(root, module);
    return {
      path,
      Page: component<PageProps>(loaded, module),
      variants: variantsOf(loaded, module),
    };
  }));
  const all = [...new Set(pages.flatMap(({ variants }) => variants))];
  for (const [path, module] of [["404", NOT_FOUND], ["500", SERVER_ERROR]] as const) {
    pages.push({ path, Page: component(await load(root, module), module), variants: all });
  }
  const rendered: RenderedVariant[] = [];
  for (const { path, Page, variants } of pages) {
    for (const variant of variants) {
      const page = await renderPage({ Page, App, variant, islands });
      rendered.push({ path, variant, page });
    }
  }
  return rendered;
}

/** The import map of every page: React and the extra scripts. */
export function importMapOf(assets: readonly BuiltAsset[]): Record<string, string> {
  const map: Record<string, string> = {};
  for (const { kind, name, label } of assets) {
    if (kind === "vendor") {
      for (const specifier of VENDOR_SPECIFIERS) map[specifier] = `/assets/${name}`;
    }
    if (kind === "extra" && label !== undefined) map[label] = `/assets/${name}`;
  }
  return map;
}

/** Assets that must be loaded before islands can be hydrated: React, and the client with their code. */
function neededFirst(assets: readonly BuiltAsset[]): string[] {
  const byName = new Map(assets.map((asset) => [asset.name, asset]));
  const needed = new Set<string>();
  const add = (asset: BuiltAsset | undefined) => {
    if (asset === undefined || needed.has(asset.name)) return;
    needed.add(asset.name);
    for (const name of asset.imports) add(byName.get(name));
  };
  add(assets.find(({ kind }) => kind === "vendor"));
  add(assets.find(({ kind }) => kind === "client"));
  return [...needed];
}

/**
 * Completes a page's head, and creates its partial.
 *
 * @param style minified CSS
 */
export function finishPage(
  { path, variant, page }: RenderedVariant,
  assets: readonly BuiltAsset[],
  style: string,
): BuiltPage {
  const needed = neededFirst(assets);
  const url = (name: string) => `/assets/${name}`;
  const scripts = assets.filter(({ kind }) => kind === "client" || kind === "reload");
  const { html, scriptHashes, styleHashes } = finishDocument(page.html, page.inlineScripts, {
    style,
    importMap: importMapOf(assets),
    preload: needed.map(url),
    scripts: scripts.map(({ name }) => url(name)),
  });
  const files = [outputFile(html)];
  // Error pages have no address to navigate to.
  if (path.startsWith("/")) files.push(outputFile(partialDocument(html, page.content)));
  const [file = "", partial] = files.map(({ path }) => path.slice(FOLDER.length));
  return {
    files,
    entry: {
      path,
      variant,
      file,
      partial,
      scripts: scriptHashes,
      styles: styleHashes,
      assets: needed,
    },
  };
}

const FOLDER = "pages/";

function outputFile(html: string): OutputFile {
  return { path: `${FOLDER}${contentHash(new TextEncoder().encode(html))}.html`, contents: html };
}

type Loaded = Readonly<Record<string, unknown>>;

async function load(root: string, module: string): Promise<Loaded> {
  return await import(pathToFileURL(`${root}/${module}`).href);
}

function component<P>(loaded: Loaded, module: string): ComponentType<P> {
  if (typeof loaded.default !== "function") {
    throw new BuildError(`${module} must export a component as default.`);
  }
  return loaded.default as ComponentType<P>;
}

function variantsOf(loaded: Loaded, module: string): readonly string[] {
  const { variants = [DEFAULT_VARIANT] } = loaded;
  const valid = Array.isArray(variants) && variants.length > 0 &&
    variants.every((variant) => typeof variant === "string");
  if (!valid) {
    throw new BuildError(`${module}: \`variants\` must be a list of names such as ["one", "two"].`);
  }
  return variants;
}

/** Additions to the head of a page. */
interface HeadParts {
  readonly style: string;
  readonly importMap: Readonly<Record<string, string>>;
  /** Assets to preload, in the order of use. */
  readonly preload: readonly string[];
  /** Module scripts. */
  readonly scripts: readonly string[];
}

interface FinishedDocument {
  readonly html: string;
  readonly scriptHashes: readonly string[];
  readonly styleHashes: readonly string[];
}

/**
 * Adds style, import map (which must precede modules), preloads and scripts to the end of the head, and
 * computes the CSP hashes of all inline parts.
 */
export function finishDocument(
  html: string,
  inlineScripts: readonly string[],
  parts: HeadParts,
): FinishedDocument {
  const at = html.indexOf("</head>");
  if (at === -1) {
    throw new BuildError("The document has no <head>: render one in routes/_app.tsx.");
  }
  if (/<\/style/i.test(parts.style)) {
    throw new BuildError("The style sheet cannot contain `</style`: it would end there.");
  }
  const importMap = JSON.stringify({ imports: parts.importMap });
  const head = [
    `<style data-static>${parts.style}</style>`,
    `<script type="importmap">${importMap}</script>`,
    ...parts.preload.map((path) => `<link rel="modulepreload" href="${path}">`),
    ...parts.scripts.map((path) => `<script type="module" src="${path}"></script>`),
  ].join("");
  return {
    html: html.slice(0, at) + head + html.slice(at),
    scriptHashes: [...inlineScripts, importMap].map(cspHash),
    styleHashes: [cspHash(parts.style)],
  };
}

/** A script in a page's content would not run after a client navigation. */
const RUNNING_SCRIPT = /<script(?! type="application\/json")/;
/** A partial is used only with JavaScript. Without removal, `noscript` would be shown as content. */
const NOSCRIPT = /<noscript>.*?<\/noscript>/gs;

/** A partial: a small document with only the title and the content of a page. */
function partialDocument(html: string, content: string): string {
  if (RUNNING_SCRIPT.test(content)) {
    throw new BuildError(
      "A page cannot contain a script: put it into routes/_app.tsx.",
    );
  }
  const root = /<html[^>]*>/.exec(html)?.[0] ?? "<html>";
  const title = /<title>[^<]*<\/title>/.exec(html)?.[0] ?? "";
  return `<!DOCTYPE html>${root}<head><meta charset="utf-8"/>${title}</head><body>${
    content.replaceAll(NOSCRIPT, "")
  }</body></html>`;
}

function cspHash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
