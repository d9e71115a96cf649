/** Whether a build is up to date, as in `make`: nothing that it was made of has changed since. */
import { undefinedIfNotFound } from "../../monitoring/protocol/if_found.ts";
import { MANIFEST, readManifest } from "../manifest.ts";

/** The lock contains the hash of each package, so packages are not compared. */
const ALWAYS = ["deno.json", "deno.lock"];

/** What a build depends on: files that it read, and folders of static files, where one more would be part of it. */
export function inputsOf(read: readonly string[], statics: readonly string[]): string[] {
  // Without packages and modules of plugins (`namespace:path`).
  const own = read.filter((file) => !/node_modules\/|^[a-z-]{2,}:/.test(file));
  const folders = statics.flatMap((file) =>
    Array.from(file.matchAll(/\//g), ({ index }) => file.slice(0, index))
  );
  return [...new Set([...ALWAYS, ...folders, ...own])].sort();
}

/** Whether the build in `.build` is up to date. Takes some milliseconds: it loads neither esbuild nor React. */
export async function isFresh(root: string, { dev }: { dev: boolean }): Promise<boolean> {
  const [manifest, builtAt] = await Promise.all([
    // None, or one that another version wrote: build again.
    readManifest(new URL(`file://${root}/.build/`)).catch(() => undefined),
    modifiedAt(`${root}/.build/${MANIFEST}`),
  ]);
  if (manifest?.dev !== dev || builtAt === undefined) return false;
  const times = await Promise.all(manifest.inputs.map((path) => modifiedAt(`${root}/${path}`)));
  // A file that was changed during the build is newer than its start.
  return times.every((time) => time !== undefined && time < builtAt);
}

async function modifiedAt(path: string): Promise<number | undefined> {
  const info = await Deno.stat(path).catch(undefinedIfNotFound);
  return info && (info.mtime?.getTime() ?? 0);
}
