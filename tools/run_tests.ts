/**
 * `deno task test [--only=SUITE[,…]] [PATH …] [TEXT]`: the build, then all suites. A path selects a file or folder of
 * tests, a text the tests with it in their title. The last line is `N passed, N failed` over all suites.
 *
 * Exit code: 0: all passed; 1: something failed, or no test ran; 2: the arguments are wrong.
 */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { readArguments, runTask, UserError } from "./command_line.ts";
import { ensureChromium, PLAYWRIGHT_CLI } from "./find_chromium.ts";
import { exists, projectRoot } from "./project_files.ts";
import { prepare } from "./run/prepare.ts";

interface Suite {
  readonly name: string;
  /** Folders of its tests; a test belongs to the suite with the longest folder that it is in. */
  readonly folders: readonly string[];
}

const CHECK: Suite = { name: "check", folders: [] };
const BROWSER: Suite = { name: "browser", folders: ["tests/browser"] };

/** In the order in which they start: the longest first. */
const SUITES: readonly Suite[] = [
  { name: "journeys", folders: ["tests"] },
  { name: "unit", folders: ["."] },
  { name: "faults", folders: ["tests/crash", "tests/fuzz"] },
  { name: "spool", folders: ["tests/spool"] },
  CHECK,
  BROWSER,
];
/** Suites that run at a time beside the browser's, which takes as long as the others in two rows. They mostly wait. */
const SIMULTANEOUS = 2;

/** A suite that hangs counts as failed. Long, because a busy machine is several times slower. */
const SUITE_TIMEOUT_MS = 40 * 60_000;
/** For the remaining output: processes that a killed suite has left may keep its pipes open. */
const OUTPUT_TIMEOUT_MS = 2_000;
/** The lines of a failed suite that are printed again at the end: the runners print there what failed. */
const FAILURE_LINES = 60;

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
  const print = (line: string) => {
    lines.push(line);
    console.log(`${name.padEnd(8)} | ${line}`);
  };
  let code = 1;
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
    const printed = [child.stdout, child.stderr].map(async (stream) => {
      for await (const line of createInterface({ input: Readable.fromWeb(stream as never) })) {
        print(line);
      }
    });
    code = (await child.status).code;
    await Promise.race([Promise.all(printed), setTimeout(OUTPUT_TIMEOUT_MS)]);
  } catch (error) {
    // For example, no Chromium can be installed.
    print(`${error}`);
  }
  const seconds = (performance.now() - start) / 1000;
  return { name, seconds, lines, ...countResults(lines, code, text !== undefined) };
}

/** How many tests of a suite passed, failed and were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Result extends Counts {
  readonly name: string;
  readonly seconds: number;
  /** Its output. */
  readonly lines: readonly string[];
}

/**
 * Reads the counts of Deno (`ok | 12 passed | 0 failed | 1 ignored`), Playwright (one count a line) or
 * `deno task check` (`7 passed, 0 failed`) at the end of their output. The exit code decides what is failed; a suite that
 * runs no test has failed, too.
 *
 * @param isFiltered a text selects tests: other tests are not skipped ones, and a suite may have none
 */
export function countResults(lines: readonly string[], code: number, isFiltered: boolean): Counts {
  const text = lines.join("\n");
  const last = (words: string) => {
    const counts = text.matchAll(new RegExp(`(?:^ *|\\| |, )(\\d+) (?:${words})\\b`, "gm"));
    return Number([...counts].at(-1)?.[1] ?? 0);
  };
  const passed = last("passed");
  const ranNone = passed === 0 && !isFiltered;
  return {
    passed,
    failed: code === 0 ? Number(ranNone) : Math.max(1, last("failed")),
    skipped: isFiltered ? 0 : last("ignored|skipped"),
  };
}

/** `12 passed, 1 failed`, and `, 2 skipped` if there are any. */
function countLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** Prints what failed, a line for each suite and the last line. Returns whether tests ran and all passed. */
export function summarize(results: readonly Result[], print = console.log): boolean {
  for (const { name, failed, lines } of results) {
    if (failed > 0) print(`\nFailed, ${name}:\n${lines.slice(-FAILURE_LINES).join("\n")}`);
  }
  print("");
  for (const result of results) {
    const { name, seconds } = result;
    print(`${name.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s  ${countLine(result)}`);
  }
  const sum = (count: keyof Counts) => results.reduce((total, result) => total + result[count], 0);
  const total = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
  print(countLine(total));
  return total.failed === 0 && total.passed > 0;
}

async function runAll(): Promise<number> {
  const { paths, text, isSelected } = readSelection();
  if (await prepare(projectRoot) !== 0) {
    console.log(`The build failed.\n${countLine({ passed: 0, failed: 1, skipped: 0 })}`);
    return 1;
  }
  const results: Result[] = [];
  const run = async (suite: Suite) => {
    const own = paths.filter((path) => suiteOf(path) === suite);
    results.push(await runSuite(suite, own, text));
  };
  const waiting = SUITES.filter((suite) => suite !== BROWSER && isSelected(suite));
  const runWaiting = async () => {
    for (let suite = waiting.shift(); suite; suite = waiting.shift()) await run(suite);
  };
  const others = Array.from({ length: SIMULTANEOUS }, runWaiting);
  await Promise.all([isSelected(BROWSER) && run(BROWSER), ...others]);
  return summarize(results) ? 0 : 1;
}

if (import.meta.main) await runTask(runAll, 2);
