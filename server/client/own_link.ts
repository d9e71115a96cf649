/** What is the browser's own even at our address: another window, a file, somebody else's page. */
const NOT_OURS = "[target]:not([target=_self]),[download],[rel~=external i]";

/** The parts of a click that decide about it. */
export type Click = Pick<
  MouseEvent,
  "altKey" | "button" | "ctrlKey" | "defaultPrevented" | "metaKey" | "shiftKey" | "target"
>;

/** Where a click leads within this site; undefined: it is for others, or for the browser itself. */
export function ownLink(click: Click, here: string): URL | undefined {
  // With a modifier it asks for another tab, another window or a download.
  if (click.altKey || click.ctrlKey || click.metaKey || click.shiftKey) return undefined;
  if (click.button || click.defaultPrevented) return undefined;
  // A script may click on the document or the window, which are in no link.
  const link = (click.target as Partial<Element>).closest?.("a");
  if (!link || link.matches(NOT_OURS)) return undefined;
  // Not the property `href`, which is no text on a link in a drawing.
  return ownAddress(link.getAttribute("href") ?? link.getAttribute("xlink:href"), here);
}

/**
 * The address that `href` leads to, if it is a page of this site: neither another origin's nor a
 * place within the page that is here.
 */
export function ownAddress(href: string | null, here: string): URL | undefined {
  if (href === null) return undefined;
  try {
    const to = new URL(href, here);
    const from = new URL(here);
    // Not by `origin`, which a `blob:` has in common with the page that made it.
    if (to.host !== from.host || to.protocol !== from.protocol) return undefined;
    return to.href.includes("#") && pageOf(to) === pageOf(from) ? undefined : to;
  } catch {
    // What is no address leads nowhere.
    return undefined;
  }
}

/** What names a page: all of an address but its origin and its fragment. */
export function pageOf({ pathname, search }: Pick<URL, "pathname" | "search">): string {
  return pathname + search;
}
