import { freeBytes } from "../protocol/free_bytes.ts";
import { isLeaving } from "./http/leaving.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Sizes are whole steps, so that bodies of about one size find each other's memory. */
export const STEP_BYTES = 64 * 1024;

/** Larger ones are rare, and little of their time goes into memory. */
const MAX_BYTES = 1024 * 1024;

/** All that waits for the next body: no budget counts it, so it is little. */
export const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** Milliseconds without a large body after which nothing is kept. */
export const IDLE_MS = 1_000;

/**
 * Memory of large bodies that have gone, for those that come. What the system gives anew it gives page by page
 * as it is touched, which takes a body of 200 KB as long as to send it. Old bytes are still in there: only
 * what was written over them is ever to be shown.
 */
export class BodyMemory {
  readonly #kept = new Map<number, ArrayBuffer[]>();
  #bytes = 0;
  #isUsed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Bytes that are kept now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Memory of at least so many bytes. */
  take(bytes: number): Bytes {
    if (bytes > MAX_BYTES) return new Uint8Array(bytes);
    const size = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
    const kept = this.#kept.get(size)?.pop();
    if (kept === undefined) return new Uint8Array(size);
    this.#bytes -= size;
    return new Uint8Array(kept);
  }

  /** Takes back the memory of bytes that nobody looks at any more, and keeps it or frees it. */
  give(bytes: Bytes): void {
    const { buffer } = bytes;
    const { byteLength: size, detached } = buffer;
    const fits = size > 0 && size <= MAX_BYTES && size % STEP_BYTES === 0 && !buffer.resizable &&
      this.#bytes + size <= MAX_KEPT_BYTES;
    if (detached || !fits || isLeaving(buffer)) return freeBytes(bytes);
    const kept = this.#kept.get(size);
    if (kept === undefined) this.#kept.set(size, [buffer]);
    else kept.push(buffer);
    this.#bytes += size;
    this.#isUsed = true;
    this.#watch();
  }

  /** Frees all that is kept once no body has come for a while. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#isUsed = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isUsed) return this.#watch();
      for (const buffers of this.#kept.values()) {
        for (const buffer of buffers) freeBytes(new Uint8Array(buffer));
      }
      this.#kept.clear();
      this.#bytes = 0;
    }, IDLE_MS);
    Deno.unrefTimer(this.#timer);
  }
}
