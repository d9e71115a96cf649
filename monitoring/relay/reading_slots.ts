/**
 * Large bodies that are read at the same time. For each one the runtime keeps buffers of some hundred
 * kilobytes, which no budget of ours counts; one thread reads them all, so more of them make nothing faster.
 * The others are not read yet: their senders are held back by TCP.
 */
export const MAX_READING = 16;

/**
 * Milliseconds of silence after which a body gives its slot to one that waits. A busy sender is silent
 * for tens of them; what has lost its slot has been begun all the same, and keeps buffers.
 */
const STALL_MS = 100;

/** The turns of large bodies: in the order of their asking, none for one that stands still. */
export class ReadingSlots {
  readonly #max: number;
  readonly #held = new Set<ReadingSlot>();
  /** Oldest first. */
  readonly #waiting = new Map<ReadingSlot, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param max bodies that may be read at the same time */
  constructor(max: number = MAX_READING) {
    this.#max = max;
  }

  /** The slot of one body, which it does not hold yet. Give it back in a `finally`. */
  open(): ReadingSlot {
    return new ReadingSlot(this);
  }

  /** For {@linkcode ReadingSlot} alone. */
  enter(slot: ReadingSlot): Promise<void> | undefined {
    if (this.#held.has(slot)) return undefined;
    if (this.#held.size < this.#max) {
      this.#held.add(slot);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(slot, resolve);
    this.#watch();
    return promise;
  }

  /** For {@linkcode ReadingSlot} alone. */
  leave(slot: ReadingSlot): void {
    this.#waiting.delete(slot);
    if (!this.#held.delete(slot)) return;
    for (const [next, begin] of this.#waiting) {
      this.#waiting.delete(next);
      this.#held.add(next);
      return begin();
    }
  }

  /** As long as one waits, looks for those that hold a slot and get nothing. */
  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const now = performance.now();
      for (const slot of this.#held) {
        if (this.#waiting.size === 0) return;
        if (now - slot.silentSince >= STALL_MS) this.leave(slot);
      }
      if (this.#waiting.size > 0) this.#watch();
    }, STALL_MS);
  }
}

/** One body's place among those that are read. */
export class ReadingSlot {
  readonly #slots: ReadingSlots;
  #silentSince = Infinity;

  constructor(slots: ReadingSlots) {
    this.#slots = slots;
  }

  /** When the read under way began; `Infinity` while there is none. */
  get silentSince(): number {
    return this.#silentSince;
  }

  /** A read begins, during which the slot may go to another body. */
  reads(): void {
    this.#silentSince = performance.now();
  }

  hasRead(): void {
    this.#silentSince = Infinity;
  }

  /** To be awaited before each read; undefined where there is nothing to wait for. */
  enter(): Promise<void> | undefined {
    return this.#slots.enter(this);
  }

  /** Gives the slot back. Harmless when called again. */
  leave(): void {
    this.#slots.leave(this);
  }
}
