import { UserError } from "../user_error.ts";

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

/**
 * Reads `deno task test [--only=check|unit|browser[,…]] [path …] [text]`. An argument is a path if it
 * exists, otherwise a text in the names of tests.
 *
 * @throws {UserError} for an unknown option or part, or two texts
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
      throw new UserError(`Unknown option ${arg}: the only one is --only=${PARTS.join("|")}.`);
    } else if (exists(arg)) {
      paths.push(arg);
    } else if (filter === undefined) {
      filter = arg;
    } else {
      const texts = `"${filter}" and "${arg}"`;
      throw new UserError(`Cannot search for two texts, ${texts}: give one, in quotes.`);
    }
  }
  return { parts, paths, filter };
}

function readPart(name: string): Part {
  const part = PARTS.find((part) => part === name);
  if (part === undefined) {
    throw new UserError(`Unknown part "${name}" in --only: known are ${PARTS.join(", ")}.`);
  }
  return part;
}
