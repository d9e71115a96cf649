import type { DatabaseSync } from "node:sqlite";
import { BallastFile } from "./ballast_file.ts";
import { identityOf, removeDatabase, setAside, statOf } from "./database_files.ts";
import {
  DatabaseFileError,
  DiskFullError,
  HarmedFilesError,
  isCorrupt,
  isUnwritable,
} from "./errors.ts";
import { type DatabaseOptions, openDatabase } from "./open_database.ts";
import { type Harm, OpenedFiles } from "./opened_files.ts";

/** Interval of checks whether the files are harmed, besides those of each call. */
const CHECK_MS = 1_000;

interface RecoveringOptions<Store> extends DatabaseOptions {
  /** Creates the store on an open database, for example by preparing its statements. */
  readonly createStore: (db: DatabaseSync) => Store;
  /** Called first with the store of a file that was opened again, or replaces an open one. */
  readonly onReplaced?: (store: Store) => void;
  /** Milliseconds since 1970: names a file that is set aside. Default: the clock. */
  readonly now?: () => number;
}

interface Opened<Store> {
  readonly db: DatabaseSync;
  readonly store: Store;
  /** Undefined: in memory. */
  readonly files: OpenedFiles | undefined;
}

/**
 * A database that stays usable: a corrupt file is set aside and replaced by an empty one, files that another process
 * moved, deleted, truncated or overwrote are opened again, and deleting works on a full disk.
 */
export class RecoveringDatabase<Store> {
  readonly #options: RecoveringOptions<Store>;
  readonly #ballast: BallastFile | undefined;
  #opened: Opened<Store> | undefined;
  /** Whether a file was open before: the next one replaces it. */
  #wasOpen = false;
  readonly #checks: ReturnType<typeof setInterval>;

