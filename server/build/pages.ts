import "./production.ts";
import type { ComponentType } from "react";
import { pathToFileURL } from "node:url";
import type { ManifestPage } from "../manifest.ts";
import { bodyHash } from "../body_hash.ts";
import type { BuiltAsset } from "./collect.ts";
import { finishDocument, pageDataDocument } from "./document.ts";
import type { OutputFile } from "./publish.ts";
import { VENDOR_SPECIFIERS } from "./vendor.ts";
import { type AppProps, type PageProps, type RenderedPage, renderPage } from "./prerender.tsx";
import type { Project } from "./scan.ts";

/** What a rendered page lacks to be served. */
export interface PageParts {
  readonly assets: readonly BuiltAsset[];
  /** Minified. */
  readonly style?: string;
}

/** A page in one variant, as React rendered it. */
export interface RenderedVariant {
  readonly path: string;
  readonly variant: string;
  readonly page: RenderedPage;
}

export interface BuiltPage {
  readonly entry: ManifestPage;
  /** The page and its page data, under their names in the build. */
  readonly files: readonly OutputFile[];
}

/** A page's module does not export what the kernel needs of it. */
export class PageError extends Error {
  override name = "PageError";
}

/** What a page without a list of variants is built as. */
export const DEFAULT_VARIANT = "default";

/** Renders every page in every variant; error pages in all the variants that any page has. */
export async function renderPages(
  { root, project }: { readonly root: string; readonly project: Project },
): Promise<RenderedVariant[]> {
  const islands = new Map<unknown, string>();
  for (const { name, module } of project.islands) {
    islands.set((await load(root, module)).default, name);
  }
  const App = project.app === undefined
    ? undefined
    : component<AppProps>(await load(root, project.app), project.app);
  const pages = await Promise.all(project.pages.map(async ({ path, module }) => {
    const loaded = await load(root, module);
    return {
      path,
      Page: component<PageProps>(loaded, module),
      variants: variantsOf(loaded, module),
    };
  }));
  const all = [...new Set(pages.flatMap(({ variants }) => variants))];
  const errors = [["404", project.notFound], ["500", project.serverError]] as const;
  for (const [path, module] of errors) {
    if (module === undefined) continue;
    pages.push({ path, Page: component(await load(root, module), module), variants: all });
  }
  const rendered: RenderedVariant[] = [];
  for (const { path, Page, variants } of pages) {
    for (const variant of variants) {
      const page = await renderPage({ Page, ...(App && { App }), variant, islands });
      rendered.push({ path, variant, page });
    }
  }
  return rendered;
}

/** The import map of every page: React's specifiers, and the extra scripts. */
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

/**
 * The assets that a page with these islands needs before they answer: React, the entry, the
 * islands, what they share.
 */
export function neededFirst(assets: readonly BuiltAsset[], islands: readonly string[]): string[] {
  const byName = new Map(assets.map((asset) => [asset.name, asset]));
  const needed = new Set<string>();
  const add = (asset: BuiltAsset | undefined) => {
    if (asset === undefined || needed.has(asset.name)) return;
    needed.add(asset.name);
    for (const name of asset.imports) add(byName.get(name));
  };
  add(assets.find(({ kind }) => kind === "vendor"));
  add(assets.find(({ kind }) => kind === "client"));
  for (const island of islands) {
    add(assets.find(({ kind, label }) => kind === "island" && label === island));
  }
  return [...needed];
}

/** Completes a page's head, and makes its page data. */
export function finishPage(
  { path, variant, page }: RenderedVariant,
  { assets, style }: PageParts,
): BuiltPage {
  const needed = neededFirst(assets, page.islands);
  const url = (name: string) => `/assets/${name}`;
  const scripts = assets.filter(({ kind }) => kind === "client" || kind === "reload");
  const { html, scriptHashes, styleHashes } = finishDocument(page.html, page.inlineScripts, {
    ...(style === undefined ? {} : { style }),
    importMap: importMapOf(assets),
    preload: needed.map(url),
    scripts: scripts.map(({ name }) => url(name)),
  });
  const files = [outputFile(html)];
  // What answers errors has no address to navigate to.
  if (page.content !== undefined && path.startsWith("/")) {
    files.push(outputFile(pageDataDocument(html, page.content)));
  }
  const [file = "", data] = files.map(({ path }) => path.slice(FOLDER.length));
  return {
    files,
    entry: {
      path,
      variant,
      file,
      ...(data !== undefined && { data }),
      scripts: scriptHashes,
      styles: styleHashes,
      assets: needed,
    },
  };
}

const FOLDER = "pages/";

function outputFile(html: string): OutputFile {
  return { path: `${FOLDER}${bodyHash(new TextEncoder().encode(html))}.html`, contents: html };
}

type Loaded = Readonly<Record<string, unknown>>;

async function load(root: string, module: string): Promise<Loaded> {
  return await import(pathToFileURL(`${root}/${module}`).href);
}

function component<P>(loaded: Loaded, module: string): ComponentType<P> {
  if (typeof loaded.default !== "function") {
    throw new PageError(`${module} has no default export that is a component.`);
  }
  return loaded.default as ComponentType<P>;
}

function variantsOf(loaded: Loaded, module: string): readonly string[] {
  const { variants = [DEFAULT_VARIANT] } = loaded;
  const valid = Array.isArray(variants) && variants.length > 0 &&
    variants.every((variant) => typeof variant === "string");
  if (!valid) {
    throw new PageError(`${module}: \`variants\` is no list of names such as ["one", "two"].`);
  }
  return variants;
}
