import { createHash } from "node:crypto";
import { listFiles, SCANNED_FOLDERS } from "./scan.ts";

/** What a build was made of, in `inputs.json` beside it. */
interface InputRecord {
  readonly version: typeof VERSION;
  /** Hash of the options and of the names of all files in the scanned folders. */
  readonly key: string;
  /** Hash of each file's content, by its path relative to the root. */
  readonly files: Readonly<Record<string, string>>;
}

export interface InputOptions {
  readonly root: string;
  readonly dev: boolean;
}

const VERSION = 1;
/** Stands for packages: the lock holds the hash of each, so their files need not be read. */
const ALWAYS = ["deno.json", "deno.lock"];
/** The hash of what is not there, or was changed while it was built: no file has it. */
const NEVER = "";

/**
 * The record of a build that began at `startedAt` (ms epoch) and read `files`. A file that was
 * changed since then may have been read before the change or after it: it counts as changed, so
 * that the next start builds again.
 */
export function recordInputs(
  options: InputOptions,
  files: readonly string[],
  startedAt: number,
): string {
  const { root } = options;
  const own = files.filter((file) => !file.includes("node_modules/"));
  const hashes = [...new Set([...ALWAYS, ...own])].sort().map((file) => {
    const changed = mtime(`${root}/${file}`) >= startedAt;
    return [file, changed ? NEVER : hashFile(`${root}/${file}`)] as const;
  });
  const record: InputRecord = {
    version: VERSION,
    key: keyOf(options),
    files: Object.fromEntries(hashes),
  };
  return JSON.stringify(record, null, 1);
}

/**
 * Whether the build in `out` was made of what is there now. Reads the project's own files alone
 * (some milliseconds), and loads neither esbuild nor React.
 */
export function isFresh(options: InputOptions & { readonly out: string }): boolean {
  const record = readRecord(options.out);
  if (record === undefined || record.key !== keyOf(options)) return false;
  return Object.entries(record.files).every(([file, hash]) =>
    hash !== NEVER && hashFile(`${options.root}/${file}`) === hash
  );
}

function keyOf({ root, dev }: InputOptions): string {
  return hash(JSON.stringify([VERSION, dev, SCANNED_FOLDERS, listFiles(root)]));
}

function readRecord(out: string): InputRecord | undefined {
  try {
    if (!Deno.statSync(`${out}/manifest.json`).isFile) return undefined;
    const record = JSON.parse(Deno.readTextFileSync(`${out}/inputs.json`)) as InputRecord;
    return record.version === VERSION ? record : undefined;
  } catch (error) {
    // No build, or one that is not whole: as good as none.
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function hashFile(path: string): string {
  try {
    return hash(Deno.readFileSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return NEVER;
    throw error;
  }
}

function mtime(path: string): number {
  try {
    return Deno.statSync(path).mtime?.getTime() ?? 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return Infinity;
    throw error;
  }
}

function hash(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url");
}
