import "./production.ts";
import type { ComponentType, ReactNode } from "react";
import { prerender } from "react-dom/static.edge";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { contentHash } from "../content.ts";
import type { ManifestPage } from "../manifest.ts";
import { type IslandUse, type PageRender, PageRenderContext } from "../page.tsx";
import { scriptJson, slot } from "../slot.ts";
import type { OutputFile } from "./publish.ts";

/** The document around every page, relative to the root. */
export const APP = "routes/_app.tsx";

interface PageProps {
  readonly variant: string;
}

interface RenderOptions extends Pick<ManifestPage, "path" | "variant"> {
  readonly Page: ComponentType<PageProps>;
  readonly App: ComponentType<PageProps & { readonly children: ReactNode }>;
}

export interface RenderedPage extends Pick<ManifestPage, "path" | "variant"> {
  readonly html: string;
  /** The page's content in `html`, including its element. */
  readonly content: string;
  /** Exactly as they are in `html`. */
  readonly inlineScripts: readonly string[];
}

/** What the head of every page ends with. */
interface HeadParts {
  readonly style: string;
  readonly importMap: Readonly<Record<string, string>>;
  /** Names of the assets to preload, in the order of use. */
  readonly preload: readonly string[];
  readonly scripts: readonly string[];
  /** Names of the style sheets at the end of the body, which do not delay the first paint. */
  readonly later: readonly string[];
}

/** Placeholder of the island. Cannot occur in text, where React escapes quotes. */
const PLACEHOLDER = '<div data-island=""></div>';
/** Prefix of the identifiers in the island, for the browser, which hydrates it by itself. */
const ISLAND_PREFIX = "i-";

/** Marks the end of the page's content, whose closing tag cannot be recognised. */
const CONTENT_END = '<i data-page-end=""></i>';

export async function renderPages(
  root: string,
  pages: Readonly<Record<string, string>>,
  variants: readonly string[],
): Promise<RenderedPage[]> {
  const load = async (module: string) =>
    (await import(pathToFileURL(`${root}/${module}`).href)).default;
  const App = await load(APP);
  const rendered: RenderedPage[] = [];
  for (const [path, module] of Object.entries(pages)) {
    const Page = await load(module);
    for (const variant of variants) {
      rendered.push(await renderPage({ path, Page, App, variant }));
    }
  }
  return rendered;
}

/** Renders page, then island, and inserts that. A client navigation replaces the `<div data-page="VERSION">`. */
export async function renderPage(
  { path, Page, App, variant }: RenderOptions,
): Promise<RenderedPage> {
  const page: PageRender = { inlineScripts: new Set() };
  const frame = await render(
    <PageRenderContext value={page}>
      <App variant={variant}>
        <div data-page={slot("version")}>
          <Page variant={variant} />
        </div>
        <i data-page-end="" />
      </App>
    </PageRenderContext>,
    "page-",
  );
  const island = page.island === undefined ? "" : await renderIsland(page.island);
  const [before = "", after = ""] = frame.replace(PLACEHOLDER, () => island).split(CONTENT_END);
  return {
    path,
    variant,
    html: before + after,
    content: before.slice(before.indexOf("<div data-page=")),
    inlineScripts: [...page.inlineScripts],
  };
}

async function renderIsland({ component: Component, props }: IslandUse): Promise<string> {
  const markup = await render(<Component {...props} />, ISLAND_PREFIX);
  return `<div data-island="${ISLAND_PREFIX}">${markup}</div>` +
    `<script type="application/json" data-island-props>${scriptJson(props)}</script>`;
}

async function render(node: ReactNode, identifierPrefix: string): Promise<string> {
  // React reports some errors, such as those inside Suspense, only to this callback.
  const errors: unknown[] = [];
  const { prelude } = await prerender(node, {
    identifierPrefix,
    onError: (error) => void errors.push(error),
  });
  const html = await new Response(prelude).text();
  if (errors.length > 0) throw errors[0];
  return html;
}

/** Completes the head of a page (the import map must precede modules), and creates the page's partial. */
export function finishPage(
  { path, variant, html, content, inlineScripts }: RenderedPage,
  { style, importMap, preload, scripts, later }: HeadParts,
): { readonly entry: ManifestPage; readonly files: readonly OutputFile[] } {
  const at = html.indexOf("</head>");
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

/** A partial is used only with JavaScript. Without removal, `noscript` would be shown as content. */
const NOSCRIPT = /<noscript>.*?<\/noscript>/gs;

/** A small document with only the title and the content of a page. */
function partialDocument(html: string, content: string): string {
  const root = /<html[^>]*>/.exec(html)?.[0] ?? "<html>";
  const title = /<title>[^<]*<\/title>/.exec(html)?.[0] ?? "";
  return `<!DOCTYPE html>${root}<head><meta charset="utf-8"/>${title}</head><body>${
    content.replaceAll(NOSCRIPT, "")
  }</body></html>`;
}

function cspHash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
