import { UserError } from "../../tools/command_line.ts";

/** @throws {UserError} the value of an option is given and is not a whole number */
export function readWholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new UserError(`--${name} is ${JSON.stringify(value)}. Use a whole number.`);
}
