import { type ReactNode, useContext } from "react";
import { PageRenderContext } from "./page_render.ts";
import { hasSlot } from "./slot.ts";

/**
 * A classic script that stands in the page itself and runs before anything else. Its hash goes into
 * the page's CSP, so it is complete at build time: no slots in it. It belongs in `routes/_app.tsx`:
 * in a page it would not run when a browser navigates there, and does not build.
 */
export function InlineScript({ code }: { readonly code: string }): ReactNode {
  if (hasSlot(code)) {
    throw new TypeError("An inline script cannot hold a slot: its hash is taken when it is built.");
  }
  if (/<\/script|<!--/i.test(code)) {
    throw new TypeError("An inline script cannot hold `</script` or `<!--`: it would end there.");
  }
  // HTML parsers turn CR LF into LF before they hash.
  const text = code.replaceAll(/\r\n?/g, "\n");
  useContext(PageRenderContext)?.inlineScripts.add(text);
  return <script dangerouslySetInnerHTML={{ __html: text }} />;
}
