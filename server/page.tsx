/**
 * What pages and the document around them are made of. They are rendered when the project is built, so
 * the server does not load this module.
 */
import { type ComponentType, createContext, type ReactNode, useContext, useId } from "react";
import { dataSlot, hasSlot } from "./slot.ts";

export { slot } from "./slot.ts";

/** One use of an island on a page. */
interface IslandUse {
  readonly component: ComponentType<Record<string, unknown>>;
  readonly props: Record<string, unknown>;
}

/** What the build needs to know of a page, collected while React renders it. */
export interface PageRender {
  /** By the key of the placeholder. A component that React renders twice has the same key. */
  readonly islands: Map<string, IslandUse>;
  /** The inline scripts exactly as they are in the page: their hashes go into the CSP. */
  readonly inlineScripts: Set<string>;
}

/** Null inside an island, and in the browser. */
export const PageRenderContext: React.Context<PageRender | null> = createContext<PageRender | null>(
  null,
);

/** Props of `<Island>`. Its own `props` may be omitted if all of them are optional. */
type IslandProps<P extends object> =
  & { readonly of: ComponentType<P> }
  & (Record<never, never> extends P ? { readonly props?: P } : { readonly props: P });

/**
 * A component that is hydrated separately in the browser. On a page it renders a placeholder: the build
 * prerenders the island with its own identifier prefix and inserts it, because React cannot hydrate a
 * part of a larger tree (error 418). Inside another island it renders the component.
 *
 * @param props.of default export of a file in `islands/`
 * @param props.props JSON values
 */
export function Island<P extends object>(
  { of: Component, props }: IslandProps<P>,
): ReactNode {
  const page = useContext(PageRenderContext);
  const key = useId();
  const given = (props ?? {}) as P;
  if (page === null) return <Component {...given} />;
  // From here on the props are untyped JSON.
  page.islands.set(key, { component: Component, props: given } as unknown as IslandUse);
  return <div data-island={key}></div>;
}

/**
 * A classic inline script, which runs before all others. Its hash goes into the CSP, so it cannot contain
 * slots. Use it in `routes/_app.tsx` only: in a page it would not run after a client navigation, so the
 * build refuses it there.
 */
export function InlineScript({ code }: { readonly code: string }): ReactNode {
  // The build computes its hash, and a parser would end it there.
  if (hasSlot(code) || /<\/script|<!--/i.test(code)) {
    throw new TypeError("An inline script cannot contain a slot, `</script` or `<!--`.");
  }
  // HTML parsers turn CR LF into LF before they hash.
  const text = code.replaceAll(/\r\n?/g, "\n");
  useContext(PageRenderContext)?.inlineScripts.add(text);
  return <script dangerouslySetInnerHTML={{ __html: text }} />;
}

/** A JSON value that the App inserts at the start from `slots[id]`. Scripts find it by the element's id. */
export function PageData({ id }: { readonly id: string }): ReactNode {
  return (
    <script type="application/json" id={id} dangerouslySetInnerHTML={{ __html: dataSlot(id) }} />
  );
}
