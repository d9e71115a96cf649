import type { IconNode } from "lucide";
import { createContext, useContext, useSyncExternalStore } from "react";

/*
 * Loaded with the page's first scripts, so it is small: fragment.ts has the rest of the addresses.
 */

/** What the parts of a view know of it. */
export interface ViewFacts {
  /** Its name in the fragment: `#/traces`. */
  readonly id: string;
  readonly title: string;
  readonly icon: IconNode;
}

/** The view that contains a component. The sidebar is in none. */
export const ViewContext = createContext<ViewFacts>({ id: "", title: "", icon: [] });

export const useView = (): ViewFacts => useContext(ViewContext);

/** The last fragment that names a view. Others, such as the skip link's, are targets within it. */
let lastFragment = "";

/** The fragment that names the current view, with its `#`, or empty. */
export function viewFragment(): string {
  const { hash } = location;
  if (hash === "" || hash.startsWith("#/")) lastFragment = hash;
  return lastFragment;
}

/** The id of the view in the address; the overview if it names none. */
export const currentView = (): string => /^#\/(\w+)/.exec(viewFragment())?.[1] ?? "overview";

/** Calls `listener` when the fragment changes; returns the function that stops it. */
export function subscribeToFragment(listener: (event: HashChangeEvent) => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

/** Whether the user has navigated within the page: from then on what is opened takes the focus. */
export const navigation = { hasHappened: false };

export const useCurrentView = (): string =>
  useSyncExternalStore(subscribeToFragment, currentView, () => "overview");

/** The rule that shows one view alone, also in the script that runs before the first paint. */
export const showOnly = (id: string): string => `.view:not(.${id}){display:none}`;

/** The parameters of the search and the filters that all views share. */
export const SHARED_PARAMS = [
  "q",
  "application",
  "environment",
  "release",
  "since",
  "until",
] as const;
const SHARED_PATTERN = new RegExp(`(?<=[?&])(${SHARED_PARAMS.join("|")})=[^&]+`, "g");

/** The search and the filters in the address that all views share, as its query (`?q=TEXT&…`), or empty. */
export function useSharedParams(): string {
  return useSyncExternalStore(subscribeToFragment, sharedParams, () => "");
}

/** {@linkcode useSharedParams} at the time of the call. */
export function sharedParams(): string {
  const shared = viewFragment().match(SHARED_PATTERN);
  return shared ? `?${shared.join("&")}` : "";
}
