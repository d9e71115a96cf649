import { closeSync, constants, openSync, readSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { identityOf, statOf } from "./database_files.ts";
import { HarmedFilesError, isCorrupt } from "./errors.ts";
import { WAL_LIMIT_BYTES } from "./open_database.ts";

/**
 * What another process did to the files.
 *
 * - `database replaced`: the database was moved, deleted or replaced
 * - `WAL overwritten`: the write-ahead log (WAL) was overwritten or truncated
 * - `changed`: WAL or index were moved, deleted or replaced, or the database is shorter (also after a `VACUUM`)
 */
export type Harm = "database replaced" | "WAL overwritten" | "changed";

/** Begins a WAL, in either byte order: https://www.sqlite.org/fileformat2.html#walformat */
const WAL_MAGIC = [0x377f0682, 0x377f0683];
const WAL_HEADER_BYTES = 32;
/** Offset of the number that changes each time SQLite starts the WAL again. */
const SALT_OFFSET = 16;

/**
 * An open database with its WAL and the WAL's index. SQLite does not notice that they are harmed: it commits to a deleted
 * WAL, and reads its cache instead of an overwritten one. These commits are lost when the process ends.
 */
export class OpenedFiles {
  readonly #db: DatabaseSync;
  /** Of the database, its WAL and its index. */
  readonly #identities: readonly (string | undefined)[];
  /** Descriptor of the WAL. Closing it ends all locks of the process on that file, but SQLite has none on a WAL. */
  readonly #wal: number | undefined;
  readonly #header = new DataView(new ArrayBuffer(WAL_HEADER_BYTES));
  #bytes: number;
  #salt = 0n;
  #walBytes = 0;

  constructor(db: DatabaseSync, readonly path: string) {
    this.#db = db;
    const files = this.#stat();
    this.#identities = files.map(identityOf);
    this.#bytes = files[0]?.size ?? 0;
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
    this.#wal = files[1] && openSync(`${path}-wal`, flags);
  }

  get identity(): string | undefined {
    return this.#identities[0];
  }

  /**
   * What happened since the files were opened; undefined: nothing. Cheap enough for each call. Not noticed: bytes
   * overwritten in the database, or in the WAL but not at its beginning.
   */
  harm(): Harm | undefined {
    const files = this.#stat();
    const [isSame, isSameWal, isSameIndex] = files.map((file, at) =>
      identityOf(file) === this.#identities[at]
    );
    if (!isSame) return "database replaced";
    if (this.#isWalHarmed(isSameWal ? files[1]?.size : undefined)) return "WAL overwritten";
    const bytes = files[0]?.size ?? 0;
    if (!isSameWal || !isSameIndex || bytes < this.#bytes) return "changed";
    this.#bytes = bytes;
    return undefined;
  }

  /**
   * Closes harmed files so that the path can be opened again. First writes the WAL into the database, if it is the one
   * that was opened. Returns whether the database has everything that its WAL had. If it throws, nothing was closed.
   */
  closeHarmed(harm: Harm): boolean {
    // Another WAL was created by a server that uses this database: its pages are newer.
    const isSaved = harm === "changed" && this.#isOwn("-wal") !== false && this.#checkpoint();
    // SQLite writes the WAL into the database when the last connection closes, unless that one is read-only.
    using _last = harm === "WAL overwritten" ? openReader(this.path) : undefined;
    // The next connection would apply a WAL that is left.
    for (const suffix of ["-wal", "-shm"]) {
      if (this.#isOwn(suffix)) rmSync(this.path + suffix, { force: true });
    }
    this.close();
    return isSaved;
  }

  close(): void {
    this.#db.close();
    if (this.#wal !== undefined) closeSync(this.#wal);
  }

  /** @param bytes of the WAL; undefined: it has another name, or none */
  #isWalHarmed(bytes = Infinity): boolean {
    if (this.#wal === undefined) return false;
    const read = readSync(this.#wal, this.#header, 0, WAL_HEADER_BYTES, 0);
    if (read === 0) return !this.#canReadWal();
    if (read < WAL_HEADER_BYTES || !WAL_MAGIC.includes(this.#header.getUint32(0))) return true;
    const salt = this.#header.getBigUint64(SALT_OFFSET);
    const wasStarted = salt !== this.#salt;
    // SQLite truncates a WAL only to start it, and to its limit.
    if (!wasStarted && bytes < Math.min(this.#walBytes, WAL_LIMIT_BYTES)) return true;
    this.#salt = salt;
    this.#walBytes = wasStarted ? 0 : bytes;
    return false;
  }

  /** Whether SQLite expects an empty WAL, too: false if another process has truncated it. */
  #canReadWal(): boolean {
    try {
      this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
      return true;
    } catch {
      return false;
    }
  }

  /** Writes the WAL into the database. Returns false if the database is corrupt. */
  #checkpoint(): boolean {
    try {
      const { busy } = this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
      if (busy !== 0) throw new HarmedFilesError();
      return true;
    } catch (error) {
      if (isCorrupt(error)) return false;
      throw error;
    }
  }

  /** Whether a file is one of those that were opened. Undefined: there is none. */
  #isOwn(suffix: string): boolean | undefined {
    const found = identityOf(statOf(this.path + suffix));
    return found === undefined ? undefined : this.#identities.includes(found);
  }

  #stat(): (Deno.FileInfo | undefined)[] {
    return ["", "-wal", "-shm"].map((suffix) => statOf(this.path + suffix));
  }
}

/** Whether the database at this path passes `quick_check`, which reads all of it. */
export function isIntact(path: string): boolean {
  try {
    using reader = openReader(path);
    return statOf(path)?.size !== 0 &&
      reader.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok";
  } catch (error) {
    if (isCorrupt(error)) return false;
    throw error;
  }
}

/** Opens a database with a lock on it. */
function openReader(path: string): DatabaseSync {
  const reader = new DatabaseSync(path, { readOnly: true });
  try {
    reader.prepare("SELECT 1 FROM sqlite_schema").get();
  } catch {
    // The lock does not depend on what was read.
  }
  return reader;
}
