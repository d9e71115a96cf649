import type { SourceState } from "./source.ts";

/** Minimum interval of notifications: each may cause requests for lists. */
const NOTIFY_MS = 250;

/** The state of a source and its subscribers, for `useSyncExternalStore`. */
export class SourceStateStore {
  #state: SourceState;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notifiedAt = -Infinity;

  constructor(state: SourceState["state"]) {
    this.#state = { state, version: 0, total: 0, canStore: true };
  }

  /** The same object until something changes. */
  readonly snapshot = (): SourceState => this.#state;

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Merges a change. Listeners are throttled, except for changes of `state` and `canStore`. */
  update(change: Partial<SourceState>): void {
    const before = this.#state;
    const after = { ...before, ...change };
    const isUrgent = after.state !== before.state || after.canStore !== before.canStore;
    if (!isUrgent && after.version === before.version && after.total === before.total) return;
    this.#state = after;
    const wait = this.#notifiedAt + NOTIFY_MS - performance.now();
    if (wait <= 0 || isUrgent) this.#notify();
    else this.#timer ??= setTimeout(() => this.#notify(), wait);
  }

  /** {@linkcode update} after envelopes were added or deleted. */
  envelopesChanged(change: Partial<SourceState>): void {
    // By the clock: no tab that was hidden meanwhile takes another tab's state for its own.
    this.update({ ...change, version: Math.max(this.#state.version + 1, Date.now()) });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #notify(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#notifiedAt = performance.now();
    for (const listener of this.#listeners) listener();
  }
}
