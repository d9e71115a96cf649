import { useSyncExternalStore } from "react";

/** As wide as `components/styles/narrow.css` says. */
const NARROW = "(max-width: 40rem)";

/** Whether the page is as narrow as a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches, () => false);
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}
