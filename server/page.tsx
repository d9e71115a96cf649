/** What pages and the document around them are made of. The build renders them: the server does not load this. */
import { type ComponentType, createContext, type ReactNode, useContext } from "react";
import { dataSlot } from "./slot.ts";

export { slot } from "./slot.ts";

export interface IslandUse {
  readonly component: ComponentType<object>;
  readonly props: object;
}

/** What the build needs to know of a page, collected while React renders it. */
export interface PageRender {
  island?: IslandUse;
  /** The inline scripts exactly as they are in the page: their hashes go into the CSP. */
  readonly inlineScripts: Set<string>;
}

export const PageRenderContext = createContext<PageRender | undefined>(undefined);

/**
 * The component of a page that is hydrated in the browser, at most one, with JSON values as its props. The build renders it
 * by itself with its own identifier prefix, because React cannot hydrate a part of a larger tree (error 418).
 */
export function Island<P extends object>(
  { of: component, props }: { readonly of: ComponentType<P>; readonly props: P },
): ReactNode {
  useContext(PageRenderContext)!.island = { component: component as ComponentType<object>, props };
  return <div data-island=""></div>;
}

/** A classic script in `routes/_app.tsx`, which runs before all others. Its hash goes into the CSP: it has no slots. */
export function InlineScript({ code }: { readonly code: string }): ReactNode {
  useContext(PageRenderContext)?.inlineScripts.add(code);
  return <script dangerouslySetInnerHTML={{ __html: code }} />;
}

/** The JSON value `slots[id]`, inserted at the start. Scripts find it by the element's id. */
export function PageData({ id }: { readonly id: string }): ReactNode {
  return (
    <script type="application/json" id={id} dangerouslySetInnerHTML={{ __html: dataSlot(id) }} />
  );
}
