import { listFiles } from "./scan.ts";

/** What a build was made of, in `inputs.json` beside it. */
interface InputRecord {
  readonly version: typeof VERSION;
  /** Built for development. */
  readonly dev: boolean;
  /** The names of all files in the scanned folders. */
  readonly names: readonly string[];
  /** Each file that was read, by its path relative to the root. */
  readonly files: Readonly<Record<string, InputFile>>;
}

/** A file as it was: if neither size nor time differ it is taken to be the same, as `make` does. */
interface InputFile {
  readonly size: number;
  /** Last change, ms epoch. */
  readonly mtime: number;
  /** SHA-256, hex: for a file whose time is another, as in a fresh checkout. */
  readonly hash: string;
}

export interface InputOptions {
  readonly root: string;
  readonly dev: boolean;
}

const VERSION = 1;
/** Stands for packages: the lock holds the hash of each, so their files need not be read. */
const ALWAYS = ["deno.json", "deno.lock"];
/** Of what is not there, or was changed while it was built: no file is like it. */
const NEVER: InputFile = { size: -1, mtime: -1, hash: "" };

/**
 * The record of a build that began at `startedAt` (ms epoch) and read `files`. A file that was
 * changed since then may have been read before the change or after it: it counts as changed, so
 * that the next start builds again.
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
    if (now === undefined || now.mtime >= startedAt) return [file, NEVER];
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

/**
 * Whether the build in `out` was made of what is there now. Looks at the project's own files alone
 * (some milliseconds, and a little more where their times differ), and loads neither esbuild nor
 * React.
 */
export async function isFresh(options: InputOptions & { readonly out: string }): Promise<boolean> {
  const { root, dev, out } = options;
  const record = readRecord(out);
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
    // No build, or one that is not whole: as good as none.
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function stat(path: string): { size: number; mtime: number } | undefined {
  try {
    const { size, mtime } = Deno.statSync(path);
    return { size, mtime: mtime?.getTime() ?? 0 };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * By the platform's own digest: to load `node:crypto` takes longer than all the rest of the check.
 */
async function hashFile(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}
