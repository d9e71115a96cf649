import type { DatabaseSync } from "node:sqlite";
import { fileIdentity, removeDatabase, setAside } from "./database_files.ts";
import {
  DatabaseFileError,
  DatabaseVersionError,
  DiskFullError,
  isCorrupt,
  isUnwritable,
  SymbolicLinkError,
} from "./errors.ts";
import { type DatabaseOptions, openDatabase } from "./open_database.ts";
import { Reserve } from "./reserve.ts";

export interface RecoveringOptions<Store> extends DatabaseOptions {
  /** Creates what works on an open database. */
  readonly createStore: (db: DatabaseSync) => Store;
  /** Called before anything else is done with a file that replaces one that was open. */
  readonly onReplaced?: (store: Store) => void;
  /** Milliseconds since 1970: names a file that is set aside. Default: the clock. */
  readonly now?: () => number;
}

interface Opened<Store> {
  readonly db: DatabaseSync;
  readonly store: Store;
  /** Of the open file. Another one at its path: this one was moved or deleted. */
  readonly identity: string | undefined;
}

/**
 * A database that stays usable: a corrupt file is set aside and replaced by an empty one, a file that was moved or deleted is
 * replaced at its path, and on a full disk deleting still works.
 */
export class RecoveringDatabase<Store> {
  readonly #options: RecoveringOptions<Store>;
  readonly #reserve: Reserve | undefined;
  #opened: Opened<Store> | undefined;
  /** Whether a file was open before: the next one replaces it. */
  #wasOpen = false;

  /**
   * @throws {DatabaseVersionError | SymbolicLinkError | DatabaseFileError}
   */
  constructor(options: RecoveringOptions<Store>) {
    const { store, path } = options;
    this.#options = options;
    this.#reserve = path === undefined ? undefined : new Reserve(`${path}.reserve`);
    try {
      this.#current();
    } catch (error) {
      if (error instanceof DatabaseVersionError || error instanceof SymbolicLinkError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new DatabaseFileError(store, path ?? ":memory:", reason);
    }
    this.canGrow();
  }

  /** Does the work; if the file turns out to be corrupt, once more with an empty one. */
  run<T>(work: (store: Store) => T): T {
    const { store, identity } = this.#current();
    try {
      return work(store);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return work(this.#replaceCorrupt(identity).store);
    }
  }

  /**
   * {@linkcode run} for work that adds to the database.
   *
   * @throws {DiskFullError} nothing was added
   */
  grow<T>(work: (store: Store) => T): T {
    try {
      // Once the file is open: a deleted folder is created again then.
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

  /** {@linkcode run} for work that deletes: on a full disk the reserve is given up for it. */
  shrink<T>(work: (store: Store) => T): T {
    try {
      return this.run(work);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      this.makeRoom();
      return this.run(work);
    } finally {
      this.#reserve?.retry();
    }
  }

  /** Whether anything can be added: false on a full disk, until there is room again. */
  canGrow(): boolean {
    return this.#reserve?.isThere() ?? true;
  }

  /** Gives up the reserve for the content of the log, so that deleting works on a full disk. */
  makeRoom(): void {
    this.#reserve?.giveUp();
    try {
      this.emptyLog();
    } catch {
      // Another program has filled the disk: the next call fails, and reports it.
    }
  }

  /** Moves the log into the file, and truncates it if no other process reads it at this moment. */
  emptyLog(): void {
    this.#opened?.db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  }

  /** Deletes everything without writing to the old file: for a disk on which not even deleting is possible. */
  startOver(): void {
    this.close();
    if (this.#options.path !== undefined) removeDatabase(this.#options.path);
    this.#current();
  }

  close(): void {
    this.#opened?.db.close();
    this.#opened = undefined;
  }

  #current(): Opened<Store> {
    const { path } = this.#options;
    const found = path === undefined ? undefined : fileIdentity(path);
    // Moved by another process that found it corrupt, or deleted: writes to it are lost.
    if (this.#opened && found !== this.#opened.identity) this.close();
    if (this.#opened) return this.#opened;
    try {
      return this.#open();
    } catch (error) {
      if (isCorrupt(error)) return this.#replaceCorrupt(found);
      if (!isUnwritable(error) || this.#reserve === undefined) throw error;
      // A full disk: SQLite creates files to open a database.
      this.#reserve.giveUp();
      return this.#open();
    }
  }

  /** @param corrupt the identity of the corrupt file */
  #replaceCorrupt(corrupt: string | undefined): Opened<Store> {
    this.close();
    const { store, path, now = Date.now, onNotice } = this.#options;
    // Another process may have replaced it already: then the file that is there now is a good one.
    if (path !== undefined && corrupt === fileIdentity(path)) {
      const name = setAside(path, now());
      onNotice(
        `The ${store} ${path} was corrupt: it is set aside as ${name}, and a new one begins.`,
      );
    }
    return this.#open();
  }

  #open(): Opened<Store> {
    const { path, createStore, onReplaced } = this.#options;
    const db = openDatabase(this.#options);
    try {
      const store = createStore(db);
      if (this.#wasOpen) onReplaced?.(store);
      const identity = path === undefined ? undefined : fileIdentity(path);
      this.#opened = { db, store, identity };
      this.#wasOpen = true;
      return this.#opened;
    } catch (error) {
      db.close();
      throw error;
    }
  }
}
