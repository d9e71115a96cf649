import { useSyncExternalStore } from "react";
import { shownView, subscribeToFragment, type View } from "./view.ts";

/** Whether a view is what a person sees: it is open, and so is the tab. */
export function useShown(view: View): boolean {
  return useSyncExternalStore(
    subscribe,
    () => shownView() === view && !document.hidden,
    () => false,
  );
}

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  const leave = subscribeToFragment(listener);
  return () => {
    document.removeEventListener("visibilitychange", listener);
    leave();
  };
}
