import { ifFound } from "../if_found.ts";
import { listFiles } from "./scan.ts";

/** Content of `inputs.json`: the files that a build was made of. */
interface InputRecord {
  readonly version: typeof VERSION;
  /** A development build. */
  readonly dev: boolean;
  /** All files in the scanned folders. */
  readonly names: readonly string[];
  /** Files that were read, by path relative to the root. */
  readonly files: Readonly<Record<string, InputFile>>;
}

/** A file with the same size and time counts as unchanged, as in `make`. */
interface InputFile {
  readonly size: number;
  /** Last change, milliseconds since 1970. */
  readonly mtime: number;
  /** SHA-256, hex: for files with another time, as in a fresh checkout. */
  readonly hash: string;
}

interface InputOptions {
  readonly root: string;
  readonly dev: boolean;
}

const VERSION = 1;
/** The lock contains the hash of each package, so packages are not read. */
const ALWAYS = ["deno.json", "deno.lock"];
/** Matches no file: for one that is missing, or changed during the build. */
const CHANGED: InputFile = { size: -1, mtime: -1, hash: "" };

/**
 * Creates the content of `inputs.json`. A file that changed during the build counts as changed, because
 * the build may have read the old version.
 *
 * @param files that the build read, relative to the root
 * @param startedAt start of the build, milliseconds since 1970
 */
export async function recordInputs(
  { root, dev }: InputOptions,
  files: readonly string[],
  startedAt: number,
): Promise<string> {
  const own = files.filter((file) => !file.includes("node_modules/"));
  const read = [...new Set([...ALWAYS, ...own])].sort();
  const entries = await Promise.all(read.map(async (file): Promise<[string, InputFile]> => {
    const path = `${root}/${file}`;
    const now = stat(path);
    if (now === undefined || now.mtime >= startedAt) return [file, CHANGED];
    return [file, { ...now, hash: await hashFile(path) }];
  }));
  const record: InputRecord = {
    version: VERSION,
    dev,
    names: listFiles(root),
    files: Object.fromEntries(entries),
  };
  return JSON.stringify(record, null, 1);
}

/** Whether the build in `.build` is up to date. Takes some milliseconds: it loads neither esbuild nor React. */
export async function isFresh({ root, dev }: InputOptions): Promise<boolean> {
  const record = readRecord(`${root}/.build`);
  if (record?.dev !== dev) return false;
  if (JSON.stringify(record.names) !== JSON.stringify(listFiles(root))) return false;
  for (const [file, before] of Object.entries(record.files)) {
    const now = stat(`${root}/${file}`);
    if (now === undefined || now.size !== before.size) return false;
    const same = now.mtime === before.mtime ||
      await hashFile(`${root}/${file}`) === before.hash;
    if (!same) return false;
  }
  return true;
}

function readRecord(out: string): InputRecord | undefined {
  try {
    if (!Deno.statSync(`${out}/manifest.json`).isFile) return undefined;
    const record = JSON.parse(Deno.readTextFileSync(`${out}/inputs.json`)) as InputRecord;
    return record.version === VERSION ? record : undefined;
  } catch (error) {
    // There is no build, or it is incomplete.
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function stat(path: string): { size: number; mtime: number } | undefined {
  const info = ifFound(() => Deno.statSync(path));
  return info && { size: info.size, mtime: info.mtime?.getTime() ?? 0 };
}

/** With `crypto.subtle`, because loading `node:crypto` takes longer than the whole check. */
async function hashFile(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}
