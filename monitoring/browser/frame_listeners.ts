/** Milliseconds: at most one round of rendering for each frame, however large a burst is. */
const FRAME_MS = 16;

/** Who wants to know of changes, told at most once a frame. */
export interface FrameListeners {
  /** Calls `listener` after changes; returns how to stop. */
  subscribe(listener: () => void): () => void;
  /** Something has changed. */
  announce(): void;
}

/** Creates a list of listeners without any. */
export function createFrameListeners(): FrameListeners {
  const listeners = new Set<() => void>();
  let announcing = false;
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    announce() {
      if (announcing || listeners.size === 0) return;
      announcing = true;
      setTimeout(() => {
        announcing = false;
        for (const listener of listeners) listener();
      }, FRAME_MS);
    },
  };
}
