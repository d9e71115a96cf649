import { parseArgs, type ParseArgsConfig } from "node:util";
import { ConfigError } from "../config.ts";

/** A task cannot do what it was asked to. The message is one line that states how to fix it. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/**
 * Runs a task to its end and exits with the code that it returns. An error that the user can fix is printed as one
 * line, without a stack trace.
 *
 * @param failure exit code after an error
 */
export async function runTask(task: () => Promise<number>, failure = 1): Promise<never> {
  try {
    Deno.exit(await task());
  } catch (error) {
    const isExpected = error instanceof UserError || error instanceof ConfigError;
    console.error(isExpected ? error.message : error);
    Deno.exit(failure);
  }
}

/**
 * Reads a command line.
 *
 * @param what the task cannot do with wrong arguments, for the message: `prove`
 * @param usage `deno task prove URL`
 * @throws {UserError}
 */
export function readArguments<T extends ParseArgsConfig>(
  what: string,
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // More sentences are about arguments that begin with a hyphen.
    const reason = error.message.replace(/\. .*|$/s, ".");
    throw new UserError(`Cannot ${what}: ${reason} Use: ${usage}`);
  }
}

/** @throws {UserError} the value of an option is given and is not a whole number */
export function readWholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new UserError(`--${name} is ${JSON.stringify(value)}. Use a whole number.`);
}
