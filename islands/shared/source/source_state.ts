import type { SourceState } from "./source.ts";

/** Milliseconds between two calls of a listener: who asks again for a list at each may do so four times a second. */
const TELL_MS = 250;

/** A source's state, and who wants to know of it. */
export class LiveState {
  #state: SourceState;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #told = -Infinity;

  constructor(state: SourceState["state"], total = 0) {
    this.#state = { state, version: 0, total, canStore: true };
  }

  /** The same object until something changes. */
  readonly snapshot = (): SourceState => this.#state;

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Takes over what there is now; listeners learn of it at once, but not more often than four times a second.
   *
   * @param changed envelopes came or went
   */
  update(state: SourceState["state"], total: number, changed: boolean, canStore = true): void {
    const now = this.#state;
    const isSame = state === now.state && canStore === now.canStore;
    if (!changed && isSame && total === now.total) return;
    this.#state = { state, total, version: now.version + Number(changed), canStore };
    const wait = this.#told + TELL_MS - performance.now();
    if (wait <= 0 || !isSame) this.#notify();
    else this.#timer ??= setTimeout(() => this.#notify(), wait);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #notify(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#told = performance.now();
    for (const listener of this.#listeners) listener();
  }
}
