import { useSyncExternalStore } from "react";

/** The views of the console: the name in the fragment (`#/traces`), and the title. */
export const VIEWS = {
  overview: "Overview",
  traces: "Traces",
  errors: "Errors",
  logs: "Logs",
  envelopes: "Envelopes",
  settings: "Settings",
} as const;

export type View = keyof typeof VIEWS;

/** The fragment that last named a view: others, such as the skip link's, lead to a place within it. */
let fragment = "";

/** The fragment that names a view, with its `#`, or empty. */
export function viewFragment(): string {
  const { hash } = location;
  if (hash === "" || hash.startsWith("#/")) fragment = hash;
  return fragment;
}

/** The view that is shown; an unknown one is the overview. */
export function shownView(): View {
  const name = /^#\/(\w+)/.exec(viewFragment())?.[1] ?? "";
  return Object.hasOwn(VIEWS, name) ? name as View : "overview";
}

/** Calls back when the fragment changes, by a link or a step in the history. */
export function subscribeToFragment(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export function useView(): View {
  return useSyncExternalStore(subscribeToFragment, shownView, () => "overview");
}

/** What is searched for, as the address carries it: `?q=TEXT`, or empty. It stays when views change. */
export function useSearched(): string {
  return useSyncExternalStore(subscribeToFragment, searched, () => "");
}

function searched(): string {
  const found = /[?&](q=[^&]+)/.exec(viewFragment());
  return found ? `?${found[1]}` : "";
}
