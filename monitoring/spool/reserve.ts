import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";

/**
 * As much as the log can hold that the file has no room for yet: what is checkpointed at once, and a batch of puts
 * that came on top.
 */
export const RESERVE_BYTES = 16 * 1024 * 1024;
/** Between two attempts to make it: each writes until the disk is full. */
const RETRY_MS = 1_000;
const PIECE = new Uint8Array(1024 * 1024);

/**
 * A file that only takes room. To delete an envelope SQLite has to write; on a disk that the spool itself has filled
 * it could not, and would stay full for ever. Then the reserve is given up, and nothing is put until it is back.
 */
export class Reserve {
  #triedAt = -Infinity;

  constructor(readonly path: string) {}

  /** Whether it is there. Makes it where it is not, if there is room. */
  isThere(): boolean {
    if (statSync(this.path, { throwIfNoEntry: false })?.size === RESERVE_BYTES) return true;
    if (performance.now() - this.#triedAt < RETRY_MS) return false;
    this.#triedAt = performance.now();
    try {
      this.#make();
      return true;
    } catch {
      // No room: what was made of it would take the last.
      this.giveUp();
      return false;
    }
  }

  giveUp(): void {
    this.#triedAt = performance.now();
    rmSync(this.path, { force: true });
  }

  #make(): void {
    const file = openSync(this.path, "w", 0o600);
    try {
      for (let at = 0; at < RESERVE_BYTES;) {
        at += writeSync(file, PIECE, 0, Math.min(PIECE.byteLength, RESERVE_BYTES - at));
      }
    } finally {
      closeSync(file);
    }
  }
}
