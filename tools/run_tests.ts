/**
 * `deno task test [--only=SUITE,…]`: the build, then all suites. The last line is `N passed, N failed` over all
 * suites. Up to three tests that fail are run once more, alone: a busy machine may be late, a bug fails again.
 *
 * Exit code: 0: all passed; 1: something failed; 2: the arguments are wrong.
 */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { ifFound } from "../monitoring/protocol/if_found.ts";
import { readArguments, runTask, UserError } from "./command_line.ts";
import { ensureChromium, PLAYWRIGHT_CLI } from "./find_chromium.ts";
import { projectRoot } from "./project_files.ts";
import { prepare } from "./run/prepare.ts";

/** Markdown may contain code, which `--doc` would run, also that about failed browser tests. `deno task check` checks types. */
export const denoTest = (paths: readonly string[], ...without: readonly string[]) => [
  ...["test", "-A", "--doc", "--no-check"],
  `--ignore=${["docs", "test-results", ...without].join()}`,
  ...paths,
];
export const PLAYWRIGHT_TEST = ["run", "-A", PLAYWRIGHT_CLI, "test", "--reporter=list,junit"];
const LOADING = ["tests/crash", "tests/fuzz"];

/** Deno's arguments for each suite, in the order in which they start: the longest first. */
const SUITES: Readonly<Record<string, readonly string[]>> = {
  journeys: denoTest(["tests"], "tests/browser", "tests/spool", ...LOADING),
  spool: denoTest(["tests/spool"]),
  unit: denoTest(["."], "tests"),
  faults: denoTest(LOADING),
  check: ["run", "-A", "tools/check/check.ts"],
  browser: PLAYWRIGHT_TEST,
};
const BROWSER = "browser";
/** Of the suites without a browser, which mostly wait: four keep two cores busy. */
const AT_A_TIME = 4;

/** A suite that hangs counts as failed. Long, because a busy machine is several times slower. */
const SUITE_TIMEOUT_MS = 75 * 60_000;
/** For the remaining output: processes that a killed suite has left may keep its pipes open. */
const OUTPUT_TIMEOUT_MS = 2_000;
/** The lines of a failed suite that are printed again at the end: the runners print there what failed. */
const FAILURE_LINES = 60;
/** If more tests fail, on all suites together, none is run again. */
const MAX_SECOND_ATTEMPTS = 3;

function readSuites(): readonly string[] {
  const known = Object.keys(SUITES);
  const usage = `deno task test [--only=SUITE,…], of ${known.join(", ")}`;
  const { values } = readArguments("test", usage, { options: { only: { type: "string" } } });
  const names = values.only?.split(",") ?? known;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UserError(`Cannot test: no suite ${unknown}. Use: ${usage}`);
  return names;
}

