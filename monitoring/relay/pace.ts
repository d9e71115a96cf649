/**
 * A slower body is let go, for what has come of it takes room from others: a handful of senders
 * that stop short of the end could otherwise fill the memory and keep it.
 */
export const MIN_PROGRESS_BYTES = 16 * 1024;
export const PROGRESS_MS = 30_000;

/** While somebody waits for the connection a body has this long for {@linkcode MIN_PROGRESS_BYTES}. */
export const HURRIED_PROGRESS_MS = 2_000;

/** One body that comes in. */
export interface PacedBody {
  /** What has come of it; its reader keeps this. */
  bytes: number;
  /** It is let go: it was too slow. */
  readonly tooSlow: boolean;
  /** From now on nobody reads it: that time is not its sender's. */
  rest(): void;
  resume(): void;
  /** It has ended. */
  stop(): void;
}

/** Holds the bodies that come in to a pace. */
export class Pace {
  readonly #progressMs: number;
  readonly #bodies = new Set<Watched>();

  /** @param progressMs milliseconds in which {@linkcode MIN_PROGRESS_BYTES} or the rest must come */
  constructor(progressMs = PROGRESS_MS) {
    this.#progressMs = progressMs;
  }

  /** @param letGo called once, when the body is too slow */
  watch(letGo: () => void): PacedBody {
    const body = new Watched(this.#progressMs, letGo, () => this.#bodies.delete(body));
    this.#bodies.add(body);
    return body;
  }

  /**
   * Somebody waits: lets go of all bodies that came more slowly than one may now. Connections that are
   * held by bodies which never come would else keep everybody out.
   */
  hurry(): void {
    const now = performance.now();
    for (const body of this.#bodies) {
      const ms = body.readFor(now);
      if (ms < HURRIED_PROGRESS_MS) continue;
      if (body.bytes / ms < MIN_PROGRESS_BYTES / HURRIED_PROGRESS_MS) body.letGo();
    }
  }
}

class Watched implements PacedBody {
  bytes = 0;
  tooSlow = false;
  readonly #progressMs: number;
  readonly #letGo: () => void;
  readonly #ended: () => void;
  /** When it was read from, of which the rests are taken out; undefined during one. */
  #begun: number | undefined = performance.now();
  /** Milliseconds for which it had been read when the last rest began. */
  #before = 0;
  /** Bytes and milliseconds at which the progress under way began. */
  #seen = 0;
  #seenAt = 0;
  #timer: ReturnType<typeof setTimeout>;

  constructor(progressMs: number, letGo: () => void, ended: () => void) {
    this.#progressMs = progressMs;
    this.#letGo = letGo;
    this.#ended = ended;
    this.#timer = this.#judgeIn(progressMs);
  }

  /** Milliseconds for which somebody has read it. */
  readFor(now: number): number {
    return this.#before + (this.#begun === undefined ? 0 : now - this.#begun);
  }

  rest(): void {
    clearTimeout(this.#timer);
    this.#before = this.readFor(performance.now());
    this.#begun = undefined;
  }

  resume(): void {
    if (this.tooSlow) return;
    this.#begun = performance.now();
    const left = this.#seenAt + this.#progressMs - this.#before;
    this.#timer = this.#judgeIn(Math.max(0, left));
  }

  letGo(): void {
    this.stop();
    this.tooSlow = true;
    this.#letGo();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#ended();
  }

  #judgeIn(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      if (this.bytes - this.#seen < MIN_PROGRESS_BYTES) return this.letGo();
      this.#seen = this.bytes;
      this.#seenAt = this.readFor(performance.now());
      this.#timer = this.#judgeIn(this.#progressMs);
    }, ms);
  }
}
