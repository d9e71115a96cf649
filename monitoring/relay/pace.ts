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
  /** It has ended. */
  stop(): void;
}

/** Holds the bodies that come in to a pace. */
export class Pace {
  readonly #progressMs: number;
  /** The oldest first. */
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
      const ms = now - body.begun;
      if (ms < HURRIED_PROGRESS_MS) return;
      if (body.bytes / ms < MIN_PROGRESS_BYTES / HURRIED_PROGRESS_MS) body.letGo();
    }
  }
}

class Watched implements PacedBody {
  readonly begun = performance.now();
  bytes = 0;
  tooSlow = false;
  readonly #letGo: () => void;
  readonly #ended: () => void;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(progressMs: number, letGo: () => void, ended: () => void) {
    this.#letGo = letGo;
    this.#ended = ended;
    let seen = 0;
    this.#timer = setInterval(() => {
      if (this.bytes - seen < MIN_PROGRESS_BYTES) this.letGo();
      seen = this.bytes;
    }, progressMs);
  }

  letGo(): void {
    this.stop();
    this.tooSlow = true;
    this.#letGo();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#ended();
  }
}
