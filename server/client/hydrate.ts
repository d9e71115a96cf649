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
  readonly componentStack: string | undefined;
}

export interface HydrateOptions {
  /** Receives every error. */
  readonly onError: (failure: IslandError) => void;
}

/** Hydrated islands by element. */
const roots = new Map<HTMLElement, Root>();

/** Hydrates each island of the document, or of a part of it. Resolves when React has received all. */
export async function hydrateIslands(
  { onError }: HydrateOptions,
  within: ParentNode = document,
): Promise<void> {
  const elements = within.querySelectorAll<HTMLElement>("[data-island]");
  await Promise.all(Array.from(elements, (element) => hydrate(element, onError)));
}

/** Unmounts the islands of a part that was removed from the document. */
export function unmountIslands(within: Node): void {
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
    onError({ error, island, kind, componentStack: info?.componentStack || undefined });
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
      onUncaughtError: report("uncaught"),
      onCaughtError: report("caught"),
      onRecoverableError: report("recoverable"),
    });
    roots.set(element, root);
  } catch (error) {
    showLoadError(element);
    report("load")(error);
  }
}

/** Shows a message before the prerendered content. */
function showLoadError(element: HTMLElement): void {
  const note = document.createElement("p");
  note.role = "alert";
  note.textContent = "This part of the page did not load. Reload to try again.";
  element.prepend(note);
}
