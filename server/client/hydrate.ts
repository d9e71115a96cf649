import { createElement, type ErrorInfo } from "react";
import { hydrateRoot, type Root } from "react-dom/client";
import { islands } from "./island_map.ts";

/** An error in one island. The other islands are not affected. */
interface IslandError {
  readonly error: unknown;
  /** The island's name. */
  readonly island: string;
  /**
   * `uncaught`: not caught, so React removed the island. `caught`: by an error boundary. `recoverable`:
   * React recovered, for example from a hydration mismatch. `load`: the island's code or props could not
   * be loaded; the page shows a message.
   */
  readonly kind: "uncaught" | "caught" | "recoverable" | "load";
  readonly componentStack?: string;
}

export interface HydrateOptions {
  /** Receives every error. Default: React's own reporting. */
  readonly onError?: (failure: IslandError) => void;
}

/** Hydrated islands by element. */
const roots = new Map<HTMLElement, Root>();
/** For islands that are not displayed yet: hydrates them. */
const waiting = new Map<Element, () => void>();
/** Observes hidden islands until they are displayed, at any distance down the page. */
const displayed = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    waiting.get(target)?.();
    forget(target);
  }
}, { rootMargin: "9999%" });

function forget(element: Element): void {
  waiting.delete(element);
  displayed.unobserve(element);
}

/**
 * Hydrates each island of the document, or of a part of it; those with `load="visible"` once they are
 * displayed. Resolves when React has received all others.
 */
export async function hydrateIslands(
  { onError }: HydrateOptions = {},
  within: ParentNode = document,
): Promise<void> {
  const elements = within.querySelectorAll<HTMLElement>("[data-island]");
  await Promise.all(Array.from(elements, (element) => {
    if (!element.dataset.islandLoad) return hydrate(element, onError);
    waiting.set(element, () => void hydrate(element, onError));
    displayed.observe(element);
    return undefined;
  }));
}

/** Unmounts the islands of a part that was removed from the document. */
export function unmountIslands(within: Node): void {
  for (const element of waiting.keys()) if (within.contains(element)) forget(element);
  for (const [element, root] of roots) {
    if (!within.contains(element)) continue;
    roots.delete(element);
    root.unmount();
  }
}

async function hydrate(element: HTMLElement, onError: HydrateOptions["onError"]): Promise<void> {
  const { island = "", islandId = "" } = element.dataset;
  const report = (kind: IslandError["kind"]) => (error: unknown, info?: ErrorInfo) => {
    // React reports islands of a removed page that it had not hydrated yet.
    if (kind === "recoverable" && !element.isConnected) return;
    const componentStack = info?.componentStack;
    onError?.({ error, island, kind, ...(componentStack ? { componentStack } : {}) });
  };
  try {
    const load = islands[island];
    if (load === undefined) throw new Error(`Unknown island "${island}".`);
    const component = (await load()).default;
    const json = element.nextElementSibling;
    const props = json?.matches("[data-island-props]") ? JSON.parse(json.textContent) : {};
    // The page may have been replaced meanwhile.
    if (!element.isConnected) return;
    const root = hydrateRoot(element, createElement(component, props), {
      identifierPrefix: islandId,
      ...(onError && {
        onUncaughtError: report("uncaught"),
        onCaughtError: report("caught"),
        onRecoverableError: report("recoverable"),
      }),
    });
    roots.set(element, root);
  } catch (error) {
    showLoadError(element);
    if (onError === undefined) reportError(error);
    else report("load")(error);
  }
}

/** Shows a message before the prerendered content, or instead of it for `load="visible"`. */
function showLoadError(element: HTMLElement): void {
  const note = document.createElement("p");
  note.role = "alert";
  note.textContent = "This part of the page did not load. Reload to try again.";
  if (element.dataset.islandLoad) element.replaceChildren(note);
  else element.prepend(note);
}
