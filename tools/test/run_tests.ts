/**
 * `deno task test [--only=SUITE[,…]] [PATH …] [TEXT]`: the build, then all suites. A path selects a file or folder of
 * tests, a text the tests with it in their title. The last line is `N passed, N failed` over all suites.
 *
 * Exit code: 0: all passed; 1: something failed, or no test ran; 2: the arguments are wrong.
 */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { readArguments, runTask, UserError } from "../command_line.ts";
import { exists, projectRoot } from "../project_files.ts";
import { prepare } from "../run/prepare.ts";
import { ensureChromium, PLAYWRIGHT_CLI } from "./find_chromium.ts";
import { countLine, countResults, type Result, summarize } from "./summary.ts";

interface Suite {
  readonly name: string;
  /** Folders of its tests; a test belongs to the suite with the longest folder that it is in. */
  readonly folders: readonly string[];
}

/** Journeys that load the machine: they run after the unit tests, which takes about as long as the other journeys. */
const FAULTS: Suite = { name: "faults", folders: ["tests/crash", "tests/fuzz", "tests/spool"] };
const CHECK: Suite = { name: "check", folders: [] };
const BROWSER: Suite = { name: "browser", folders: ["tests/browser"] };

/** The suites of a lane run one after the other, lanes at the same time: journeys mostly wait. */
const LANES: readonly (readonly Suite[])[] = [
  [CHECK, { name: "unit", folders: ["."] }, FAULTS],
  [{ name: "journeys", folders: ["tests"] }],
  [BROWSER],
];
const SUITES = LANES.flat();

/** A suite that hangs counts as failed. Long, because a busy machine is several times slower. */
const SUITE_TIMEOUT_MS = 40 * 60_000;
/** For the remaining output: processes that a killed suite has left may keep its pipes open. */
const OUTPUT_TIMEOUT_MS = 2_000;

/** Deno's arguments for the tests of a suite, or those of some paths. */
async function command(suite: Suite, paths: readonly string[], text?: string): Promise<string[]> {
  if (suite === CHECK) return ["run", "-A", "tools/check/check.ts"];
  if (suite === BROWSER) {
    Deno.env.set("CHROMIUM_PATH", await ensureChromium());
    const grep = text && [`--grep=${RegExp.escape(text)}`, "--pass-with-no-tests"];
    return ["run", "-A", PLAYWRIGHT_CLI, "test", ...grep || [], ...paths];
  }
  const others = SUITES.filter((other) => other !== suite).flatMap(({ folders }) => folders);
  const ignored = others.filter((path) => suite.folders.some((folder) => isIn(path, folder)));
  return [
    // Markdown may contain code, which `--doc` would run. `deno task check` checks types.
    ...["test", "-A", "--doc", "--no-check", `--ignore=${["docs", ...ignored].join()}`],
    ...text ? [`--filter=${text}`] : [],
    ...paths.length > 0 ? paths : suite.folders,
  ];
}

const isIn = (path: string, folder: string) =>
  path !== folder && folder === "." || `${path}/`.startsWith(`${folder}/`);

/** The suite whose tests are at `path`. */
function suiteOf(path: string): Suite {
  const plain = path.replace(/^\.\//, "").replace(/\/$/, "");
  const depth = ({ folders }: Suite) =>
    Math.max(0, ...folders.filter((folder) => isIn(plain, folder)).map(({ length }) => length));
  return SUITES.toSorted((one, other) => depth(other) - depth(one))[0]!;
}

/** @throws {UserError} */
function readSelection() {
  const { values: { only }, positionals } = readArguments(
    "test",
    "deno task test [--only=SUITE,…] [PATH …] [TEXT]",
    { args: Deno.args, options: { only: { type: "string" } }, allowPositionals: true },
  );
  const paths = positionals.filter(exists);
  const [text, ...others] = positionals.filter((argument) => !exists(argument));
  if (others.length > 0) throw new UserError("Cannot search for several texts. Use quotes.");
  const names = only?.split(",");
  const unknown = names?.find((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    const known = SUITES.map(({ name }) => name).join(", ");
    throw new UserError(`Cannot test: unknown suite ${unknown}. Use ${known}.`);
  }
  const isSelected = (suite: Suite) =>
    (names?.includes(suite.name) ?? (text === undefined || suite !== CHECK)) &&
    (paths.length === 0 || paths.some((path) => suiteOf(path) === suite));
  return { paths, text, isSelected };
}

/** Runs a suite. Prints its output line by line, after its name. */
async function runSuite(suite: Suite, paths: readonly string[], text?: string): Promise<Result> {
  const { name } = suite;
  const start = performance.now();
  const lines: string[] = [];
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: await command(suite, paths, text),
      env: { NO_COLOR: "1" },
      cwd: projectRoot,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(SUITE_TIMEOUT_MS),
    }).spawn();
    const printed = Promise.all([child.stdout, child.stderr].map(async (stream) => {
      for await (const line of createInterface({ input: Readable.fromWeb(stream as never) })) {
        lines.push(line);
        console.log(`${name.padEnd(8)} | ${line}`);
      }
    }));
    const { code } = await child.status;
    await Promise.race([printed, setTimeout(OUTPUT_TIMEOUT_MS)]);
    const seconds = (performance.now() - start) / 1000;
    return { name, seconds, ...countResults(lines, code, text !== undefined) };
  } catch (error) {
    // For example, no Chromium can be installed.
    const problem = error instanceof Error ? error.message : String(error);
    return { name, seconds: 0, passed: 0, failed: 1, skipped: 0, problem, failures: [] };
  }
}

async function runAll(): Promise<number> {
  const { paths, text, isSelected } = readSelection();
  if (await prepare(projectRoot) !== 0) {
    console.log(`The build failed.\n${countLine({ passed: 0, failed: 1, skipped: 0 })}`);
    return 1;
  }
  const results = await Promise.all(LANES.map(async (suites) => {
    const done: Result[] = [];
    for (const suite of suites.filter(isSelected)) {
      done.push(await runSuite(suite, paths.filter((path) => suiteOf(path) === suite), text));
    }
    return done;
  }));
  return summarize(results.flat()) ? 0 : 1;
}

await runTask(runAll, 2);
