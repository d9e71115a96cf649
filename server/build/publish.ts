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
    await Promise.all(files.map(({ path, contents }) => {
      const target = `${staging}/${path}`;
      return typeof contents === "string"
        ? Deno.writeTextFile(target, contents)
        : Deno.writeFile(target, contents);
    }));
    await replace(out, staging);
  } catch (error) {
    await removeIfThere(staging);
    throw error;
  }
  await removeAbandoned(out);
}

async function replace(out: string, staging: string): Promise<void> {
  for (;;) {
    const old = stagingFolder(out);
    const moved = await renameIfThere(out, old);
    try {
      await Deno.rename(staging, out);
    } catch (error) {
      // Another build was published in between: replace that one.
      const exists = error instanceof Deno.errors.AlreadyExists ||
        (error instanceof Error && "code" in error && error.code === "ENOTEMPTY");
      if (!exists) {
        if (moved) await renameIfThere(old, out);
        throw error;
      }
    }
    if (moved) await removeIfThere(old);
    if (await modifiedAt(staging) === undefined) return;
  }
}

async function removeAbandoned(out: string): Promise<void> {
  const folder = dirname(out);
  const prefix = `${out.slice(folder.length + 1)}.`;
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = `${folder}/${name}`;
    const modified = await modifiedAt(path);
    if (modified !== undefined && Date.now() - modified > ABANDONED_AFTER_MS) {
      await removeIfThere(path);
    }
  }
}

/** Milliseconds since 1970; undefined if it does not exist (any more). */
async function modifiedAt(path: string): Promise<number | undefined> {
  const info = await Deno.lstat(path).catch(undefinedIfNotFound);
  return info && (info.mtime?.getTime() ?? 0);
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  const renamed = Deno.rename(from, to).then(() => true);
  return await renamed.catch(undefinedIfNotFound) ?? false;
}

async function removeIfThere(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch(undefinedIfNotFound);
}
