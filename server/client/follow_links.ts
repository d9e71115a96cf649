import { hydrateIsland, type IslandOptions, unmountIsland } from "./hydrate.ts";
import { ownLink, pageOf, partialAddress } from "./own_link.ts";

interface FollowOptions extends IslandOptions {
  /** Called for each navigation before its first request: absolute target, milliseconds since 1970. */
  readonly onNavigate?: (navigation: { readonly url: string; readonly at: number }) => void;
}

/**
 * Client navigation: for links within the site and for the history, fetches only the page's data and replaces the page
 * in this document. A new navigation cancels the pending one. After a failure the browser loads the address normally.
 */
export function followLinks({ onNavigate, ...island }: FollowOptions): void {
  /** The displayed page. The current history entry may be another one already. */
  let shown = pageOf(location);
  /** The browser is loading another document. */
  let isLeaving = false;
  let stop = () => {};

  const isCurrent = () => pageOf(location) === shown;

  async function visit(to: URL): Promise<void> {
    stop();
    isLeaving = false;
    const isNew = to.href !== location.href;
    const page = pageIn(document)!;
    const request = new XMLHttpRequest();
    let stopped = false;
    stop = () => {
      stopped = true;
      request.abort();
    };
    try {
      onNavigate?.({ url: to.href, at: Date.now() });
      const data = await fetchPartial(request, to);
      if (stopped) return;
      const next = pageIn(data)!;
      if (next.dataset.page !== page.dataset.page) throw new Error("another build");
      if (isNew) history.pushState({}, "", to);
      shown = pageOf(to);
      page.replaceWith(next);
      unmountIsland();
      hydrateIsland(island, next);
      document.title = data.title;
      announce(data.title);
      const named = elementNamed(to.hash.slice(1));
      if (named) named.scrollIntoView();
      else if (isNew) scrollTo(0, 0);
      focusOn(named ?? next.querySelector("main") ?? next);
    } catch {
      // The browser loads the page, or shows why it cannot.
      if (stopped) return;
      // If the address is a download, this page stays.
      isLeaving = true;
      if (to.href === location.href) location.reload();
      else location.assign(to);
    }
  }

  addEventListener("click", (click) => {
    const to = ownLink(click, location.href);
    // While the browser loads a document, it follows links itself.
    if (!to || isLeaving) return;
    click.preventDefault();
    visit(to);
  });
  addEventListener("popstate", () => {
    // Another position on the displayed page, or back to it before another page was displayed.
    if (isCurrent()) stop();
    else visit(new URL(location.href));
  });
  addEventListener("pagehide", () => stop());
  // Restored from the back/forward cache, where a pending navigation was interrupted.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isLeaving = false;
    if (!isCurrent()) visit(new URL(location.href));
  });
}

/** The element with a page's content, which names its version. */
const pageIn = (document: Document) => document.querySelector<HTMLElement>("[data-page]");

/** After this time the browser loads the page, and can report what is wrong. */
const TIMEOUT_MS = 10_000;

/**
 * Fetches the data of a page. Rejects if there is no response in time, an error status, a redirect, or no HTML.
 * Unlike one of `DOMParser`, a document of `XMLHttpRequest` needs no Trusted Types policy.
 */
function fetchPartial(request: XMLHttpRequest, page: URL): Promise<Document> {
  const address = partialAddress(page);
  request.open("GET", address);
  request.responseType = "document";
  request.timeout = TIMEOUT_MS;
  request.send();
  return new Promise((resolve, reject) => {
    request.onloadend = () => {
      const { response, responseURL, status } = request;
      if (response && status === 200 && responseURL === address.href) resolve(response);
      else reject();
    };
  });
}

function elementNamed(fragment: string): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(fragment));
  } catch {
    // Invalid percent-encoding.
    return null;
  }
}

/** Lets screen readers announce a title in `[data-announcer]`. Clears the text first: an unchanged one is not announced. */
function announce(title: string): void {
  const announcer = document.querySelector("[data-announcer]")!;
  announcer.textContent = "";
  requestAnimationFrame(() => announcer.textContent = title);
}

/** Moves the focus without scrolling, also to elements that are not focusable by themselves. */
function focusOn(element: HTMLElement): void {
  // -1 too if the element has no `tabindex`; 0 for controls.
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
