export type StoreName = "spool" | "inbox";

/** A database cannot be opened, and the operator has to act. The message is one line, ready to be printed. */
export class DatabaseOpenError extends Error {
  override readonly name = "DatabaseOpenError";
  /** @param problem part of a sentence, without a password */
  constructor(store: StoreName, problem: string, remedy: string, options?: ErrorOptions) {
    super(`Cannot open the ${store}: ${problem.replaceAll(/\s+/g, " ")}. ${remedy}`, options);
  }
}

/** The file cannot be created, read or written. Returns a `DatabaseOpenError` unchanged. */
export function fileError(store: StoreName, file: string, error: unknown): DatabaseOpenError {
  if (error instanceof DatabaseOpenError) return error;
  const message = error instanceof Error ? error.message : String(error);
  // Deno advises to permit everything, which system folders such as /proc would need.
  const reason = message.replace(/^Requires all access .*/s, "no folder for data");
  const remedy = "Set DATA_DIR to a folder that this user may write to, on a disk with room.";
  return new DatabaseOpenError(store, `${file} cannot be used (${reason})`, remedy);
}

/** The tables are of another version, or another application's. They are left unchanged. */
export function versionError(store: StoreName, where: string, found: number, known: number) {
  return new DatabaseOpenError(
    store,
    `${where} has schema version ${found}, known is ${known}`,
    "Start the version of the server that wrote it, or give this one another file or database.",
  );
}

/** Attack: another user puts a link in place of a file, to receive the telemetry written to it. */
export function linkError(store: StoreName, file: string): DatabaseOpenError {
  return new DatabaseOpenError(
    store,
    `${file} is a symbolic link, and links are not followed`,
    "Remove it, or set DATA_DIR to the folder that holds the file itself.",
  );
}

export class DiskFullError extends Error {
  override readonly name = "DiskFullError";
  constructor(store: StoreName, options?: ErrorOptions) {
    super(`Cannot write to the ${store}: the disk is full or not writable.`, options);
  }
}

/** Another process harmed the open files: what was just written may be lost. The next call opens them again. */
export class HarmedFilesError extends Error {
  override readonly name = "HarmedFilesError";
  constructor(options?: ErrorOptions) {
    super("another process has changed its files", options);
  }
}

/** Whether the store logs this error itself, once. It is not logged again for each envelope. */
export function isReportedByStore(error: unknown): boolean {
  return error instanceof DiskFullError || error instanceof HarmedFilesError ||
    error instanceof DatabaseOpenError;
}

/** Result codes of SQLite, in the low byte: https://www.sqlite.org/rescode.html */
const CORRUPT = [11, 26];
const UNWRITABLE = [8, 10, 13, 14];

/** The file is damaged or no database: opening it again cannot help. */
export function isCorrupt(error: unknown): boolean {
  return isFailure(error, CORRUPT, /malformed|file is not a database/);
}

export function isUnwritable(error: unknown): boolean {
  return isFailure(
    error,
    UNWRITABLE,
    /disk is full|disk I\/O error|readonly database|unable to open database file/,
  );
}

/** `DatabaseSync.exec` of Deno 2.9 throws errors without a code, so the message is compared as well. */
function isFailure(error: unknown, codes: readonly number[], message: RegExp): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode === "number") return codes.includes(errcode & 0xff);
  return message.test(error.message);
}