  /** @throws {DatabaseOpenError} */
  constructor(options: RecoveringOptions<Store>) {
    const { store, path } = options;
    this.#options = options;
    this.#ballast = path === undefined ? undefined : new BallastFile(`${path}.reserve`);
    try {
      this.#current();
    } catch (error) {
      throw DatabaseFileError.from(store, path ?? ":memory:", error);
    }
    this.canGrow();
    this.#checks = setInterval(() => this.#check(), CHECK_MS);
    Deno.unrefTimer(this.#checks as unknown as number);
  }

  /**
   * Does the work; if the file is found to be corrupt, once more with an empty one.
   *
   * @throws {HarmedFilesError} the result may be lost
   */
  run<T>(work: (store: Store) => T): T {
    const opened = this.#current();
    let result: T;
    try {
      result = work(opened.store);
    } catch (error) {
      this.#replaceCorrupt(opened, error);
      return work(this.#open().store);
    }
    if (this.#isLeft(opened)) throw new HarmedFilesError();
    return result;
  }

  /** {@linkcode run} for asynchronous work, one at a time. */
  async runAsync<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const opened = this.#current();
    let result: T;
    try {
      result = await work(opened.store);
    } catch (error) {
      this.#replaceCorrupt(opened, error);
      return await work(this.#open().store);
    }
    if (this.#isLeft(opened)) throw new HarmedFilesError();
    return result;
  }

  /**
   * {@linkcode run} for work that adds to the database.
   *
   * @throws {DiskFullError} nothing was added
   */
  grow<T>(work: (store: Store) => T): T {
    try {
      // After opening the file, which creates a deleted folder again.
      return this.run((store) => {
        if (!this.canGrow()) throw new DiskFullError(this.#options.store);
        return work(store);
      });
    } catch (error) {
      if (error instanceof DiskFullError || !isUnwritable(error)) throw error;
      this.makeRoom();
      throw new DiskFullError(this.#options.store, { cause: error });
    }
  }

  /** {@linkcode run} for work that deletes: on a full disk the ballast file is removed first. */
  shrink<T>(work: (store: Store) => T): T {
    try {
      return this.run(work);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      this.makeRoom();
      return this.run(work);
    } finally {
      this.#ballast?.retry();
    }
  }

  /** Whether the disk has room: false on a full disk, until there is room again. */
  canGrow(): boolean {
    return this.#ballast?.exists() ?? true;
  }

  /** Why nothing can be added now; undefined: it can. Opens harmed files again. */
  problem(): Error | undefined {
    try {
      this.#current();
      if (this.canGrow()) return undefined;
    } catch (error) {
      if (!isUnwritable(error)) return error as Error;
    }
    return new DiskFullError(this.#options.store);
  }

  /** Removes the ballast file, which leaves room for the log, so that deleting works on a full disk. */
  makeRoom(): void {
    this.#ballast?.remove();
    try {
      // Truncates the log if no other process reads it at this moment.
      this.#opened?.db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    } catch {
      // Another program filled the disk: the next call fails and reports it.
    }
  }

  /** Replaces the files by empty ones. Nothing is written to the old ones: a full disk may have no room for that. */
  startOver(): void {
    this.#close();
    if (this.#options.path !== undefined) removeDatabase(this.#options.path);
    this.#current();
  }

  close(): void {
    clearInterval(this.#checks);
    this.#close();
  }

  #close(): void {
    (this.#opened?.files ?? this.#opened?.db)?.close();
    this.#opened = undefined;
  }

  #check(): void {
    try {
      this.#current();
    } catch {
      // It cannot be opened now; calls report that.
    }
  }

  #current(): Opened<Store> {
    const found = this.#opened;
    if (found && !this.#isLeft(found)) return found;
    const identity = this.#identity();
    try {
      return this.#open();
    } catch (error) {
      if (isCorrupt(error)) {
        this.#setAside(identity, "corrupt");
        return this.#open();
      }
      if (!isUnwritable(error) || this.#ballast === undefined) throw error;
      // A full disk: SQLite creates files to open a database.
      this.#ballast.remove();
      const opened = this.#open();
      this.#ballast.retry();
      return opened;
    }
  }

  /** Of the file that is there now. */
  #identity(): string | undefined {
    const { path } = this.#options;
    return path === undefined ? undefined : identityOf(statOf(path));
  }

  /** Closes harmed files. Returns whether `opened` is closed. */
  #isLeft(opened: Opened<Store>): boolean {
    if (opened !== this.#opened) return true;
    const { files } = opened;
    const harm = files?.harm();
    if (files === undefined || harm === undefined) return false;
    const { store, path, onNotice } = this.#options;
    if (harm === "emptied" || harm === "shrunk") {
      if (!files.restore()) {
        this.#setAside(files.identity, "truncated by another process");
        return true;
      }
      if (harm === "emptied") onNotice(notice(harm, `${store} ${path}`, true));
      return false;
    }
    const isSaved = files.leave(harm);
    this.#opened = undefined;
    // Before this was noticed, SQLite may have moved noise from the log into the database.
    if (harm === "log overwritten" && !files.isIntact()) {
      this.#setAside(files.identity, "damaged by another process that wrote to its log");
    } else {
      onNotice(notice(harm, `${store} ${path}`, isSaved));
    }
    return true;
  }

  /**
   * Sets the files aside if they caused the error.
   *
   * @throws the error, if a new file does not help
   */
  #replaceCorrupt(opened: Opened<Store>, error: unknown): void {
    // First: what is read from harmed files may look corrupt, or like a disk that fails.
    if (this.#isLeft(opened)) throw new HarmedFilesError({ cause: error });
    if (!isCorrupt(error)) throw error;
    this.#setAside(opened.files?.identity, "corrupt");
  }

  /**
   * Closes a broken database and renames it.
   *
   * @param broken its identity
   * @param problem for the notice
   */
  #setAside(broken: string | undefined, problem: string): void {
    this.#close();
    const { store, path, now = Date.now, onNotice } = this.#options;
    // If another process has replaced it already, the file that is there now is intact.
    if (path === undefined || broken !== this.#identity()) return;
    const name = setAside(path, now());
    onNotice(
      `The ${store} ${path} was ${problem}: it was renamed to ${name} and replaced by an empty one.`,
    );
  }

  #open(): Opened<Store> {
    const { path, createStore, onReplaced } = this.#options;
    const db = openDatabase(this.#options);
    try {
      const store = createStore(db);
      if (this.#wasOpen) onReplaced?.(store);
      const files = path === undefined ? undefined : new OpenedFiles(db, path);
      this.#opened = { db, store, files };
      this.#wasOpen = true;
      return this.#opened;
    } catch (error) {
      db.close();
      throw error;
    }
  }
}

/**
 * One sentence for the operator.
 *
 * @param database store and path
 */
function notice(harm: Exclude<Harm, "shrunk">, database: string, isSaved: boolean): string {
  const outcome = isSaved ? "nothing is lost" : "the newest envelopes may be lost";
  switch (harm) {
    case "database replaced":
      return `The ${database} was moved, deleted or replaced by another process: the server continues with the file` +
        " that is there now, without what the old one has.";
    case "log overwritten":
      return `The write-ahead log of the ${database} was overwritten or truncated by another process: ${outcome}.`;
    case "log replaced":
      return `The write-ahead log of the ${database} was moved, deleted or replaced by another process: ${outcome}.`;
    case "emptied":
      return `The ${database} was truncated by another process: its write-ahead log has restored it.`;
  }
}
