import { useMemo, useState, useSyncExternalStore } from "react";
import { subscribeToFragment, viewFragment } from "./view.ts";

/** What the address says of a view: `#/VIEW/PART/PART?name=value`. */
export interface Fragment {
  readonly view: string;
  /** What stands after the view, decoded. */
  readonly path: readonly string[];
  readonly params: URLSearchParams;
}

/** Reads a fragment that begins with `#/`; what is broken in it counts as not there. */
export function parseFragment(fragment: string): Fragment {
  const [address = "", query = ""] = fragment.slice(2).split(/\?(.*)/s);
  const [view = "", ...path] = address.split("/").map(decode);
  return { view, path: path.filter((part) => part !== ""), params: new URLSearchParams(query) };
}

/** The link to a place in the console. Parameters that are empty or undefined are left out. */
export function fragmentTo(
  view: string,
  path: readonly string[] = [],
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => !!entry[1]);
  const query = new URLSearchParams(given).toString();
  return `#/${[view, ...path.map(encodeURIComponent)].join("/")}${query && `?${query}`}`;
}

const nowhere = parseFragment("");

/**
 * Where the reader is; renders again when that changes.
 *
 * @param of a view: where the reader last was in it, while another one is open
 */
export function useFragment(of?: string): Fragment {
  const fragment = useSyncExternalStore(subscribeToFragment, viewFragment, () => "");
  const now = useMemo(() => parseFragment(fragment), [fragment]);
  const isThere = of === undefined || now.view === of;
  const [last, setLast] = useState(isThere ? now : nowhere);
  if (isThere && last !== now) setLast(now);
  return isThere ? now : last;
}

/** Goes there: as a step in the history, or in the place of the present one. */
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

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
