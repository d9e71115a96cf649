import { type ComponentType, type ReactNode, useContext, useId } from "react";
import { type IslandLoad, type IslandUse, PageRenderContext } from "./page_render.ts";

/**
 * Props of `<Island>`: the component, when the browser gets it (default: `first`), and its own props,
 * which may be left out where all of them are optional.
 */
export type IslandProps<P extends object> =
  & { readonly of: ComponentType<P>; readonly load?: IslandLoad }
  & (Record<never, never> extends P ? { readonly props?: P } : { readonly props: P });

/**
 * A component that is hydrated by itself in the browser. `of` is the default export of a file in
 * `islands/`; `props` must be JSON. On a page this leaves an empty place: the build prerenders the
 * island apart from the page, with an identifier prefix of its own, and stitches it in, since React
 * refuses (error 418) to hydrate a part of a larger tree.
 *
 * Within another island it is just the component.
 */
export function Island<P extends object>(
  { of: Component, props, load = "first" }: IslandProps<P>,
): ReactNode {
  const page = useContext(PageRenderContext);
  const key = useId();
  const given = (props ?? {}) as P;
  if (page === null) return <Component {...given} />;
  // The types of the island's own props end here: from now on they are data that must survive JSON.
  page.islands.set(key, { component: Component, props: given, load } as unknown as IslandUse);
  return <div data-island={key}></div>;
}
