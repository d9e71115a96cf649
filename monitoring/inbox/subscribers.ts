import type { InboxChange } from "./inbox_types.ts";

/** Interval of checks for changes by other processes. */
const CHECK_MS = 250;

/** The subscribers of an inbox. While there are some, it checks for changes by other processes. */
export class Subscribers {
  readonly #check: () => void;
  readonly #listeners = new Set<(change: InboxChange) => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(check: () => void) {
    this.#check = check;
  }

  add(listener: (change: InboxChange) => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(this.#check, CHECK_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  emit(change: InboxChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  close(): void {
    this.emit("closed");
    this.#listeners.clear();
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
