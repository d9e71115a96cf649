import { createElement } from "react";
import { hydrateRoot, type Root } from "react-dom/client";
import { islands } from "./island_map.ts";

/** What went wrong in one island; the others, and the page, go on. */
export interface IslandError {
  readonly error: unknown;
  /** The island's name. */
  readonly island: string;
  /**
   * `uncaught`: no boundary took it, the island is gone. `caught`: an error boundary did.
   * `recoverable`: React helped itself, for instance out of a difference between the page and the
   * first render. `load`: the island's code, or its props, could not be had, and the page says so in
   * its place.
   */
  readonly kind: "uncaught" | "caught" | "recoverable" | "load";
  readonly componentStack?: string;
}

export interface HydrateOptions {
  /** Gets every error; without it React's own reporting stays. */
  readonly onError?: (failure: IslandError) => void;
}

/** The islands that live, by their places. */
const roots = new Map<HTMLElement, Root>();
/** How to hydrate the islands that wait to be displayed. */
const waiting = new Map<Element, () => void>();
/** Tells of a hidden place when it is displayed, however far down the page that is. */
const displayed = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    waiting.get(target)?.();
    forget(target);
  }
}, { rootMargin: "9999%" });

function forget(place: Element): void {
  waiting.delete(place);
  displayed.unobserve(place);
}

/**
 * Hydrates each island of the document, or of a part of it, by itself; those that come with
 * `load="visible"` once they are displayed. Resolves when all others have been handed to React.
 */
export async function hydrateIslands(
  { onError }: HydrateOptions = {},
  within: ParentNode = document,
): Promise<void> {
  const places = within.querySelectorAll<HTMLElement>("[data-island]");
  await Promise.all(Array.from(places, (place) => {
    if (!place.dataset.islandLoad) return hydrate(place, onError);
    waiting.set(place, () => void hydrate(place, onError));
    displayed.observe(place);
    return undefined;
  }));
}

/** Ends the islands of a part of the document that has been taken out of it. */
export function unmountIslands(within: Node): void {
  for (const place of waiting.keys()) if (within.contains(place)) forget(place);
  for (const [place, root] of roots) {
    if (!within.contains(place)) continue;
    roots.delete(place);
    root.unmount();
  }
}

async function hydrate(place: HTMLElement, onError: HydrateOptions["onError"]): Promise<void> {
  const { island = "", islandId = "" } = place.dataset;
  const report = (kind: IslandError["kind"]) => (error: unknown, info?: ErrorInfo) => {
    // A page left before React got to its islands: they end unhydrated, which React calls an error.
    if (kind === "recoverable" && !place.isConnected) return;
    const componentStack = info?.componentStack;
    onError?.({ error, island, kind, ...(componentStack ? { componentStack } : {}) });
  };
  try {
    const load = islands[island];
    if (load === undefined) throw new Error(`There is no island "${island}" in this build.`);
    const component = (await load()).default;
    const json = place.nextElementSibling;
    const props = json?.matches("[data-island-props]") ? JSON.parse(json.textContent) : {};
    // Its page may have gone while its code came.
    if (!place.isConnected) return;
    const root = hydrateRoot(place, createElement(component, props), {
      identifierPrefix: islandId,
      ...(onError && {
        onUncaughtError: report("uncaught"),
        onCaughtError: report("caught"),
        onRecoverableError: report("recoverable"),
      }),
    });
    roots.set(place, root);
  } catch (error) {
    tellNotLoaded(place);
    if (onError === undefined) reportError(error);
    else report("load")(error);
  }
}

/** What was prerendered would promise for ever what does not come; an island that is there from the start keeps it. */
function tellNotLoaded(place: HTMLElement): void {
  const note = document.createElement("p");
  note.role = "alert";
  note.textContent = "This part of the page did not load. Load the page again to try once more.";
  if (place.dataset.islandLoad) place.replaceChildren(note);
  else place.prepend(note);
}

interface ErrorInfo {
  readonly componentStack?: string | null | undefined;
}
