import { useMemo, useState, useSyncExternalStore } from "react";
import { currentView, sharedParams, subscribeToFragment, useView, viewFragment } from "./view.ts";

/** The parsed address of a place in the console: `#/VIEW/PART/PART?name=value`. */
export interface Fragment {
  readonly view: string;
  /** The parts after the view, decoded. */
  readonly path: readonly string[];
  readonly params: URLSearchParams;
}

/** Parses a fragment that begins with `#/`. Invalid percent-encoding is kept as it is. */
export function parseFragment(fragment: string): Fragment {
  const [address = "", query = ""] = fragment.slice(2).split(/\?(.*)/s);
  const [view = "", ...path] = address.split("/").map(decode);
  return { view, path: path.filter((part) => part !== ""), params: new URLSearchParams(query) };
}

/** The link to a place in the console. Empty and undefined parameters are left out. */
export function fragmentTo(
  view: string,
  path: readonly string[] = [],
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => !!entry[1]);
  const query = new URLSearchParams(given).toString();
  return `#/${[view, ...path.map(encodeURIComponent)].join("/")}${query && `?${query}`}`;
}

/** The link to another place, with the search and the filters that all views share. */
export function linkTo(...[view, path, params]: Parameters<typeof fragmentTo>): string {
  const shared = Object.fromEntries(new URLSearchParams(sharedParams()));
  return fragmentTo(view, path, { ...shared, ...params });
}

const EMPTY = parseFragment("");

/** Parameters that are of one detail: links to the list and to its other rows have none of them. */
export const OF_DETAIL = Object.fromEntries(
  ["span", "pattern", "thread", "at", "monitor", "show", "by", "every"].map((name) =>
    [name, undefined] as const
  ),
);

/** The current fragment; within a view the last one of this view. Renders again when it changes. */
export function useFragment() {
  const { id } = useView();
  const fragment = useSyncExternalStore(subscribeToFragment, viewFragment);
  const now = useMemo(() => parseFragment(fragment), [fragment]);
  const isOpen = id === "" || (now.view || "overview") === id;
  const [last, setLast] = useState(isOpen ? now : EMPTY);
  if (isOpen && last !== now) setLast(now);
  const shown = isOpen ? now : last;
  return {
    ...shown,
    /** The link to a place of the same view, with these parameters but for some changes. */
    to: (path: readonly string[], changes: Parameters<typeof fragmentTo>[2] = {}) =>
      fragmentTo(id || shown.view, path, { ...Object.fromEntries(shown.params), ...changes }),
  };
}

/** Navigates to a fragment. With `replace`, it replaces the current history entry. */
export function goTo(fragment: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = fragment;
    return;
  }
  history.replaceState(history.state, "", fragment);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/**
 * Changes parameters of the address and replaces the current history entry. Reads the address at
 * the time of the call, because a component may have rendered an older one.
 *
 * @param params empty or undefined: removed
 */
export function changeParams(params: Readonly<Record<string, string | undefined>>): void {
  const { view, path, params: now } = parseFragment(viewFragment());
  goTo(fragmentTo(view, path, { ...Object.fromEntries(now), ...params }), { replace: true });
}

/** Whether the view of the component is the current one, and the tab is not hidden. */
export function useIsVisible(): boolean {
  const { id } = useView();
  return useSyncExternalStore(
    subscribeToVisibility,
    () => (id === "" || id === currentView()) && !document.hidden,
  );
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  const unsubscribe = subscribeToFragment(listener);
  return () => {
    document.removeEventListener("visibilitychange", listener);
    unsubscribe();
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a span in its trace; of one that is not known, of the trace. */
export const spanHref = (
  { trace_id, span_id }: { readonly trace_id: string | null; readonly span_id: string | null },
) => linkTo("traces", [trace_id!], { span: span_id ?? undefined });

export function momentHref(replayId: string, at: number): string {
  return linkTo("recordings", [replayId], { at: String(Math.round(at)) });
}
