import { ConfigError } from "../config.ts";

/** A task cannot do what it was asked to. The message is one line that states how to fix it. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** Prints the message of an error that the user can fix, without a stack trace. Throws every other error. */
export function printUserError(error: unknown): void {
  if (!(error instanceof UserError || error instanceof ConfigError)) throw error;
  console.error(error.message);
}
