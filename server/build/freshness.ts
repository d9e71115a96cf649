/** Whether a build is up to date, as in `make`: nothing that it was made of has changed since. */
import { undefinedIfNotFound } from "../if_found.ts";

/** The file of a build whose modification time is the start of the build. */
export const BUILT_AT = "manifest.json";
/** The file of a build that lists what it was made of. */
export const INPUTS = "inputs.json";

interface Inputs {
  /** A development build. */
  readonly dev: boolean;
  /** Files, and folders in which another file would make another build. Relative to the root. */
  readonly paths: readonly string[];
}

/** The lock contains the hash of each package, so packages are not compared. */
const ALWAYS = ["deno.json", "deno.lock"];

/**
 * The content of {@linkcode INPUTS}.
 *
 * @param files that the build read, relative to the root
 * @param scanned files in folders in which an added file would be part of the build
 */
export function describeInputs(
  dev: boolean,
  files: readonly string[],
  scanned: readonly string[],
): string {
  const own = files.filter((file) => !file.includes("node_modules/"));
  const folders = scanned.flatMap((file) =>
    Array.from(file.matchAll(/\//g), ({ index }) => file.slice(0, index))
  );
  const paths = [...new Set([...ALWAYS, ...folders, ...own])].sort();
  return JSON.stringify({ dev, paths } satisfies Inputs, null, 1);
}

/** Whether the build in `.build` is up to date. Takes some milliseconds: it loads neither esbuild nor React. */
export async function isFresh(root: string, { dev }: { dev: boolean }): Promise<boolean> {
  const [inputs, builtAt] = await Promise.all([
    readInputs(`${root}/.build/${INPUTS}`),
    modifiedAt(`${root}/.build/${BUILT_AT}`),
  ]);
  if (inputs?.dev !== dev || builtAt === undefined) return false;
  const times = await Promise.all(inputs.paths.map((path) => modifiedAt(`${root}/${path}`)));
  // A file that was changed during the build is newer than its start.
  return times.every((time) => time !== undefined && time < builtAt);
}

/** Returns undefined if there is no such file, or another version of Sightglass wrote it. */
async function readInputs(file: string): Promise<Inputs | undefined> {
  try {
    const inputs: Partial<Inputs> = JSON.parse(await Deno.readTextFile(file));
    return Array.isArray(inputs.paths) ? inputs as Inputs : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    return undefinedIfNotFound(error);
  }
}

/** Milliseconds since 1970; undefined if there is no such file or folder. */
async function modifiedAt(path: string): Promise<number | undefined> {
  const info = await Deno.stat(path).catch(undefinedIfNotFound);
  return info && (info.mtime?.getTime() ?? 0);
}
