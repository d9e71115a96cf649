import { closeSync, lstatSync, rmSync, writeSync } from "node:fs";
import { createPrivate } from "./database_files.ts";

/**
 * Bytes of the log that the database may have no room for yet: the pages of one checkpoint, and a batch of writes that
 * came on top.
 */
export const RESERVE_BYTES = 16 * 1024 * 1024;
/** Between two attempts to create it: each writes until the disk is full. */
const RETRY_MS = 1_000;
const CHUNK = new Uint8Array(1024 * 1024);

/**
 * A file that only takes room. SQLite has to write in order to delete; on a disk that the database itself has filled,
 * nothing could ever be deleted. So the reserve is given up then, and nothing is added until it is back.
 */
export class Reserve {
  #triedAt = -Infinity;
  #givenUp = false;

  constructor(readonly path: string) {}

  /** Whether it is there. Creates it if there is room. */
  isThere(): boolean {
    const found = lstatSync(this.path, { throwIfNoEntry: false });
    if (!this.#givenUp && found?.isFile() && found.size === RESERVE_BYTES) return true;
    if (performance.now() - this.#triedAt < RETRY_MS) return false;
    this.#triedAt = performance.now();
    try {
      this.#create();
      this.#givenUp = false;
      return true;
    } catch {
      // No room: an incomplete reserve would take the rest of the disk.
      this.giveUp();
      return false;
    }
  }

  giveUp(): void {
    this.#givenUp = true;
    this.#triedAt = performance.now();
    try {
      rmSync(this.path, { force: true });
    } catch {
      // A read-only disk. It does not count as there until it could be created again.
    }
  }

  /** Room was made: the next question tries at once. */
  retry(): void {
    this.#triedAt = -Infinity;
  }

  #create(): void {
    rmSync(this.path, { force: true });
    const file = createPrivate(this.path);
    if (file === undefined) throw new Error("another process creates it");
    try {
      for (let at = 0; at < RESERVE_BYTES;) {
        at += writeSync(file, CHUNK, 0, Math.min(CHUNK.byteLength, RESERVE_BYTES - at));
      }
    } finally {
      closeSync(file);
    }
  }
}
