import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { ifFound } from "../protocol/if_found.ts";
import { linkError, type StoreName } from "./errors.ts";

/** Only the owner may read and write: telemetry at rest, possibly in a folder that others can list. */
const PRIVATE = 0o600;
const OTHERS = 0o077;
/** Suffixes of SQLite's files. `-wal` first: see {@linkcode setAside}. */
const SQLITE_FILES = ["-wal", "-shm", "-journal", ""];
const OPENED = [...SQLITE_FILES, ".reserve"];

/** Without following a link. Undefined: no such file. Faster than `lstatSync` of node:fs. */
export const statOf = (path: string) => ifFound(() => Deno.lstatSync(path));

/** Device and inode: changes when another file takes the name. */
export function identityOf(file: Deno.FileInfo | undefined): string | undefined {
  return file && `${file.dev}:${file.ino}`;
}

/** O_EXCL: neither an existing file nor a link in its place is opened. Undefined: the name is taken. */
export function createPrivate(path: string): Deno.FsFile | undefined {
  try {
    return Deno.openSync(path, { createNew: true, write: true, mode: PRIVATE });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return undefined;
    throw error;
  }
}

/**
 * Creates the folder and the database's file where they are missing, refuses links in place of its files, and makes
 * files private that an older version created with wider permissions. SQLite gives `-wal` and `-shm` the permissions of
 * the database, and never follows a link in their place.
 *
 * DATA_DIR itself may be a link: its owner has chosen the place.
 *
 * @param onNotice receives one sentence if permissions were changed
 * @throws {DatabaseOpenError} one of its files is a link
 * @throws an error of the file system
 */
export function prepareFiles(store: StoreName, path: string, onNotice: (notice: string) => void) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (const suffix of OPENED) {
    if (statOf(path + suffix)?.isSymlink) throw linkError(store, path + suffix);
  }
  createPrivate(path)?.close();
  // Windows has no such permissions.
  if (Deno.build.os === "windows") return;
  const changed = OPENED.map((suffix) => path + suffix).filter((file) => {
    const found = statOf(file);
    return found?.isFile === true && ((found.mode ?? 0) & OTHERS) !== 0;
  });
  for (const file of changed) chmodSync(file, PRIVATE);
  if (changed.length > 0) {
    onNotice(
      `Other users could read files of the ${store}; their permissions are now 0600: ${
        changed.join(", ")
      }`,
    );
  }
}

/** Moves a corrupt database and its WAL away for a later recovery. Returns the new name. */
export function setAside(path: string, now: number): string {
  const exists = (name: string) => statOf(name) !== undefined;
  const stem = `${path}.corrupt-${new Date(now).toISOString().replaceAll(":", "-")}`;
  let name = stem;
  for (let copy = 2; exists(name); copy++) name = `${stem}-${copy}`;
  // The WAL first: SQLite would apply one that is left behind to the new database.
  for (const suffix of SQLITE_FILES) {
    if (exists(path + suffix)) renameSync(path + suffix, name + suffix);
  }
  return name;
}

export function removeDatabase(path: string): void {
  for (const suffix of SQLITE_FILES) rmSync(path + suffix, { force: true });
}
