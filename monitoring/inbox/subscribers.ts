import type { InboxChange } from "./inbox_types.ts";

/** Interval of checks for changes by other processes. */
const CHECK_MS = 250;

/** The subscribers of an inbox. While there are some, it checks for changes by other processes. */
export function createSubscribers(check: () => void) {
  const listeners = new Set<(change: InboxChange) => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const emit = (change: InboxChange) => {
    for (const listener of listeners) listener(change);
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(listener: (change: InboxChange) => void): () => void {
      listeners.add(listener);
      timer ??= setInterval(check, CHECK_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },

    emit,

    close(): void {
      emit("closed");
      listeners.clear();
      stop();
    },
  };
}
