import "./production.ts";
import type { ComponentType, ReactNode } from "react";
import { prerender } from "react-dom/static.edge";
import { type PageRender, PageRenderContext } from "../page_render.ts";
import { scriptJson, slot } from "../slot.ts";
import { checkJson } from "./check_json.ts";

/** What a page's component gets. */
export interface PageProps {
  readonly variant: string;
}

export interface AppProps extends PageProps {
  readonly children: ReactNode;
}

export interface RenderOptions {
  readonly Page: ComponentType<PageProps>;
  readonly App?: ComponentType<AppProps>;
  readonly variant: string;
  /** The project's islands: their names by their components. */
  readonly islands: ReadonlyMap<unknown, string>;
}

export interface RenderedPage {
  readonly html: string;
  /**
   * The page's own part of `html`, its element included; without `App` it has none that stands out.
   */
  readonly content?: string;
  /** Exactly as they stand in it. */
  readonly inlineScripts: readonly string[];
  /** Names of the islands that its first scripts bring; the others come once they are displayed. */
  readonly islands: readonly string[];
}

/** An island cannot be prerendered. */
export class IslandError extends Error {
  override name = "IslandError";
}

/**
 * The islands' places in a rendered page: the key has no quotes, and text has none that are not
 * escaped.
 */
const PLACE = /<div data-island="([^"]*)"><\/div>/g;

/** Stands where the page's own content ends: the build cannot tell by the closing tag which one it is. */
const CONTENT_END = '<i data-page-end=""></i>';

/**
 * Renders a page without its islands, then each of them by itself, and stitches them in. Within the
 * App the page's content stands in one element that names its version, `<div data-page="VERSION">`: what
 * a navigation in the browser replaces.
 */
export async function renderPage(options: RenderOptions): Promise<RenderedPage> {
  const { Page, App, variant, islands } = options;
  const page: PageRender = { islands: new Map(), inlineScripts: new Set() };
  const content = <Page variant={variant} />;
  const frame = await render(
    <PageRenderContext value={page}>
      {App === undefined ? content : (
        <App variant={variant}>
          <div data-page={slot("version")}>{content}</div>
          <i data-page-end="" />
        </App>
      )}
    </PageRenderContext>,
    "page-",
  );
  const first = new Set<string>();
  const pieces: string[] = [];
  let count = 0;
  let end = 0;
  for (const match of frame.matchAll(PLACE)) {
    const use = page.islands.get(match[1] ?? "");
    if (use === undefined) continue;
    const name = islands.get(use.component);
    if (name === undefined) {
      const given = use.component.displayName ?? use.component.name;
      throw new IslandError(
        `<Island of={${given}}> is no island: it must be the default export of a file in islands/.`,
      );
    }
    const id = `i${count++}-`;
    checkJson(use.props, `the props of island ${name}`);
    const { component: Component, props, load } = use;
    if (load === "first") first.add(name);
    const inside = await render(<Component {...props} />, id);
    pieces.push(
      frame.slice(end, match.index),
      `<div data-island="${name}" data-island-id="${id}"${
        load === "first" ? "" : ` data-island-load="${load}"`
      }>${inside}</div>`,
    );
    if (Object.keys(props).length > 0) {
      pieces.push(
        `<script type="application/json" data-island-props>${scriptJson(props)}</script>`,
      );
    }
    end = match.index + match[0].length;
  }
  const [before = "", after] = (pieces.join("") + frame.slice(end)).split(CONTENT_END);
  return {
    html: before + (after ?? ""),
    ...(after !== undefined && { content: before.slice(before.indexOf("<div data-page=")) }),
    inlineScripts: [...page.inlineScripts],
    islands: [...first],
  };
}

async function render(node: ReactNode, identifierPrefix: string): Promise<string> {
  // React reports some errors, such as one inside Suspense, to this callback alone: here any error
  // is the build's.
  const errors: unknown[] = [];
  const { prelude } = await prerender(node, {
    identifierPrefix,
    onError: (error) => {
      errors.push(error);
    },
  });
  const html = await new Response(prelude).text();
  if (errors.length > 0) throw errors[0];
  return html;
}
