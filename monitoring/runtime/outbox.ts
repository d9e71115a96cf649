import type { Amount } from "./dropped.ts";

/** What is known of how an envelope was received. */
export interface Receipt {
  readonly status: number;
  readonly headers: Headers;
}

/** An envelope on its way. */
export interface Parcel {
  /** Made once: whenever it is sent again, it is these bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What is lost with it. */
  readonly amounts: readonly Amount[];
}

export interface OutboxOptions {
  /** Hands bytes over. What it throws counts as no answer. */
  readonly send: (bytes: Uint8Array<ArrayBuffer>) => Promise<Receipt>;
  /** Told of each answer that decides: a success, a refusal, a limit. */
  readonly onReceipt: (receipt: Receipt, parcel: Parcel) => void;
  /** Told of what found no room, or was still there at the end. */
  readonly onDropped: (reason: "queue_overflow" | "shutdown", parcel: Parcel) => void;
  /** Whether a limit of the ingest forbids it now; then it counts as dealt with. */
  readonly isLimited: (parcel: Parcel) => boolean;
  /** Calls back after some milliseconds; gives the function that calls it off. */
  readonly later: (callback: () => void, ms: number) => () => void;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Envelopes and bytes that wait or are under way. An ingest may be down for days, and the memory is
 * the server's: what it reports of itself may take this much of it.
 */
export const MAX_PARCELS = 1_000;
export const MAX_BYTES = 8 * 1024 * 1024;

/** Sent at the same time: at 100 ms for each, 320 in a second, more than are traced. */
const AT_ONCE = 32;

/** Milliseconds until the first attempt again, and at most between two of them. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Keeps each envelope until it is taken or refused for good. What finds no room pushes out the
 * oldest that holds nothing but spans, and where there is none the oldest.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #waiting: Parcel[] = [];
  readonly #underWay = new Set<Parcel>();
  #bytes = 0;
  /** Attempts in vain since the last that was answered. */
  #failures = 0;
  #endPause: (() => void) | undefined;
  #whenEmpty: (() => void)[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Envelopes that wait or are under way. */
  get size(): number {
    return this.#waiting.length + this.#underWay.size;
  }

  put(parcel: Parcel): void {
    this.#waiting.push(parcel);
    this.#bytes += parcel.bytes.length;
    while (this.#waiting.length > 0 && (this.size > MAX_PARCELS || this.#bytes > MAX_BYTES)) {
      this.#drop("queue_overflow", Math.max(0, this.#waiting.findIndex(isSpansOnly)));
    }
    this.#send();
  }

  /** Sends what waits, without waiting for the end of a pause. True once nothing is left, false after `ms`. */
  flush(ms: number): Promise<boolean> {
    if (this.size === 0) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const callOff = this.#options.later(() => resolve(false), ms);
    this.#whenEmpty.push(() => resolve(true));
    this.#endPause?.();
    this.#endPause = undefined;
    this.#failures = 0;
    this.#send();
    return promise.finally(callOff);
  }

  /** Gives up what is still here: nobody will ask any more. */
  abandon(): void {
    this.#endPause?.();
    this.#waiting.push(...this.#underWay);
    this.#underWay.clear();
    while (this.#waiting.length > 0) this.#drop("shutdown", 0);
  }

  #drop(reason: "queue_overflow" | "shutdown", index: number): void {
    const [parcel] = this.#waiting.splice(index, 1);
    if (parcel === undefined) return;
    this.#bytes -= parcel.bytes.length;
    this.#options.onDropped(reason, parcel);
  }

  #send(): void {
    // After a failure one goes ahead, to see whether the others may follow.
    const atOnce = this.#failures > 0 ? 1 : AT_ONCE;
    while (this.#endPause === undefined && this.#underWay.size < atOnce) {
      const parcel = this.#waiting.shift();
      if (parcel === undefined) break;
      this.#underWay.add(parcel);
      if (this.#options.isLimited(parcel)) this.#done(parcel);
      else void this.#attempt(parcel);
    }
    if (this.size === 0) { for (const tell of this.#whenEmpty.splice(0)) tell(); }
  }

  async #attempt(parcel: Parcel): Promise<void> {
    const receipt = await this.#options.send(parcel.bytes).catch(() => undefined);
    // Given up while it was under way.
    if (!this.#underWay.has(parcel)) return;
    if (receipt === undefined || isPassing(receipt.status)) {
      this.#underWay.delete(parcel);
      // Behind the others: one that is never taken must not be what each attempt is spent on.
      this.#waiting.push(parcel);
      this.#pause();
    } else {
      this.#failures = 0;
      this.#done(parcel);
      this.#options.onReceipt(receipt, parcel);
    }
    this.#send();
  }

  #done(parcel: Parcel): void {
    this.#underWay.delete(parcel);
    this.#bytes -= parcel.bytes.length;
  }

  #pause(): void {
    if (this.#endPause !== undefined) return;
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures++;
    // Jitter: servers that lost the same ingest must not come back to it in step.
    const ms = longest * (0.5 + this.#options.random() / 2);
    this.#endPause = this.#options.later(() => {
      this.#endPause = undefined;
      this.#send();
    }, ms);
  }
}

/** Another attempt may end otherwise. */
function isPassing(status: number): boolean {
  return status < 200 || (status >= 300 && status < 400) || status >= 500 || status === 408 ||
    status === 425;
}

function isSpansOnly({ amounts }: Parcel): boolean {
  return amounts.every(({ category }) => category === "span");
}
