/** Links that the browser follows itself: to another window, to a file, to another site. */
const EXTERNAL = "[target]:not([target=_self]),[download],[rel~=external i]";

export type Click = Pick<
  MouseEvent,
  "altKey" | "button" | "ctrlKey" | "defaultPrevented" | "metaKey" | "shiftKey" | "target"
>;

/** The page of this site that a click leads to; undefined if the browser handles the click. */
export function ownLink(click: Click, here: string): URL | undefined {
  // Modifiers open another tab or window, or download.
  if (click.altKey || click.ctrlKey || click.metaKey || click.shiftKey) return undefined;
  if (click.button || click.defaultPrevented) return undefined;
  // The target may be the document or the window, which have no `closest`.
  const link = (click.target as Partial<Element>).closest?.("a");
  if (!link || link.matches(EXTERNAL)) return undefined;
  // Not the property `href`: on SVG links it is an object.
  return ownAddress(link.getAttribute("href") ?? link.getAttribute("xlink:href"), here);
}

/** Resolves `href`; undefined for other origins, invalid addresses and fragments of the current page. */
export function ownAddress(href: string | null, here: string): URL | undefined {
  if (href === null) return undefined;
  try {
    const to = new URL(href, here);
    const from = new URL(here);
    // Not `origin`: a `blob:` address has that of its page.
    if (to.host !== from.host || to.protocol !== from.protocol) return undefined;
    return to.href.includes("#") && pageOf(to) === pageOf(from) ? undefined : to;
  } catch {
    // Not a valid address.
    return undefined;
  }
}

export function pageOf({ pathname, search }: Pick<URL, "pathname" | "search">): string {
  return pathname + search;
}

export function partialAddress({ href }: Pick<URL, "href">): URL {
  const address = new URL(href);
  address.hash = "";
  address.search += `${address.search && "&"}fresh-partial=true`;
  return address;
}
