import { existsSync, renameSync } from "node:fs";

/** https://www.sqlite.org/rescode.html: SQLITE_CORRUPT and SQLITE_NOTADB, in the low byte. */
const CORRUPT_CODES = [11, 26];

/** Whether SQLite failed because of what is in the file, so that opening it again cannot help. */
export function isCorrupt(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode === "number") return CORRUPT_CODES.includes(errcode & 0xff);
  // The runtime gives no code for what `exec` throws.
  return /malformed|file is not a database/.test(error.message);
}

/** Renames a corrupt file and its log, for whoever wants to recover something. Gives the new name. */
export function setAside(path: string, now: number): string {
  const stem = `${path}.corrupt-${new Date(now).toISOString().replaceAll(":", "-")}`;
  let name = stem;
  for (let copy = 2; existsSync(name); copy++) name = `${stem}-${copy}`;
  // The log first: one that stayed behind would be read into the file that takes this one's place.
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, name + suffix);
  }
  return name;
}
