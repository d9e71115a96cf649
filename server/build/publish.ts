import { dirname } from "node:path";
import { undefinedIfNotFound } from "../../monitoring/protocol/if_found.ts";

export interface OutputFile {
  /** Relative to the build's folder. */
  readonly path: string;
  readonly contents: Uint8Array<ArrayBuffer> | string;
  /** Modification time. Default: now. */
  readonly modifiedAt?: Date;
}

/**
 * Writes all files into a new folder, then replaces the last build with it. A crash never leaves a partial build:
 * between the two renames there is none. Of several builds that are published at the same time one wins as a whole.
 */
export async function publish(out: string, files: readonly OutputFile[]): Promise<void> {
  // On the same file system, so that it can be renamed to `out`.
  const staging = `${out}.${crypto.randomUUID()}`;
  const old = `${out}.${crypto.randomUUID()}`;
  try {
    const folders = new Set(files.map(({ path }) => dirname(`${staging}/${path}`)));
    for (const folder of folders) await Deno.mkdir(folder, { recursive: true });
    await Promise.all(files.map(async ({ path, contents, modifiedAt }) => {
      const target = `${staging}/${path}`;
      if (typeof contents === "string") await Deno.writeTextFile(target, contents);
      else await Deno.writeFile(target, contents);
      if (modifiedAt) await Deno.utime(target, modifiedAt, modifiedAt);
    }));
    await Deno.rename(out, old).catch(undefinedIfNotFound);
    await Deno.rename(staging, out).catch((error: Error & { code?: string }) => {
      // Another build was published between the two renames.
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    for (const path of [staging, old]) {
      await Deno.remove(path, { recursive: true }).catch(undefinedIfNotFound);
    }
  }
}
