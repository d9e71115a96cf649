import { type ComponentType, createContext } from "react";

/** One island as a page asks for it. */
export interface IslandUse {
  readonly component: ComponentType<Record<string, unknown>>;
  readonly props: Record<string, unknown>;
  readonly load: IslandLoad;
}

/**
 * When the browser gets an island: `first`, with the page's first scripts; or `visible`, once its
 * place is displayed, so that what is hidden costs nothing.
 */
export type IslandLoad = "first" | "visible";

/** What one prerendered page asks of the build, gathered while React renders it. */
export interface PageRender {
  /** By the placeholder's key; a component that React renders twice has the same key. */
  readonly islands: Map<string, IslandUse>;
  /** The inline scripts, exactly as they stand in the page: their hashes go into the CSP. */
  readonly inlineScripts: Set<string>;
}

/** Null inside an island and in the browser. */
export const PageRenderContext: React.Context<PageRender | null> = createContext<PageRender | null>(
  null,
);
