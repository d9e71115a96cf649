import { type ComponentType, createElement, type ErrorInfo } from "react";
import { hydrateRoot, type Root } from "react-dom/client";

interface IslandError {
  readonly error: unknown;
  /** `uncaught`: React removed the island. `recoverable`: React recovered, for example from a hydration mismatch. */
  readonly kind: "uncaught" | "caught" | "recoverable";
  readonly componentStack: string | undefined;
}

export interface IslandOptions {
  /** The component of `<Island>` on each page. */
  // deno-lint-ignore no-explicit-any -- its props are JSON of the page
  readonly component: ComponentType<any>;
  readonly onError: (failure: IslandError) => void;
}

let root: Root | undefined;

/** Hydrates the island of the document, or of a part of it. Pages may have none. */
export function hydrateIsland(
  { component, onError }: IslandOptions,
  within: ParentNode = document,
): void {
  const element = within.querySelector<HTMLElement>("[data-island]");
  if (element === null) return;
  const report = (kind: IslandError["kind"]) => (error: unknown, info: ErrorInfo) => {
    // React reports the island of a removed page that it had not hydrated yet.
    if (kind === "recoverable" && !element.isConnected) return;
    onError({ error, kind, componentStack: info.componentStack || undefined });
  };
  const props = JSON.parse(element.nextElementSibling!.textContent);
  root = hydrateRoot(element, createElement(component, props), {
    identifierPrefix: element.dataset.island!,
    onUncaughtError: report("uncaught"),
    onCaughtError: report("caught"),
    onRecoverableError: report("recoverable"),
  });
}

/** Unmounts the island of a page that was removed from the document. */
export function unmountIsland(): void {
  root?.unmount();
  root = undefined;
}
