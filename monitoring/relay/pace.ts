import { type Alarm, Alarms } from "./alarms.ts";

/**
 * A slower body is let go, for what has come of it takes room from others: a handful of senders
 * that stop short of the end could otherwise fill the memory and keep it.
 */
export const MIN_PROGRESS_BYTES = 16 * 1024;
export const PROGRESS_MS = 30_000;

/** While somebody waits for the connection a body has this long for {@linkcode MIN_PROGRESS_BYTES}. */
export const HURRIED_PROGRESS_MS = 2_000;

/** What is left of a body's time is rounded up to such a part of it: times of many lengths wait for many alarms. */
const PARTS = 8;

/** One body that comes in. Time in which nobody reads it is not its sender's. */
export interface PacedBody {
  /** It is let go: it was too slow. */
  readonly tooSlow: boolean;
  came(bytes: number): void;
  /** From now on nobody reads. */
  rest(): void;
  resume(): void;
  /** It has ended. */
  stop(): void;
}

/** Holds the bodies that come in to a pace. */
export class Pace {
  readonly #progressMs: number;
  readonly #bodies = new Set<Watched>();
  readonly #alarms = new Alarms();

  /** @param progressMs milliseconds in which {@linkcode MIN_PROGRESS_BYTES} or the rest must come */
  constructor(progressMs = PROGRESS_MS) {
    this.#progressMs = progressMs;
  }

  /** @param letGo called once, when the body is too slow */
  watch(letGo: () => void): PacedBody {
    const body = new Watched(this.#progressMs, this.#alarms, letGo, this.#bodies);
    this.#bodies.add(body);
    return body;
  }

  /**
   * Somebody waits: lets go of all bodies that came more slowly than one may now. Connections that are
   * held by bodies which never come would else keep everybody out.
   */
  hurry(): void {
    for (const body of this.#bodies) if (body.isSlow()) body.letGo();
  }
}

class Watched implements PacedBody {
  tooSlow = false;
  readonly #progressMs: number;
  readonly #alarms: Alarms;
  readonly #letGo: () => void;
  readonly #bodies: Set<Watched>;
  #alarm: Alarm | undefined;
  #bytes = 0;
  /** When it was begun to be read, or to be read again. */
  #since = 0;
  /** Milliseconds for which it was read before that. */
  #readMs = 0;
  /** What had come, and how long it had been read, when its present time began. */
  #seenBytes = 0;
  #seenMs = 0;

  constructor(progressMs: number, alarms: Alarms, letGo: () => void, bodies: Set<Watched>) {
    this.#progressMs = progressMs;
    this.#alarms = alarms;
    this.#letGo = letGo;
    this.#bodies = bodies;
    this.resume();
  }

  came(bytes: number): void {
    this.#bytes += bytes;
  }

  rest(): void {
    this.#alarm?.cancel();
    this.#readMs = this.#lasted();
    this.#alarm = undefined;
  }

  resume(): void {
    this.#since = performance.now();
    const part = this.#progressMs / PARTS;
    const left = PARTS - Math.floor((this.#readMs - this.#seenMs) / part);
    this.#alarm = this.#alarms.after(Math.max(0, left) * part, () => this.#judge(), this.#since);
  }

  /** Whether it comes more slowly than a body may for which somebody else waits. */
  isSlow(): boolean {
    const ms = this.#lasted();
    return ms >= HURRIED_PROGRESS_MS && this.#bytes / ms < MIN_PROGRESS_BYTES / HURRIED_PROGRESS_MS;
  }

  letGo(): void {
    this.stop();
    this.tooSlow = true;
    this.#letGo();
  }

  stop(): void {
    this.#alarm?.cancel();
    this.#bodies.delete(this);
  }

  /** Milliseconds for which it has been read. */
  #lasted(): number {
    const now = this.#alarm === undefined ? 0 : performance.now() - this.#since;
    return this.#readMs + now;
  }

  #judge(): void {
    if (this.#bytes - this.#seenBytes < MIN_PROGRESS_BYTES) return this.letGo();
    this.#readMs = this.#seenMs = this.#lasted();
    this.#seenBytes = this.#bytes;
    this.resume();
  }
}
