/** Parts of the test task that `--only` can select. */
export const PARTS = ["check", "unit", "browser"] as const;
export type Part = typeof PARTS[number];

export interface TestOptions {
  /** Default: all parts. */
  readonly parts: readonly Part[];
  /** Files or folders to run; empty: all. */
  readonly paths: readonly string[];
  /** Runs only tests with this text in their name. */
  readonly filter?: string;
}

/** The command line is invalid. The message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Reads `deno task test [--only=check|unit|browser[,…]] [path …] [text]`. An argument is a path if it
 * exists, otherwise a text in the names of tests.
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
    if (only !== undefined) {
      parts = only.split(",").map(readPart);
    } else if (arg.startsWith("-")) {
      throw new UsageError(`Unknown option ${arg}: the only one is --only=${PARTS.join("|")}.`);
    } else if (exists(arg)) {
      paths.push(arg);
    } else if (filter === undefined) {
      filter = arg;
    } else {
      const texts = `"${filter}" and "${arg}"`;
      throw new UsageError(`Cannot search for two texts, ${texts}: give one, in quotes.`);
    }
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
