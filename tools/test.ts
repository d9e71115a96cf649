/**
 * `deno task test`: builds the page, then runs every static check, every unit and relay test, and the
 * browser tests; installs a Chromium if it finds none. The last line is `N passed, N failed` over all of it,
 * counted from the reports that the test runners write.
 */
import { runChecks } from "./check.ts";
import { ensureChromium } from "./find_chromium.ts";
import { PLAYWRIGHT_CLI } from "./playwright_cli.ts";
import { spawnBuild } from "./processes.ts";
import { exists, projectFiles } from "./project_files.ts";
import {
  countJUnit,
  countPlaywright,
  type Counts,
  countsLine,
  filesWithoutReport,
  settle,
  sumCounts,
} from "./test_counts.ts";
import { type Part, readTestOptions, type TestOptions, UsageError } from "./test_options.ts";

/** One line of the summary. */
interface Suite extends Counts {
  readonly name: string;
  readonly seconds: number;
  readonly problem?: string;
}

/** Longest that one suite may take, on a busy machine: a suite that hangs must end as a failure. */
const SUITE_TIMEOUT_MS = 60 * 60_000;

/** Where Playwright's tests are; Deno's are everywhere else. */
const BROWSER_TESTS = "tests/browser";

const root = Deno.cwd();

async function main(): Promise<boolean> {
  const options = readTestOptions(Deno.args, exists);
  const suites: Suite[] = [];
  const add = async (name: string, run: () => Promise<Counts & { problem?: string }>) => {
    console.log(`\n== ${name}`);
    const start = performance.now();
    let ending: Counts & { problem?: string };
    try {
      ending = await run();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      ending = { passed: 0, failed: 1, skipped: 0, problem };
    }
    suites.push({ name, seconds: (performance.now() - start) / 1000, ...ending });
  };
  const inBrowser = options.paths.filter((path) => isUnder(path, BROWSER_TESTS));
  const elsewhere = options.paths.filter((path) => !isUnder(path, BROWSER_TESTS));
  const filtered = options.paths.length > 0 || options.filter !== undefined;
  const wants = (part: Part, paths: readonly string[]) =>
    options.parts.includes(part) && (options.paths.length === 0 || paths.length > 0);

  if (wants("check", []) && !filtered) await add("check", () => runChecks(root));
  await add("build", build);
  if (wants("unit", elsewhere)) await add("unit", () => unit({ ...options, paths: elsewhere }));
  if (wants("browser", inBrowser)) {
    await add("browser", () => browser({ ...options, paths: inBrowser }));
  }
  return summarize(suites, filtered);
}

async function build(): Promise<Counts & { problem?: string }> {
  const { code } = await spawnBuild(root, { dev: false }).status;
  // No test: it counts only where it fails.
  return code === 0
    ? { passed: 0, failed: 0, skipped: 0 }
    : { passed: 0, failed: 1, skipped: 0, problem: `ended with ${code}` };
}

/** All `*_test.ts`, and the examples in doc comments. */
function unit({ paths, filter }: TestOptions): Promise<Counts & { problem?: string }> {
  const command = (report: string) => ({
    args: [
      "test",
      "-A",
      "--doc",
      // The static checks have it. Here one wrong type would keep every test from running.
      "--no-check",
      // The first has a test's name, the others may hold code in Markdown: what failed browser tests leave.
      "--ignore=tools/test.ts,test-results,docs",
      `--junit-path=${report}`,
      ...(filter === undefined ? [] : [`--filter=${filter}`]),
      ...paths,
    ],
  });
  const files = projectFiles(root, ["_test.ts", "_test.tsx"]).filter((file) =>
    paths.length === 0 || paths.some((path) => isUnder(file, path))
  );
  const count = (xml: string): Counts => {
    const counts = countJUnit(xml);
    const missing = filesWithoutReport(xml, files);
    for (const file of missing) console.error(`${file} did not run: it counts as one failure.`);
    return { ...counts, failed: counts.failed + missing.length };
  };
  return withReport(command, count, filter !== undefined);
}

/** All `tests/browser/*_spec.mts`, by Playwright under Deno. */
async function browser({ paths, filter }: TestOptions): Promise<Counts & { problem?: string }> {
  const chromium = await ensureChromium();
  const grep = filter?.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const command = (report: string) => ({
    args: [
      "run",
      "-A",
      PLAYWRIGHT_CLI,
      "test",
      "--reporter=list,json",
      ...(grep === undefined ? [] : [`--grep=${grep}`]),
      ...paths,
    ],
    env: { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  return await withReport(command, countPlaywright, filter !== undefined);
}

/** Runs a suite that writes a report of its own, and counts what the report says. */
async function withReport(
  command: (report: string) => { args: string[]; env?: Record<string, string> },
  count: (text: string) => Counts,
  filtered: boolean,
): Promise<Counts & { problem?: string }> {
  const folder = await Deno.makeTempDir({ prefix: "sightglass-test-" });
  const report = `${folder}/report`;
  try {
    const { args, env } = command(report);
    const code = await run(args, env);
    const reported = exists(report) ? count(await Deno.readTextFile(report)) : undefined;
    return settle({ code, reported, filtered });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs Deno with its output shown as it comes. Returns its exit code. */
async function run(args: string[], env: Record<string, string> = {}): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), { args, env, cwd: root, stdin: "null" }).spawn();
  const deadline = setTimeout(() => {
    console.error(`Stopped after ${SUITE_TIMEOUT_MS / 60_000} minutes: deno ${args.join(" ")}`);
    child.kill("SIGKILL");
  }, SUITE_TIMEOUT_MS);
  try {
    return (await child.status).code;
  } finally {
    clearTimeout(deadline);
  }
}

function isUnder(file: string, path: string): boolean {
  const plain = path.replace(/^\.\//, "").replace(/\/$/, "");
  return file === plain || file.startsWith(`${plain}/`);
}

/** Prints the table and the last line. Returns whether all is well. */
function summarize(suites: readonly Suite[], filtered: boolean): boolean {
  const total = sumCounts(suites);
  // A text that is in no test's name is a mistake, not a success.
  const nothing = filtered && total.passed + total.failed === 0;
  console.log();
  for (const { name, passed, failed, skipped, seconds, problem } of suites) {
    const counts = countsLine({ passed, failed, skipped });
    const line = `${name.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s  ${counts}`;
    console.log(problem === undefined ? line : `${line} (${problem})`);
  }
  if (nothing) console.log("No test matched.");
  console.log(countsLine(total));
  return total.failed === 0 && !nothing;
}

if (import.meta.main) {
  try {
    if (!await main()) Deno.exitCode = 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    Deno.exitCode = 2;
  }
}
