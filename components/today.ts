import { useSyncExternalStore } from "react";
import { nextDay, startOfDay } from "./format/day.ts";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** When the reader's day began, milliseconds since 1970; what uses it is rendered again when the next one begins. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, today, today);
}

const today = () => startOfDay(Date.now());

/** One timer for all. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    wait();
    // A machine that slept may have slept over its timer.
    document.addEventListener("visibilitychange", tell);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", tell);
  };
}

function wait(): void {
  const now = Date.now();
  timer = setTimeout(() => {
    tell();
    wait();
  }, nextDay(now) - now);
}

function tell(): void {
  for (const listener of listeners) listener();
}
