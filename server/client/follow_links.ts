import { hydrateIslands, type HydrateOptions, unmountIslands } from "./hydrate.ts";
import { reloadWhenOutdated } from "./newer_build.ts";
import { ownLink, pageOf, partialAddress } from "./own_link.ts";
import { replacePage } from "./replace_page.ts";
import { manageScrolling, savedPosition, savePosition } from "./scroll_position.ts";

// Kept before telemetry patches it: version checks are not requests of the page.
const nativeFetch = globalThis.fetch;

/** The start of a navigation. */
export interface Navigation {
  /** Absolute target address. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface FollowOptions extends HydrateOptions {
  /** Called for each navigation before its first request. */
  readonly onNavigate?: (navigation: Navigation) => void;
}

/**
 * Client navigation: for links within the site and for the history, fetches only the page's data and
 * replaces the page in this document. A new navigation cancels the pending one. On any failure the browser
 * loads the address normally.
 */
export function followLinks({ onNavigate, ...islands }: FollowOptions = {}): void {
  /** The displayed page. The current history entry may be another one already. */
  let shown = pageOf(location);
  /** The browser is loading another document. */
  let isLeaving = false;
  let stop = () => {};

  const isCurrent = () => pageOf(location) === shown;
  const save = () => {
    if (isCurrent()) savePosition();
  };

  async function visit(to: URL): Promise<void> {
    stop();
    isLeaving = false;
    const isNew = to.href !== location.href;
    const isReload = !isNew && isCurrent();
    const page = pageIn(document)!;
    const endProgress = showProgress(page);
    const request = new XMLHttpRequest();
    let stopped = false;
    stop = () => {
      stopped = true;
      request.abort();
      endProgress();
    };
    try {
      onNavigate?.({ url: to.href, at: Date.now() });
      const data = await fetchPartial(request, to);
      if (stopped) return;
      const next = pageIn(data)!;
      if (next.dataset.page !== page.dataset.page) throw new Error("another build");
      stop = () => {};
      endProgress();
      const position = isReload ? [scrollX, scrollY] as const : isNew ? undefined : savedPosition();
      if (isNew) {
        save();
        history.pushState({}, "", to);
      }
      shown = pageOf(to);
      replacePage({
        page,
        next,
        title: data.title,
        hash: to.hash,
        position,
        isReload,
        hydrate() {
          unmountIslands(page);
          return hydrateIslands(islands, next);
        },
      });
      if (isNew) save();
    } catch {
      // The browser loads the page, or shows why it cannot.
      if (stopped) return;
      // The browser shows its own progress. If the address is a download, this page stays.
      endProgress();
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
    if (!isCurrent()) return void visit(new URL(location.href));
    // Another position on the displayed page, or back to it before another page was displayed.
    stop();
    const position = savedPosition();
    if (position) scrollTo(...position);
    // A new entry of a fragment: save after the browser has scrolled to it.
    else setTimeout(save);
  });
  addEventListener("pagehide", () => stop());
  // Restored from the back/forward cache, where a pending navigation was interrupted.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isLeaving = false;
    if (!isCurrent()) visit(new URL(location.href));
  });
  manageScrolling(save);
  reloadWhenOutdated({
    fetchHead: () => nativeFetch(partialAddress(location), { method: "HEAD", cache: "no-store" }),
    version: () => pageIn(document)?.dataset.page,
  });
}

/** The element with a page's content, which names its version. */
function pageIn(document: Document): HTMLElement | null {
  return document.querySelector("[data-page]");
}

/** After this time the browser loads the page, and can report what is wrong. */
const TIMEOUT_MS = 10_000;

/**
 * Fetches the data of a page. Rejects on any failure: no response in time, an error status, not HTML, a
 * redirect. A document of `XMLHttpRequest` runs no scripts and needs no Trusted Types policy, unlike one
 * of `DOMParser`.
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

/** A navigation shows its progress after this time. */
const SLOW_MS = 300;

/**
 * Shows a slow navigation: `data-navigating` on the root element, for style sheets, and `aria-busy` on
 * the page.
 *
 * @returns a function that ends it
 */
function showProgress(page: HTMLElement): () => void {
  const { dataset } = document.documentElement;
  const timer = setTimeout(() => {
    dataset.navigating = "";
    page.ariaBusy = "true";
  }, SLOW_MS);
  return () => {
    clearTimeout(timer);
    delete dataset.navigating;
    page.ariaBusy = null;
  };
}
