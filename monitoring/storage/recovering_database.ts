import type { DatabaseSync } from "node:sqlite";
import { fileIdentity, removeDatabase, setAside } from "./database_files.ts";
import {
  DatabaseFileError,
  DatabaseOpenError,
  DiskFullError,
  isCorrupt,
  isUnwritable,
} from "./errors.ts";
import { type DatabaseOptions, openDatabase } from "./open_database.ts";
import { Reserve } from "./reserve.ts";

interface RecoveringOptions<Store> extends DatabaseOptions {
  /** Creates the store on an open database, for example by preparing its statements. */
  readonly createStore: (db: DatabaseSync) => Store;
  /** Called first with the store of a file that replaces an open one. */
  readonly onReplaced?: (store: Store) => void;
  /** Milliseconds since 1970: names a file that is set aside. Default: the clock. */
  readonly now?: () => number;
}

interface Opened<Store> {
  readonly db: DatabaseSync;
  readonly store: Store;
  /** Identity of the open file. If the path has another one, this file was moved or deleted. */
  readonly identity: string | undefined;
}

/**
 * A database that stays usable: a corrupt file is set aside and replaced by an empty one, a moved or deleted file is
 * replaced, and deleting works on a full disk.
 */
export class RecoveringDatabase<Store> {
  readonly #options: RecoveringOptions<Store>;
  readonly #reserve: Reserve | undefined;
  #opened: Opened<Store> | undefined;
  /** Whether a file was open before: the next one replaces it. */
  #wasOpen = false;

  /** @throws {DatabaseOpenError} */
  constructor(options: RecoveringOptions<Store>) {
    const { store, path } = options;
    this.#options = options;
    this.#reserve = path === undefined ? undefined : new Reserve(`${path}.reserve`);
    try {
      this.#current();
    } catch (error) {
      if (error instanceof DatabaseOpenError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new DatabaseFileError(store, path ?? ":memory:", reason);
    }
    this.canGrow();
  }

  /** Does the work; if the file is found to be corrupt, once more with an empty one. */
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

  /** {@linkcode run} for work that deletes: on a full disk the reserve is removed first. */
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
    return this.#reserve?.exists() ?? true;
  }

  /** Removes the reserve, which leaves room for the log, so that deleting works on a full disk. */
  makeRoom(): void {
    this.#reserve?.remove();
    try {
      this.emptyLog();
    } catch {
      // Another program filled the disk: the next call fails and reports it.
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
    // Deleted, or moved by another process that found it corrupt: writes to it would be lost.
    if (this.#opened && found !== this.#opened.identity) this.close();
    if (this.#opened) return this.#opened;
    try {
      return this.#open();
    } catch (error) {
      if (isCorrupt(error)) return this.#replaceCorrupt(found);
      if (!isUnwritable(error) || this.#reserve === undefined) throw error;
      // A full disk: SQLite creates files to open a database.
      this.#reserve.remove();
      return this.#open();
    }
  }

  /** @param corrupt the identity of the corrupt file */
  #replaceCorrupt(corrupt: string | undefined): Opened<Store> {
    this.close();
    const { store, path, now = Date.now, onNotice } = this.#options;
    // If another process has replaced it already, the file that is there now is intact.
    if (path !== undefined && corrupt === fileIdentity(path)) {
      const name = setAside(path, now());
      onNotice(
        `The ${store} ${path} was corrupt: it was renamed to ${name} and replaced by an empty one.`,
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
