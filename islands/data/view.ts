import { useSyncExternalStore } from "react";

/*
 * Loaded with the page's first scripts, so it is small: fragment.ts has the rest of the addresses.
 */

/** The views: their name in the fragment (`#/traces`) and their title. */
export const PAGE_VIEWS = {
  overview: "Overview",
  errors: "Errors",
  traces: "Traces",
  logs: "Logs",
  recordings: "Recordings",
  connect: "Connect",
  envelopes: "Envelopes",
  settings: "Settings",
} as const;

export type View = keyof typeof PAGE_VIEWS;

/** All views, in their order. */
export const VIEWS = Object.keys(PAGE_VIEWS) as readonly View[];

/** In relay mode Sentry has the traces, errors, logs and recordings. */
const RELAY_VIEWS: readonly View[] = ["overview", "envelopes", "settings"];

/** The views with content. @param variant `inbox` or `relay` */
export const viewsOf = (variant: string): readonly View[] =>
  variant === "relay" ? RELAY_VIEWS : VIEWS;

/** The last fragment that names a view. Others, such as the skip link's, are targets within it. */
let lastFragment = "";

/** The fragment that names the current view, with its `#`, or empty. */
export function viewFragment(): string {
  const { hash } = location;
  if (hash === "" || hash.startsWith("#/")) lastFragment = hash;
  return lastFragment;
}

/** The current view; the overview if the fragment names none. */
export function currentView(): View {
  const name = /^#\/(\w+)/.exec(viewFragment())?.[1];
  return VIEWS.find((view) => view === name) ?? "overview";
}

/** Calls `listener` when the fragment changes; returns the function that stops it. */
export function subscribeToFragment(listener: (event: HashChangeEvent) => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export function useView(): View {
  return useSyncExternalStore(subscribeToFragment, currentView, () => "overview");
}

/** The search and the filters in the address that all views share, as its query (`?q=TEXT&…`), or empty. */
export function useSharedParams(): string {
  return useSyncExternalStore(subscribeToFragment, sharedParams, () => "");
}

function sharedParams(): string {
  const shared = viewFragment().match(
    /(?<=[?&])(q|application|environment|release|since|until)=[^&]+/g,
  );
  return shared ? `?${shared.join("&")}` : "";
}
