import { dirname } from "node:path";

/** Where a build is written before it takes its place: beside it, so that renaming is enough. */
export function stagingFolder(out: string): string {
  return `${out}.${crypto.randomUUID()}`;
}

/**
 * A folder of an interrupted build is removed by later ones once it is this old, in milliseconds.
 */
const ABANDONED_AFTER = 3_600_000;

export interface OutputFile {
  /** Relative to the build's folder. */
  readonly path: string;
  readonly contents: Uint8Array<ArrayBuffer> | string;
}

/**
 * Writes all files into a folder of its own and only then puts it in the place of the last build.
 * Interrupted at any moment, the last build is whole, either in its place or (for the instant
 * between two renames) gone, which the next start takes as "not built yet". Of two builds at once
 * one comes last; neither ever sees files of the other.
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
      // Another build took the place in between: then that one is the old one.
      const taken = error instanceof Deno.errors.AlreadyExists ||
        (error instanceof Error && "code" in error && error.code === "ENOTEMPTY");
      if (!taken) {
        if (moved) await renameIfThere(old, out);
        throw error;
      }
    }
    if (moved) await removeIfThere(old);
    if (!await exists(staging)) return;
  }
}

async function removeAbandoned(out: string): Promise<void> {
  const folder = dirname(out);
  const prefix = `${out.slice(folder.length + 1)}.`;
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = `${folder}/${name}`;
    const changed = await changedAt(path);
    if (changed !== undefined && Date.now() - changed > ABANDONED_AFTER) await removeIfThere(path);
  }
}

async function exists(path: string): Promise<boolean> {
  return await changedAt(path) !== undefined;
}

/** Ms epoch; undefined if it is not there, for instance because another build is done with it. */
async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await Deno.lstat(path)).mtime?.getTime() ?? 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  try {
    await Deno.rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
