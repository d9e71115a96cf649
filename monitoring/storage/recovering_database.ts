import type { DatabaseSync } from "node:sqlite";
import { BallastFile } from "./ballast_file.ts";
import { identityOf, removeDatabase, setAside, statOf } from "./database_files.ts";
import { DiskFullError, fileError, HarmedFilesError, isCorrupt, isUnwritable } from "./errors.ts";
import { type DatabaseOptions, openDatabase } from "./open_database.ts";
import { isIntact, OpenedFiles } from "./opened_files.ts";

const FREE_BYTES =
  "SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size";
/** Interval of checks whether the files are harmed. Each call checks them too. */
const CHECK_MS = 1_000;

interface RecoveringOptions<Store> extends DatabaseOptions {
  /** Creates the store on an open database, for example by preparing its statements. */
  readonly createStore: (db: DatabaseSync) => Store;
  /** Called with each store but the first, before any other work: its file was opened again, or replaced. */
  readonly onReplaced?: (store: Store) => void;
  readonly now?: () => number;
}

interface Opened<Store> {
  readonly db: DatabaseSync;
  readonly store: Store;
  readonly files: OpenedFiles | undefined;
}

/**
 * A database that stays usable. If another process has changed its files:
 *
 * 1. the WAL is written into the database, if possible,
 * 2. the files are closed,
 * 3. a database that is corrupt now is renamed,
 * 4. the database at the path is opened, or an empty one.
 *
 * On a full disk the ballast file makes room for deletions.
 */
export class RecoveringDatabase<Store> {
  readonly #options: RecoveringOptions<Store>;
  readonly #ballast: BallastFile | undefined;
  #opened: Opened<Store> | undefined;
  #wasOpen = false;
  readonly #timer: ReturnType<typeof setInterval>;

  /** @throws {DatabaseOpenError} */
  constructor(options: RecoveringOptions<Store>) {
    const { store, path } = options;
    this.#options = options;
    // Deletions have grown the WAL while the ballast file was missing: both may not fit.
    this.#ballast = path === undefined
      ? undefined
      : new BallastFile(`${path}.reserve`, () => this.#truncateWal());
    try {
      this.#current();
    } catch (error) {
      throw fileError(store, path ?? ":memory:", error);
    }
    // Creates the ballast file.
    this.canGrow();
    this.#timer = setInterval(() => {
      try {
        this.#current();
      } catch {
        // It cannot be opened now; calls report that.
      }
    }, CHECK_MS);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  /**
   * Does the work. If the file is corrupt or the disk is full, this is dealt with and the work is done once more.
   *
   * @param work asynchronous work: one at a time
   * @throws {HarmedFilesError} the result may be lost
   */
  run<T>(work: (store: Store) => T): T {
    const opened = this.#current();
    const repeat = (error: unknown) => {
      this.#recover(opened, error);
      const current = this.#current();
      return this.#checked(work(current.store), current);
    };
    let result: T;
    try {
      result = work(opened.store);
    } catch (error) {
      return repeat(error);
    }
    return result instanceof Promise
      ? result.then((value) => this.#checked(value, opened), repeat) as T
      : this.#checked(result, opened);
  }

  /** {@linkcode run} for work that adds. Throws `DiskFullError`: nothing was added. */
  grow<T>(work: (store: Store) => T): T {
    return this.run((store) => {
      this.#checkRoom();
      return work(store);
    });
  }

  shrink<T>(work: (store: Store) => T): T {
    const result = this.run(work);
    this.#ballast?.retry();
    return result;
  }

  canGrow(): boolean {
    return this.#ballast?.exists() ?? true;
  }

  /** Why nothing can be added now; undefined: it can. Opens harmed files again. */
  problem(): Error | undefined {
    try {
      this.#current();
      this.#checkRoom();
      return undefined;
    } catch (error) {
      return isUnwritable(error) ? new DiskFullError(this.#options.store) : error as Error;
    }
  }

  /** Replaces the files by empty ones. Nothing is written to the old ones: a full disk may have no room for that. */
  startOver(): void {
    this.#close();
    if (this.#options.path !== undefined) removeDatabase(this.#options.path);
    this.#ballast?.retry();
    this.#current();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#close();
  }

  /** @throws {HarmedFilesError} the files were harmed meanwhile */
  #checked<T>(result: T, opened: Opened<Store>): T {
    if (result instanceof Promise) return result.then((value) => this.#checked(value, opened)) as T;
    if (this.#closeIfHarmed(opened)) throw new HarmedFilesError();
    return result;
  }

  #checkRoom(): void {
    if (!this.canGrow()) throw new DiskFullError(this.#options.store);
  }

  #close(): void {
    (this.#opened?.files ?? this.#opened?.db)?.close();
    this.#opened = undefined;
  }

  #current(): Opened<Store> {
    const found = this.#opened;
    if (found && !this.#closeIfHarmed(found)) return found;
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

  #identity(): string | undefined {
    const { path } = this.#options;
    return path === undefined ? undefined : identityOf(statOf(path));
  }

  /** Closes harmed files, and renames the database if it is corrupt. Returns whether `opened` is closed. */
  #closeIfHarmed(opened: Opened<Store>): boolean {
    if (opened !== this.#opened) return true;
    const { files } = opened;
    const harm = files?.harm();
    if (files === undefined || harm === undefined) return false;
    const { store, onNotice } = this.#options;
    const { path } = files;
    const isSaved = files.closeHarmed(harm);
    this.#opened = undefined;
    if (harm === "database replaced") {
      onNotice(
        `The ${store} ${path} was moved, deleted or replaced by another process: the server continues with the file` +
          " that is there now, without what the old one has.",
      );
    } else if (!isIntact(path)) {
      this.#setAside(files.identity, "damaged by another process");
    } else {
      const outcome = isSaved ? "nothing is lost" : "the newest envelopes may be lost";
      onNotice(`The files of the ${store} ${path} were changed by another process: ${outcome}.`);
    }
    return true;
  }

  /** @throws the error, if trying again does not help */
  #recover(opened: Opened<Store>, error: unknown): void {
    // Checked first, because reading harmed files may look like corruption or like a failing disk.
    if (this.#closeIfHarmed(opened)) throw new HarmedFilesError({ cause: error });
    if (isCorrupt(error)) this.#setAside(opened.files?.identity, "corrupt");
    else if (isUnwritable(error) && !(error instanceof DiskFullError)) {
      // The WAL then has room, so that deleting works on a full disk.
      this.#ballast?.remove();
      this.#truncateWal();
    } else throw error;
  }

  /** Returns the bytes of the database's free pages. */
  #truncateWal(): number {
    try {
      // Without effect while another process reads it.
      this.#opened?.db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      return Number(this.#opened?.db.prepare(FREE_BYTES).get()?.bytes ?? 0);
    } catch {
      // Another program filled the disk: the next attempt fails and reports it.
      return 0;
    }
  }

  /** @param broken identity of the database to rename */
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
