/** Parts of the test task that can be asked for by name. */
export const PARTS = ["check", "unit", "browser"] as const;
export type Part = typeof PARTS[number];

export interface TestOptions {
  /** What to run; all of it unless `--only` says otherwise. */
  readonly parts: readonly Part[];
  /** Files or folders to run; empty: all. */
  readonly paths: readonly string[];
  /** A text in the names of the tests to run. */
  readonly filter?: string;
}

/** The command line does not fit; the message is made to be printed. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Reads `deno task test [--only=check|unit|browser[,…]] [path …] [text]`. An argument that names an existing
 * file or folder is one to run, any other is looked for in the names of tests.
 *
 * @throws {UsageError} for an unknown option or part, or two texts
 */
export function readTestOptions(
  args: readonly string[],
  exists: (path: string) => boolean,
): TestOptions {
  let parts: readonly Part[] = PARTS;
  const paths: string[] = [];
  let filter: string | undefined;
  for (const arg of args) {
    const only = /^--only=(.*)$/.exec(arg)?.[1];
    if (only !== undefined) parts = only.split(",").map(readPart);
    else if (arg.startsWith("-")) {
      throw new UsageError(`Unknown option ${arg}: the only one is --only=${PARTS.join("|")}.`);
    } else if (exists(arg)) paths.push(arg);
    else if (filter === undefined) filter = arg;
    else {throw new UsageError(
        `Two texts to look for, "${filter}" and "${arg}": give one, in quotes.`,
      );}
  }
  return { parts, paths, filter };
}

function readPart(name: string): Part {
  const part = PARTS.find((part) => part === name);
  if (part === undefined) {
    throw new UsageError(`Unknown part "${name}" in --only: known are ${PARTS.join(", ")}.`);
  }
  return part;
}