export async function runSuite(name: string, args: readonly string[]): Promise<Result> {
  const start = performance.now();
  const reports = await Deno.makeTempDir();
  const report = `${reports}/junit.xml`;
  const lines: string[] = [];
  const print = (line: string) => {
    lines.push(line);
    console.log(`${name.padEnd(8)} | ${line}`);
  };
  let code = 1;
  try {
    if (name === BROWSER) Deno.env.set("CHROMIUM_PATH", await ensureChromium());
    const child = new Deno.Command(Deno.execPath(), {
      args: args[0] === "test" ? [...args, `--junit-path=${report}`] : [...args],
      env: { NO_COLOR: "1", PLAYWRIGHT_JUNIT_OUTPUT_FILE: report },
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
  const tests = readReport(ifFound(() => Deno.readTextFileSync(report)) ?? "");
  await Deno.remove(reports, { recursive: true });
  return { name, args, seconds, lines, tests, ...countResults(lines, code) };
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A test in the report of its runner, or a step of one. */
interface Test {
  readonly name: string;
  readonly file: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

export interface Result extends Counts {
  readonly name: string;
  readonly args: readonly string[];
  readonly seconds: number;
  /** Its output. */
  readonly lines: readonly string[];
  /** Empty if the runner wrote no report. */
  readonly tests: readonly Test[];
  readonly passedAgain?: readonly Test[];
}

/** Of Deno, or of Playwright, whose suites have the project as their `hostname`. */
function readReport(xml: string): Test[] {
  let project = "";
  const tests: Test[] = [];
  for (const element of xml.split(/(?=<test(?:case|suite) )/)) {
    const attribute = (name: string) => {
      const value = element.match(new RegExp(` ${name}="([^"]*)"`))?.[1] ?? "";
      return value.replace(/&(quot|apos|lt|gt|amp);/g, (_, entity) => ENTITIES[entity]!);
    };
    if (element.startsWith("<testsuite ")) project = attribute("hostname");
    if (!element.startsWith("<testcase ")) continue;
    const outcome = /<(?:failure|error)\b/.test(element)
      ? "failed"
      : element.includes("<skipped")
      ? "skipped"
      : "passed";
    // The file of an example in a doc comment is named `file.ts#2-5.ts`.
    const file = attribute("classname").replace(/[#$].*/, "");
    const name = `${project && `[${project}] `}${file} › ${attribute("name")}`;
    tests.push({ name, file, outcome });
  }
  return tests;
}
const ENTITIES: Record<string, string> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };

/**
 * Reads the counts of Deno (`ok | 12 passed | 0 failed | 1 ignored`), Playwright (one count a line) or `deno task
 * check` (`7 passed, 0 failed`) at the end of their output. The exit code decides what is failed; a suite that runs no
 * test has failed, too. As failed count also errors outside of tests, tests that did not run, and a crash.
 */
export function countResults(lines: readonly string[], code: number): Counts {
  const text = lines.join("\n");
  const last = (words: string) => {
    const counts = text.matchAll(new RegExp(`(?:^ *|\\| |, )(\\d+) (?:${words})\\b`, "gm"));
    return Number([...counts].at(-1)?.[1] ?? 0);
  };
  const passed = last("passed");
  const failed = last("failed") + last("errors? (?:was|were) not") + last("interrupted") +
    last("did not run") + (code > 1 ? 1 : 0);
  return {
    passed,
    failed: code === 0 && passed > 0 ? 0 : Math.max(1, failed),
    skipped: last("ignored|skipped"),
  };
}

/** The tests that failed; undefined if something failed that is not in the report. A failed step fails its test, too. */
function failedTests({ failed, tests }: Result): Test[] | undefined {
  const all = tests.filter(({ outcome }) => outcome === "failed");
  const named = all.filter(({ name }) => !all.some((test) => name.startsWith(`${test.name} > `)));
  return named.length === failed ? named : undefined;
}

/** Runs what failed once more, one suite after the other. A suite of which all passes then has passed. */
export async function runFailedAgain(results: readonly Result[]): Promise<Result[]> {
  const failures = results.map(failedTests);
  // A suite that crashed, for example, is red in any case.
  const isRed = failures.includes(undefined) || failures.flat().length > MAX_SECOND_ATTEMPTS;
  return isRed ? [...results] : await Array.fromAsync(results, async (first, i) => {
    const failed = failures[i]!;
    if (failed.length === 0) return first;
    const args = first.args[0] === "test"
      ? denoTest([...new Set(failed.map(({ file }) => file))])
      : [...first.args, "--last-failed", "--workers=1"];
    const second = await runSuite(first.name, args);
    const hasPassed = ({ name }: Test) =>
      second.tests.some((test) => test.name === name && test.outcome === "passed");
    if (second.failed > 0 || !failed.every(hasPassed)) return first;
    return { ...first, passed: first.passed + first.failed, failed: 0, passedAgain: failed };
  });
}

function countLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** Prints what failed, a line for each suite and the last line. Returns whether all passed. */
export function summarize(results: readonly Result[], print = console.log): boolean {
  for (const { name, failed, lines } of results) {
    if (failed > 0) print(`\nFailed, ${name}:\n${lines.slice(-FAILURE_LINES).join("\n")}`);
  }
  const again = results.flatMap(({ passedAgain = [] }) => passedAgain);
  if (again.length > 0) print("\nPassed at the second attempt:");
  for (const { name } of again) print(name);
  print("");
  for (const result of results) {
    const { name, seconds } = result;
    print(`${name.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s  ${countLine(result)}`);
  }
  const sum = (count: keyof Counts) => results.reduce((total, result) => total + result[count], 0);
  const total = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
  print(countLine(total));
  return total.failed === 0;
}

async function runAll(): Promise<number> {
  const names = readSuites();
  if (await prepare(projectRoot) !== 0) {
    console.log(`The build failed.\n${countLine({ passed: 0, failed: 1, skipped: 0 })}`);
    return 1;
  }
  const results: Result[] = [];
  const run = async (name: string) => void results.push(await runSuite(name, SUITES[name]!));
  // The browser's alone, because it uses all cores.
  if (names.includes(BROWSER)) await run(BROWSER);
  const waiting = Object.keys(SUITES).filter((name) => names.includes(name) && name !== BROWSER);
  const runWaiting = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await run(name);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, runWaiting));
  return summarize(await runFailedAgain(results)) ? 0 : 1;
}

if (import.meta.main) await runTask(runAll, 2);
