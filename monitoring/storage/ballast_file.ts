import { renameSync, rmSync } from "node:fs";
import { createPrivate, statOf } from "./database_files.ts";

/** Enough for a WAL that is not in the database yet: the pages of one checkpoint and a batch of writes. */
const BALLAST_BYTES = 16 * 1024 * 1024;
/** Room for envelopes beside one that is created again. With less, it would be removed by the next envelope. */
const SPARE_BYTES = 4 * 1024 * 1024;
/** After an attempt to create it that failed: each writes until the disk is full. */
const RETRY_MS = 1_000;
const CHUNK = new Uint8Array(1024 * 1024);

/**
 * A file that only occupies disk space. SQLite has to write in order to delete, so on a full disk nothing could be
 * deleted. The ballast is removed then, and nothing is added until it could be created again.
 */
export class BallastFile {
  #failedAt = -Infinity;
  #isRemoved = false;

  /** @param makeRoom called before it is created again; returns the bytes that the database has free */
  constructor(readonly path: string, readonly makeRoom = () => 0) {}

  /** Whether it exists. Creates it if there is room. */
  exists(): boolean {
    const found = statOf(this.path);
    if (!this.#isRemoved && found?.isFile && found.size === BALLAST_BYTES) return true;
    if (performance.now() - this.#failedAt < RETRY_MS) return false;
    const spare = this.#isRemoved ? Math.max(0, SPARE_BYTES - this.makeRoom()) : 0;
    try {
      this.#create(spare);
      this.#isRemoved = false;
      return true;
    } catch {
      // No room: an incomplete one would occupy the rest of the disk.
      this.remove();
      return false;
    }
  }

  /** Deletes the file. It counts as missing until it was created again. */
  remove(): void {
    this.#isRemoved = true;
    this.#failedAt = performance.now();
    try {
      rmSync(this.path, { force: true });
    } catch {
      // A read-only disk.
    }
  }

  /** Disk space was freed. */
  retry(): void {
    this.#failedAt = -Infinity;
  }

  #create(spare: number): void {
    // Renamed once it is complete: another process may create it at the same time.
    const path = `${this.path}-${Deno.pid}`;
    rmSync(path, { force: true });
    using file = createPrivate(path);
    if (file === undefined) throw new Error("another process created it again");
    try {
      for (let left = BALLAST_BYTES + spare; left > 0;) {
        left -= file.writeSync(CHUNK.subarray(0, left));
      }
      file.truncateSync(BALLAST_BYTES);
      renameSync(path, this.path);
    } finally {
      rmSync(path, { force: true });
    }
  }
}
