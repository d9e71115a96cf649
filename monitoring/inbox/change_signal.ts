import type { InboxChange } from "./inbox.ts";

/** Interval of checks for changes by other processes, while there are subscribers. */
const WATCH_MS = 250;

/** The subscribers of an inbox's changes. */
export class ChangeSignal {
  readonly #listeners = new Set<(change: InboxChange) => void>();
  readonly #checkForChanges: () => void;
  #isClosed = false;
  /** Set while there are subscribers. */
  #watch: ReturnType<typeof setInterval> | undefined;

  /** @param checkForChanges notices changes by other processes, and emits them */
  constructor(checkForChanges: () => void) {
    this.#checkForChanges = checkForChanges;
  }

  /** See {@linkcode Inbox.subscribe}. */
  subscribe(listener: (change: InboxChange) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#isClosed) this.#watch ??= setInterval(this.#checkForChanges, WATCH_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopWatching();
    };
  }

  emit(change: InboxChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Emits `closed`, the last change. */
  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    this.emit("closed");
    this.#listeners.clear();
  }

  #stopWatching(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}
