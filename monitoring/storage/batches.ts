interface BatchOptions<Item, Result> {
  /** Works on a batch and returns a result for each item, in their order. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  sizeOf?(item: Item): number;
  /** Whether an error is caused by a single item, so that the others are tried without it. Default: no. */
  isItemError?(error: unknown): boolean;
}

/** With more items in a batch, the first waits longer and little is saved. */
const MAX_ITEMS = 256;
/** Maximum bytes of a batch; a single larger item is still worked on. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;

interface Pending<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
}

/** Collects calls that are made while earlier ones are worked on, and does them together, one batch after the other. */
export class Batches<Item, Result> {
  #queue: Pending<Item, Result>[] = [];
  #isWorking = false;

  constructor(readonly options: BatchOptions<Item, Result>) {}

  /** Returns the item's result. If a batch fails, items that wait are rejected too: each would wait as long again. */
  add(item: Item): Promise<Result> {
    const pending = { item, ...Promise.withResolvers<Result>() };
    this.#queue.push(pending);
    // A microtask later, so that calls made in the same task share a batch.
    if (this.#queue.length === 1) queueMicrotask(() => void this.#workAll());
    return pending.promise;
  }

  async #workAll(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    while (this.#queue.length > 0) await this.#work(this.#take());
    this.#isWorking = false;
  }

  #take(): Pending<Item, Result>[] {
    let bytes = 0;
    const end = this.#queue.findIndex(({ item }, index) => {
      bytes += this.options.sizeOf?.(item) ?? 0;
      return index > 0 && (index >= MAX_ITEMS || bytes > MAX_BATCH_BYTES);
    });
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  async #work(batch: readonly Pending<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (error) {
      const isItemError = this.options.isItemError?.(error) === true;
      if (isItemError && batch.length > 1) {
        for (const each of batch) await this.#work([each]);
        return;
      }
      const rejected = isItemError ? batch : [...batch, ...this.#queue.splice(0)];
      for (const { reject } of rejected) reject(error);
    }
  }
}
