import { type ContentEncoding, DecodeError } from "../protocol/encoding.ts";
import { RelayError } from "./errors.ts";

/**
 * Deno 2.9.6 never gives back some 19 KB for each brotli body that is corrupt in certain places,
 * outside of every heap that could be watched. After this many the rest of the process's life goes
 * without brotli: some 40 MB, which anyone could have taken. No browser compresses so.
 */
export const MAX_BROKEN_BROTLI = 2_000;

/** Counts the brotli bodies that did not decompress, and refuses the encoding when there were too many. */
export class BrokenBrotli {
  readonly #max: number;
  #count = 0;

  constructor(max: number = MAX_BROKEN_BROTLI) {
    this.#max = max;
  }

  /** @throws {RelayError} `overloaded` */
  judge(encoding: ContentEncoding | null): void {
    if (encoding !== "br" || this.#count < this.#max) return;
    throw new RelayError(
      "overloaded",
      "Too many brotli bodies did not decompress, and each takes memory; send it in another encoding.",
    );
  }

  /** An envelope was refused for this reason. */
  refused(encoding: ContentEncoding | null, reason: unknown): void {
    if (encoding === "br" && reason instanceof DecodeError) this.#count++;
  }
}
