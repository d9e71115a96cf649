import "./production.ts";
import type { ComponentType, ReactNode } from "react";
import { prerender } from "react-dom/static.edge";
import { type PageRender, PageRenderContext } from "../page.tsx";
import { scriptJson, slot } from "../slot.ts";

/** Props of a page. */
export interface PageProps {
  readonly variant: string;
}

export interface AppProps extends PageProps {
  readonly children: ReactNode;
}

interface RenderOptions {
  /** The page's path; the status of an error page. */
  readonly path: string;
  readonly Page: ComponentType<PageProps>;
  readonly App: ComponentType<AppProps>;
  readonly variant: string;
  /** Names of the project's islands, by component. */
  readonly islands: ReadonlyMap<unknown, string>;
}

export interface RenderedPage extends Pick<RenderOptions, "path" | "variant"> {
  readonly html: string;
  /** The page's content in `html`, including its element. */
  readonly content: string;
  /** Exactly as they are in `html`. */
  readonly inlineScripts: readonly string[];
  /** Names of the islands on the page. */
  readonly islands: readonly string[];
}

/** Placeholder of an island. Cannot occur in text, where React escapes quotes. */
const PLACEHOLDER = /<div data-island="([^"]*)"><\/div>/g;

/** Marks the end of the page's content, whose closing tag cannot be recognised. */
const CONTENT_END = '<i data-page-end=""></i>';

/**
 * Renders a page without its islands, then renders each island separately and inserts it. Inside the App
 * the content is in `<div data-page="VERSION">`, which a client navigation replaces.
 *
 * @throws {Error} an island or its props are invalid; and what a component throws
 */
export async function renderPage(options: RenderOptions): Promise<RenderedPage> {
  const { path, Page, App, variant, islands } = options;
  const page: PageRender = { islands: new Map(), inlineScripts: new Set() };
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
  const used = new Set<string>();
  const parts: string[] = [];
  let count = 0;
  let end = 0;
  for (const match of frame.matchAll(PLACEHOLDER)) {
    const use = page.islands.get(match[1] ?? "");
    if (use === undefined) continue;
    const name = islands.get(use.component);
    if (name === undefined) {
      const given = use.component.displayName ?? use.component.name;
      throw new Error(
        `<Island of={${given}}> is not an island: it must be the default export of a file in islands/.`,
      );
    }
    const id = `i${count++}-`;
    checkJson(use.props, name);
    const { component: Component, props } = use;
    used.add(name);
    const markup = await render(<Component {...props} />, id);
    parts.push(
      frame.slice(end, match.index),
      `<div data-island="${name}" data-island-id="${id}">${markup}</div>`,
    );
    if (Object.keys(props).length > 0) {
      parts.push(
        `<script type="application/json" data-island-props>${scriptJson(props)}</script>`,
      );
    }
    end = match.index + match[0].length;
  }
  const [before = "", after = ""] = (parts.join("") + frame.slice(end)).split(CONTENT_END);
  return {
    path,
    variant,
    html: before + after,
    content: before.slice(before.indexOf("<div data-page=")),
    inlineScripts: [...page.inlineScripts],
    islands: [...used],
  };
}

async function render(node: ReactNode, identifierPrefix: string): Promise<string> {
  // React reports some errors, such as those inside Suspense, only to this callback.
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

/**
 * Checks that the props of an island survive JSON: the browser must hydrate with the same props as the
 * build. An undefined property is omitted, which makes no difference.
 *
 * @throws {Error} names the property
 */
export function checkJson(props: object, island: string): void {
  JSON.stringify(props, function (this: Record<string, unknown>, key) {
    // Not the second argument: a `Date` is a string there.
    const value = this[key];
    const isJson = value === null || ["string", "boolean", "undefined"].includes(typeof value) ||
      Number.isFinite(value) || Array.isArray(value) ||
      (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype);
    if (isJson && !(value === undefined && Array.isArray(this))) return value;
    throw new Error(
      `Cannot send the property "${key}" of island ${island} to the browser: it is not a JSON value.`,
    );
  });
}
