/** A value outside of React, for `useSyncExternalStore`. */
export class Store<Value> {
  protected value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(initial: Value) {
    this.value = initial;
  }

  /** The same object until it changes. */
  readonly snapshot = (): Value => this.value;

  /** Calls back after changes. Returns the function that unsubscribes. */
  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  set(value: Value): void {
    this.value = value;
    this.notify();
  }

  protected notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
