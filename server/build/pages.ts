import "./production.ts";
import type { ComponentType } from "react";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { contentHash } from "../content.ts";
import type { ManifestPage } from "../manifest.ts";
import type { OutputFile } from "./publish.ts";
import { type AppProps, type PageProps, type RenderedPage, renderPage } from "./prerender.tsx";
import { APP, NOT_FOUND, type Project, SERVER_ERROR } from "./scan.ts";

/** Renders every page, error pages included, in each variant. */
export async function renderPages(
  root: string,
  project: Project,
  variants: readonly string[],
): Promise<RenderedPage[]> {
  const load = async <P>(module: string): Promise<ComponentType<P>> => {
    const loaded = await import(pathToFileURL(`${root}/${module}`).href);
    if (typeof loaded.default === "function") return loaded.default;
    throw new Error(`${module} must export a component as default.`);
  };
  const islands = new Map<unknown, string>();
  for (const { name, module } of project.islands) islands.set(await load(module), name);
  const App = await load<AppProps>(APP);
  const errors = [{ path: "404", module: NOT_FOUND }, { path: "500", module: SERVER_ERROR }];
  const rendered: RenderedPage[] = [];
  for (const { path, module } of [...project.pages, ...errors]) {
    const Page = await load<PageProps>(module);
    for (const variant of variants) {
      rendered.push(await renderPage({ path, Page, App, variant, islands }));
    }
  }
  return rendered;
}

/** What the head of every page ends with. */
interface HeadParts {
  /** Minified CSS. */
  readonly style: string;
  readonly importMap: Readonly<Record<string, string>>;
  /** Names of the assets to preload, in the order of use. */
  readonly preload: readonly string[];
  /** Names of module scripts. */
  readonly scripts: readonly string[];
  /** Names of the style sheets at the end of the body, which do not delay the first paint. */
  readonly later: readonly string[];
}

/**
 * Completes the head of a page with style, import map (which must precede modules), preloads and scripts,
 * computes the CSP hashes of all inline parts, and creates the page's partial.
 */
export function finishPage(
  { path, variant, html, content, inlineScripts }: RenderedPage,
  { style, importMap, preload, scripts, later }: HeadParts,
): { readonly entry: ManifestPage; readonly files: readonly OutputFile[] } {
  const at = html.indexOf("</head>");
  if (at === -1) throw new Error("The document has no <head>: render one in routes/_app.tsx.");
  const map = JSON.stringify({ imports: importMap });
  const head = [
    `<style data-static>${style}</style>`,
    `<script type="importmap">${map}</script>`,
    ...preload.map((name) => `<link rel="modulepreload" href="/assets/${name}">`),
    ...scripts.map((name) => `<script type="module" src="/assets/${name}"></script>`),
  ].join("");
  const tail = later.map((name) => `<link rel="stylesheet" href="/assets/${name}">`).join("");
  const files: OutputFile[] = [];
  const add = (contents: string) => {
    const file = `${contentHash(contents)}.html`;
    files.push({ path: `pages/${file}`, contents });
    return file;
  };
  const entry: ManifestPage = {
    path,
    variant,
    file: add(html.slice(0, at) + head + html.slice(at).replace("</body>", `${tail}</body>`)),
    // Error pages have no address to navigate to.
    partial: path.startsWith("/") ? add(partialDocument(html, content)) : undefined,
    scripts: [...inlineScripts, map].map(cspHash),
    styles: [cspHash(style)],
  };
  return { entry, files };
}

/** A script in a page's content would not run after a client navigation. */
const RUNNING_SCRIPT = /<script(?! type="application\/json")/;
/** A partial is used only with JavaScript. Without removal, `noscript` would be shown as content. */
const NOSCRIPT = /<noscript>.*?<\/noscript>/gs;

/** A partial: a small document with only the title and the content of a page. */
function partialDocument(html: string, content: string): string {
  if (RUNNING_SCRIPT.test(content)) {
    throw new Error("A page cannot contain a script: put it into routes/_app.tsx.");
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
