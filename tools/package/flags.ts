import { documentedVariables } from "../../config/table.ts";
import { UserError } from "../command_line.ts";
import type { Environment } from "../run/processes.ts";

/** The server's variables as flags: `--data-dir` sets `DATA_DIR`. */
const FLAGS = documentedVariables().map(([names = "", standard = "", meaning = ""]) => {
  const variables = Array.from(names.matchAll(/\w+(?=`)/g), ([name]) => name);
  const name = variables[0]!.toLowerCase().replaceAll("_", "-");
  // The table has Markdown, and links within docs/configuration.md.
  const ownStandard = variables[0] === "DATA_DIR" ? "in the user's data folder" : standard;
  const text = `${meaning.replace(/[,;]? see \[.*?\)/, "")} (default: ${ownStandard})`
    .replaceAll("`", "");
  return { name, variables, text };
});

/**
 * Finds the server's flags among arguments, up to `--`.
 *
 * @param endsAtOther up to the first argument that is no flag, too: a program's own `--port` follows it
 * @returns `flags`: the variables that they set; `others`: the other arguments, in their order
 * @throws {UserError} a flag has no value
 */
export function readFlags(
  args: readonly string[],
  endsAtOther: boolean,
): { flags: Environment; others: string[] } {
  const flags: Record<string, string> = {};
  const others: string[] = [];
  const rest = [...args];
  while (rest.length > 0 && rest[0] !== "--" && !(endsAtOther && /^[^-]/.test(rest[0]!))) {
    const arg = rest.shift()!;
    const [, name, given] = /^--([a-z-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const flag = FLAGS.find((flag) => flag.name === name);
    const value = flag && (given ?? rest.shift());
    if (flag === undefined) others.push(arg);
    else if (value === undefined) throw new UserError(`Cannot start: ${arg} needs a value.`);
    else for (const variable of flag.variables) flags[variable] = value;
  }
  return { flags, others: [...others, ...rest] };
}

export const describeFlags = (): string =>
  FLAGS.map(({ name, text }) =>
    `  --${name}\n${text.replaceAll(/(.{1,92})(?: |$)/g, "      $1\n")}`
  )
    .join("").trimEnd();
