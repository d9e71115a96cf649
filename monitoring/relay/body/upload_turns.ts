/**
 * Large bodies that are read at the same time; TCP holds the other clients back. The runtime buffers several 100 KB for
 * each connection that it reads from: without turns 1,000 uploads of 1 MiB at once add 70 to 100 MiB more.
 */
const MAX_READING = 16;

/** Milliseconds without data after which a body loses its turn to one that waits. Busy clients pause for about 50. */
const STALL_MS = 100;

/** Gives large bodies turns to be read, in order of request. */
export class UploadTurns {
  readonly #max: number;
  readonly #reading = new Set<UploadTurn>();
  /** In order of request, with the function that ends the wait. */
  readonly #waiting = new Map<UploadTurn, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param max bodies that are read at the same time */
  constructor(max: number = MAX_READING) {
    this.#max = max;
  }

  /** For one body, which has no turn yet. End it in a `finally`. */
  open(): UploadTurn {
    return new UploadTurn(this);
  }

  /** Use {@linkcode UploadTurn.start}. */
  start(turn: UploadTurn): Promise<void> | undefined {
    if (this.#reading.has(turn)) return undefined;
    if (this.#reading.size < this.#max) {
      this.#reading.add(turn);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(turn, resolve);
    this.#timer ??= setTimeout(() => this.#endStalled(), STALL_MS);
    return promise;
  }

  /** Use {@linkcode UploadTurn.end}. */
  end(turn: UploadTurn): void {
    this.#waiting.delete(turn);
    if (!this.#reading.delete(turn)) return;
    for (const [next, resolve] of this.#waiting) {
      this.#waiting.delete(next);
      this.#reading.add(next);
      return resolve();
    }
  }

  #endStalled(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const turn of this.#reading) {
      if (this.#waiting.size === 0) return;
      if (now - turn.silentSince >= STALL_MS) this.end(turn);
    }
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#endStalled(), STALL_MS);
  }
}

/** The turn of one body. It may be lost during a read. */
export class UploadTurn {
  readonly #turns: UploadTurns;
  /** When the current read began; `Infinity` between reads. */
  silentSince = Infinity;

  /** Use {@linkcode UploadTurns.open}. */
  constructor(turns: UploadTurns) {
    this.#turns = turns;
  }

  /** Before each read: waits for a turn. Undefined if the body has one. */
  start(): Promise<void> | undefined {
    return this.#turns.start(this);
  }

  /** Wraps a read, during which the turn may be lost. */
  async during<T>(read: Promise<T>): Promise<T> {
    this.silentSince = performance.now();
    try {
      return await read;
    } finally {
      this.silentSince = Infinity;
    }
  }

  /** Further calls do nothing. */
  end(): void {
    this.#turns.end(this);
  }
}
