import { dirname } from "node:path";
import { undefinedIfNotFound } from "../if_found.ts";

/** A new path beside `out`, on the same file system, so that it can be renamed to it. */
export function stagingFolder(out: string): string {
  return `${out}.${crypto.randomUUID()}`;
}

/** Later builds remove the folder of an interrupted build after this time. */
const ABANDONED_AFTER_MS = 3_600_000;

export interface OutputFile {
  /** Relative to the build's folder. */
  readonly path: string;
  readonly contents: Uint8Array<ArrayBuffer> | string;
  /** Modification time. Default: now. */
  readonly modifiedAt?: Date;
}

/**
 * Writes all files into a new folder, then replaces the last build with it. A crash never leaves a partial
 * build: between the two renames there is none, and the next start builds again. If two builds run at
 * the same time, the later one wins as a whole.
 */
export async function publish(out: string, files: readonly OutputFile[]): Promise<void> {
  const staging = stagingFolder(out);
  try {
    const folders = new Set(files.map(({ path }) => dirname(`${staging}/${path}`)));
    for (const folder of folders) await Deno.mkdir(folder, { recursive: true });
    await Promise.all(files.map(async ({ path, contents, modifiedAt }) => {
      const target = `${staging}/${path}`;
      if (typeof contents === "string") await Deno.writeTextFile(target, contents);
      else await Deno.writeFile(target, contents);
      if (modifiedAt) await Deno.utime(target, modifiedAt, modifiedAt);
    }));
  } catch (error) {
    await remove(staging);
    throw error;
  }
  for (let published = false; !published;) {
    const old = stagingFolder(out);
    await Deno.rename(out, old).catch(undefinedIfNotFound);
    published = await Deno.rename(staging, out).then(() => true, falseIfTaken);
    await remove(old);
  }
  await removeAbandoned(out);
}

/** Another build was published between the two renames: replace that one. */
function falseIfTaken(error: Error & { code?: string }): false {
  if (error instanceof Deno.errors.AlreadyExists || error.code === "ENOTEMPTY") return false;
  throw error;
}

async function removeAbandoned(out: string): Promise<void> {
  const folder = dirname(out);
  for await (const { name } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (!path.startsWith(`${out}.`)) continue;
    const { mtime } = await Deno.stat(path).catch(undefinedIfNotFound) ?? {};
    if (mtime && Date.now() - mtime.getTime() > ABANDONED_AFTER_MS) await remove(path);
  }
}

async function remove(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch(undefinedIfNotFound);
}
