/** Listeners are called at most once in this time (about one frame), however large a burst is. */
const FRAME_MS = 16;

/** A list of listeners, notified at most once a frame. */
export function createListeners() {
  const listeners = new Set<() => void>();
  let isScheduled = false;
  return {
    /** Calls `listener` after changes; returns a function that stops it. */
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Schedules the calls. */
    notify(): void {
      if (isScheduled || listeners.size === 0) return;
      isScheduled = true;
      setTimeout(() => {
        isScheduled = false;
        for (const listener of listeners) listener();
      }, FRAME_MS);
    },
  };
}
