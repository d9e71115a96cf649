import { closeSync, constants, openSync, readSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { identityOf, statOf } from "./database_files.ts";
import { HarmedFilesError, isCorrupt } from "./errors.ts";
import { JOURNAL_LIMIT_BYTES } from "./open_database.ts";

/**
 * What another process did to the files.
 *
 * - `database replaced`: the database was moved, deleted or replaced
 * - `log overwritten`: the log was overwritten or truncated
 * - `changed`: log or index were moved, deleted or replaced, or the database is shorter (also after a `VACUUM`)
 */
export type Harm = "database replaced" | "log overwritten" | "changed";

/** Begins a log, in either byte order: https://www.sqlite.org/fileformat2.html#walformat */
const LOG_MAGIC = [0x377f0682, 0x377f0683];
const LOG_HEADER_BYTES = 32;
/** Offset of the number that changes each time SQLite starts the log again. */
const SALT_OFFSET = 16;

/**
 * An open database with its write-ahead log and the log's index. SQLite does not notice that they are harmed: it commits
 * to a log that is deleted, and reads its cache instead of one that is overwritten. A later process finds nothing of it.
 */
export class OpenedFiles {
  readonly #db: DatabaseSync;
  readonly #path: string;
  /** Of the database, its log and its index. */
  readonly #identities: readonly (string | undefined)[];
  /** Descriptor of the WAL. Closing a descriptor ends all locks of the process on the file; SQLite has none on its WAL. */
  readonly #log: number | undefined;
  readonly #header = new DataView(new ArrayBuffer(LOG_HEADER_BYTES));
  #bytes: number;
  #salt = 0n;
  #logBytes = 0;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
    const files = this.#stat();
    this.#identities = files.map(identityOf);
    this.#bytes = files[0]?.size ?? 0;
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
    this.#log = files[1] && openSync(`${path}-wal`, flags);
  }

  /** Of the database. */
  get identity(): string | undefined {
    return this.#identities[0];
  }

  /**
   * What happened since the files were opened; undefined: nothing. Takes about 10 µs. Bytes overwritten in the database,
   * or in the log but not at its beginning, are not noticed.
   */
  harm(): Harm | undefined {
    const files = this.#stat();
    const [isSame, isSameLog, isSameIndex] = files.map((file, at) =>
      identityOf(file) === this.#identities[at]
    );
    if (!isSame) return "database replaced";
    if (this.#isLogHarmed(isSameLog ? files[1]?.size : undefined)) return "log overwritten";
    const bytes = files[0]?.size ?? 0;
    if (!isSameLog || !isSameIndex || bytes < this.#bytes) return "changed";
    this.#bytes = bytes;
    return undefined;
  }

  /**
   * Closes harmed files so that the path can be opened again. First writes the WAL into the database, if it is the one
   * that was opened.
   *
   * @returns whether the database has everything that its log had
   * @throws {HarmedFilesError} another process uses the log; nothing was closed
   * @throws an error of SQLite, as of a full disk; nothing was closed
   */
  closeHarmed(harm: Harm): boolean {
    // If there is another log, a server has started it on this database: its pages are newer.
    const isSaved = harm === "changed" && this.#isOwn("-wal") !== false && this.#moveLog();
    // The last connection to close writes the WAL into the database; one that may only read does not.
    using _last = harm === "log overwritten" ? openReader(this.#path) : undefined;
    // The next connection would apply a WAL that is left.
    for (const suffix of ["-wal", "-shm"]) {
      if (this.#isOwn(suffix)) rmSync(this.#path + suffix, { force: true });
    }
    this.close();
    return isSaved;
  }

  close(): void {
    this.#db.close();
    if (this.#log !== undefined) closeSync(this.#log);
  }

  /** @param bytes of the log; undefined: it has another name, or none */
  #isLogHarmed(bytes = Infinity): boolean {
    if (this.#log === undefined) return false;
    const read = readSync(this.#log, this.#header, 0, LOG_HEADER_BYTES, 0);
    if (read === 0) return !this.#canReadLog();
    if (read < LOG_HEADER_BYTES || !LOG_MAGIC.includes(this.#header.getUint32(0))) return true;
    const salt = this.#header.getBigUint64(SALT_OFFSET);
    const wasStarted = salt !== this.#salt;
    // SQLite truncates a log only to start it, and to its limit.
    if (!wasStarted && bytes < Math.min(this.#logBytes, JOURNAL_LIMIT_BYTES)) return true;
    this.#salt = salt;
    this.#logBytes = wasStarted ? 0 : bytes;
    return false;
  }

  /** Whether SQLite expects an empty WAL, too: false if another process has truncated it. */
  #canReadLog(): boolean {
    try {
      this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
      return true;
    } catch {
      return false;
    }
  }

  /** Moves the log into the database. Returns false if the database is corrupt. */
  #moveLog(): boolean {
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
    const found = identityOf(statOf(this.#path + suffix));
    return found === undefined ? undefined : this.#identities.includes(found);
  }

  #stat(): (Deno.FileInfo | undefined)[] {
    return ["", "-wal", "-shm"].map((suffix) => statOf(this.#path + suffix));
  }
}

/**
 * Whether the database at this path passes `quick_check`, which reads all of it.
 *
 * @throws an error of SQLite
 */
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
