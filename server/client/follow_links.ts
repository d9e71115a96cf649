import { hydrateIslands, type HydrateOptions, unmountIslands } from "./hydrate.ts";
import { ownLink, pageOf } from "./own_link.ts";
import { pageDataAddress, pageIn, receivePageData } from "./page_data.ts";
import { showProgress } from "./progress.ts";
import { savedPlace, savePlace, takeOverScrolling } from "./scroll_place.ts";

// Taken before anyone patches it: to ask for the newest build is no part of what the page does.
const nativeFetch = globalThis.fetch;

/** A navigation as it begins. */
export interface Navigation {
  /** Where to, absolute. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface FollowOptions extends HydrateOptions {
  /** Told of each navigation before it asks for anything. Default: nobody. */
  readonly onNavigate?: (navigation: Navigation) => void;
}

/**
 * Follows links within the site, and the history, by fetching the page's data alone and putting it
 * into this document. The newest navigation wins. What cannot be done so, for whatever reason, is
 * left to the browser: it loads the address as if nobody had followed the link.
 */
export function followLinks({ onNavigate, ...islands }: FollowOptions = {}): void {
  /** The page that is seen; in the history another one may be current already. */
  let shown = pageOf(location);
  /** The browser has been told to load another document, which may take a while. */
  let isLeaving = false;
  let stop = () => {};

  const isCurrent = () => pageOf(location) === shown;
  const save = () => {
    if (isCurrent()) savePlace();
  };

  async function visit(to: URL): Promise<void> {
    stop();
    isLeaving = false;
    const isNew = to.href !== location.href;
    const isAgain = !isNew && isCurrent();
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
      const [data, { replacePage }] = await Promise.all([
        receivePageData(request, to),
        import("./later.ts"),
      ]);
      if (stopped) return;
      const next = pageIn(data)!;
      if (next.dataset.page !== page.dataset.page) throw new Error("another build");
      stop = () => {};
      endProgress();
      const place = isAgain ? [scrollX, scrollY] as const : isNew ? undefined : savedPlace();
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
        place,
        isAgain,
        revive() {
          unmountIslands(page);
          return hydrateIslands(islands, next);
        },
      });
      if (isNew) save();
    } catch {
      // The browser loads the page, or says better than we could why it cannot be had.
      if (stopped) return;
      // It shows its own progress; and where it gets a file, this page stays.
      endProgress();
      isLeaving = true;
      if (to.href === location.href) location.reload();
      else location.assign(to);
    }
  }

  addEventListener("click", (click) => {
    const to = ownLink(click, location.href);
    // On its way to another document the browser itself lets the newest link win; ours would lose.
    if (!to || isLeaving) return;
    click.preventDefault();
    visit(to);
  });
  addEventListener("popstate", () => {
    if (!isCurrent()) return void visit(new URL(location.href));
    // Another place of the page that is seen, or back to it before the other one came.
    stop();
    const place = savedPlace();
    if (place) scrollTo(...place);
    // Just made by a fragment, which the browser scrolls to next.
    else setTimeout(save);
  });
  addEventListener("pagehide", () => stop());
  // Kept whole by the browser, in the middle of a step in the history: that page is still to come.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isLeaving = false;
    if (!isCurrent()) visit(new URL(location.href));
  });
  takeOverScrolling(save);
  addEventListener("load", async () => {
    try {
      const { reloadWhenOutdated } = await import("./later.ts");
      reloadWhenOutdated({
        ask: () => nativeFetch(pageDataAddress(location), { method: "HEAD", cache: "no-store" }),
        build: () => pageIn(document)?.dataset.page,
      });
    } catch {
      // Blocked or offline: the page stays as it is, and links are left to the browser.
    }
  });
}
