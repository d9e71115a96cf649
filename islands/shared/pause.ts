import { useSyncExternalStore } from "react";
import type { SourceState } from "./source/source.ts";

/** The source's state when a person stopped the lists; undefined: they follow it. One for all views. */
let held: SourceState | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Stops all lists as they stand, or lets them go on. */
export function pause(at: SourceState | undefined): void {
  held = at;
  for (const listener of listeners) listener();
}

/** The state in which the lists were stopped; undefined: they follow what comes. */
export function usePause(): SourceState | undefined {
  return useSyncExternalStore(subscribe, () => held, () => undefined);
}
