/**
 * The commands of the npm package. `bin.cjs` gives the folder of the user's data, the variables that Deno would read, and
 * the arguments.
 *
 * Exit code: the command's own; 1: it cannot be done.
 */
import { join } from "node:path";
import { CONFIG_VARIABLES, loadConfig } from "../../config/config.ts";
import { documentedVariables } from "../../config/table.ts";
import project from "../../deno.json" with { type: "json" };
import { TOOL } from "../../monitoring/protocol/commands.ts";
import { originOf, runTask, UserError } from "../command_line.ts";
import { projectRoot } from "../project_files.ts";
import { launch } from "../run/launcher.ts";
import type { Environment } from "../run/processes.ts";
import { uploadToInbox } from "../sourcemaps_to_inbox.ts";
import { bridgeMcp } from "./mcp_bridge.ts";
import { runProgram, runWithServer } from "./run_command.ts";
import { findMode } from "./running_server.ts";

const HELP = `Sightglass ${project.version} shows what the applications that you develop report.

  ${TOOL}                   serves the page at http://127.0.0.1:8000/
  ${TOOL} run -- COMMAND    runs a program whose Sentry or OpenTelemetry SDK then sends
                                   here, such as npm run dev. Starts a server if there is none,
                                   with --port=N at port N, if the program itself needs 8000
  ${TOOL} tail              prints what arrives: --json --all --url=URL, and one or more of
                                   traces|errors|logs|metrics|monitors|ai|profiles|feedback
  ${TOOL} mcp               the inbox for an assistant, on standard input and output
  ${TOOL} prove URL         whether telemetry of a deployment arrives, in a Chromium
  ${TOOL} sourcemaps --to URL FOLDER    uploads source maps: --token=TOKEN --inject

Flags of the server, which are also variables: --data-dir is DATA_DIR. The commands run and mcp read
no variable but INBOX_TOKEN: others, such as PORT, are those of the program.

`;

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
function readFlags(
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

const describeFlags = (): string =>
  FLAGS.map(({ name, text }) =>
    `  --${name}\n${text.replaceAll(/(.{1,92})(?: |$)/g, "      $1\n")}`
  )
    .join("").trimEnd();

const unknown = (text = "") => new UserError(`Cannot run "${text}". See: ${TOOL} --help`);

await runTask(async () => {
  const [_withParent, folder = "", ownVariables = "{}", ...args] = Deno.args;
  const command = /^\w/.test(args[0] ?? "") ? args.shift()! : "serve";
  const { flags, others } = readFlags(args, command === "run");
  const { DENO_DIR = "", ...variables } = Deno.env.toObject();
  const userEnv: Environment = { ...variables, ...JSON.parse(ownVariables) };
  // Apart from Deno's cache: the server may not write code that later runs with more permissions.
  const withDataDir = (env: Environment) => ({
    ...env,
    DATA_DIR: env.DATA_DIR || join(folder, "data"),
  });
  const serverEnv = withDataDir({ ...userEnv, DENO_DIR, NODE_OPTIONS: "", ...flags });
  // An empty variable counts as not set.
  const unset = Object.fromEntries(CONFIG_VARIABLES.map((name) => [name, ""]));
  const besideProgram = withDataDir({ ...unset, INBOX_TOKEN: userEnv.INBOX_TOKEN ?? "", ...flags });

  /** Runs a tool as a process of its own, which needs other permissions. */
  const runTool = (name: string, permissions: string) =>
    runProgram([
      Deno.execPath(),
      ...`run --quiet --no-prompt --no-config --no-lock ${permissions}`.split(" "),
      `--import-map=${join(projectRoot, ".build/imports.json")}`,
      join(projectRoot, `${name}.mjs`),
      ...others,
    ], serverEnv);

  if (others[0] === "-h") others[0] = "--help";
  if (others[0] === "--help" || others[0] === "--version") {
    console.log(others[0] === "--help" ? HELP + describeFlags() : project.version);
    return 0;
  }
  switch (command) {
    case "serve": {
      if (others.length > 0) throw unknown(others[0]);
      const config = loadConfig(serverEnv);
      const running = config.port !== 0 && await findMode(originOf(config));
      if (!running) return await launch(serverEnv);
      throw new UserError(
        `Sightglass runs already: open ${originOf(config)}/, or add --port=0 for another one.`,
      );
    }
    case "run":
      if (/^-(?!-$)/.test(others[0] ?? "")) throw unknown(others[0]);
      return await runWithServer(others, besideProgram, userEnv);
    case "mcp":
      if (others.length > 0) throw unknown(others[0]);
      return await bridgeMcp(besideProgram);
    case "tail":
      return await runTool("tail", "--allow-net --allow-env=HOST,PORT,INBOX_TOKEN");
    case "prove":
      // Downloads Playwright into Deno's cache.
      return await runTool("prove", "--allow-all --node-modules-dir=none");
    case "sourcemaps":
      return await uploadToInbox(others);
  }
  throw unknown(command);
});
