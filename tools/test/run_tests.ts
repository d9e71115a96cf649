/**
 * `deno task test`: static checks, build, then the suites of tests at the same time. Installs a Chromium if
 * it finds none. The last line is `N passed, N failed` over all suites, counted from the
 * reports of the test runners.
 */
import { runChecks } from "../check/check.ts";
import { exists, projectFiles } from "../project_files.ts";
import { sendSignal, spawnBuild } from "../run/processes.ts";
import { printUserError } from "../user_error.ts";
import { ensureChromium, PLAYWRIGHT_CLI } from "./find_chromium.ts";
import { type Part, readTestOptions, type TestOptions } from "./options.ts";
import {
  countsLine,
  filesWithoutReport,
  readJUnit,
  type Report,
  type SuiteResult,
  suiteResult,
  sumCounts,
} from "./reports.ts";

/** One line of the summary. */
interface Suite extends SuiteResult {
  readonly name: string;
  readonly seconds: number;
}

/** Maximum duration of one suite, on a busy machine. A suite that hangs counts as failed. */
const SUITE_TIMEOUT_MS = 40 * 60_000;
/** Time for an interrupted suite to write its report. */
const INTERRUPT_MS = 30_000;
/** Time to read the remaining output: processes that a killed suite has left may hold its pipes open. */
const OUTPUT_MS = 2_000;

/** Number of the slowest files that are listed for each suite. */
const SLOWEST = 10;
/** Lines of its message that the summary shows of each failure. */
const FAILURE_LINES = 12;

/** Playwright's tests are here; all others are Deno's. */
const BROWSER_TESTS = "tests/browser";
/** Deno's tests that are not beside their file: of real servers, which mostly wait. */
const JOURNEYS = "tests";
/** Journeys that run after the unit tests: together these take about as long as the other journeys. */
const FAULTS = ["tests/crash", "tests/fuzz", "tests/spool"];

const root = Deno.cwd();

async function main(): Promise<boolean> {
  const options = readTestOptions(Deno.args, exists);
  const inBrowser = options.paths.filter((path) => isUnder(path, BROWSER_TESTS));
  const journeys = options.paths.filter((path) =>
    isUnder(path, JOURNEYS) && !isUnder(path, BROWSER_TESTS)
  );
  const units = options.paths.filter((path) => !isUnder(path, JOURNEYS));
  const filtered = options.paths.length > 0 || options.filter !== undefined;
  const wants = (part: Part, paths: readonly string[]) =>
    options.parts.includes(part) && (options.paths.length === 0 || paths.length > 0);

  const suites: Suite[] = [];
  if (wants("check", []) && !filtered) suites.push(await runSuite("check", () => runChecks(root)));
  suites.push(await runSuite("build", build));
  const all = options.paths.length === 0;
  /** These run at the same time; the suites of each one after the other. */
  const lanes: Record<string, (output: Output) => Promise<SuiteResult>>[] = [
    {
      ...(wants("unit", units) && {
        unit: (output) => runUnit({ ...options, paths: units }, all ? [JOURNEYS] : [], output),
      }),
      ...(wants("unit", []) && {
        faults: (output) => runUnit({ ...options, paths: FAULTS }, [], output),
      }),
    },
    {
      ...(wants("unit", journeys) && {
        journeys: (output) =>
          all
            ? runUnit({ ...options, paths: [JOURNEYS] }, FAULTS, output)
            : runUnit({ ...options, paths: journeys }, [], output),
      }),
    },
    {
      ...(wants("browser", inBrowser) &&
        { browser: (output) => runBrowser({ ...options, paths: inBrowser }, output) }),
    },
  ];
  const isParallel = lanes.flatMap((lane) => Object.keys(lane)).length > 1;
  const results = await Promise.all(lanes.map(async (lane) => {
    const ended: Suite[] = [];
    for (const [name, run] of Object.entries(lane)) {
      const output = isParallel ? prefixed(`${name.padEnd(8)} | `) : "inherit";
      ended.push(await runSuite(name, () => run(output)));
    }
    return ended;
  }));
  return summarize([...suites, ...results.flat()], filtered);
}

/** Runs a suite. An error counts as one failure. */
async function runSuite(name: string, run: () => Promise<SuiteResult>): Promise<Suite> {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  try {
    const result = await run();
    return { name, seconds: seconds(), ...result };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { name, seconds: seconds(), passed: 0, failed: 1, skipped: 0, problem };
  }
}

/** The build is not a test: it counts only if it fails. */
async function build(): Promise<SuiteResult> {
  const { code } = await spawnBuild(root, { dev: false }).status;
  return code === 0
    ? { passed: 0, failed: 0, skipped: 0 }
    : { passed: 0, failed: 1, skipped: 0, problem: `exited with ${code}` };
}

/**
 * `*_test.ts` and the examples in doc comments, by Deno: those of the paths, without paths all, except those of the
 * ignored folders. One file after the other: many of them load the machine.
 */
function runUnit(
  { paths, filter }: TestOptions,
  ignoredFolders: readonly string[],
  output: Output,
): Promise<SuiteResult> {
  const files = projectFiles(root, ["_test.ts", "_test.tsx"]).filter((file) =>
    (paths.length === 0 || paths.some((path) => isUnder(file, path))) &&
    !ignoredFolders.some((folder) => isUnder(file, folder))
  );
  // Markdown may contain code, which `--doc` would run.
  const ignored = ["test-results", "docs", ...ignoredFolders];
  return runWithReport({
    output,
    filtered: filter !== undefined,
    command: (report) => ({
      args: [
        "test",
        "-A",
        "--doc",
        // `deno task check` checks types. Here one wrong type would prevent all tests.
        "--no-check",
        `--ignore=${ignored.join()}`,
        `--junit-path=${report}`,
        ...(filter === undefined ? [] : [`--filter=${filter}`]),
        ...paths,
      ],
    }),
    read(xml) {
      const { counts, times, failures } = readJUnit(xml);
      const missing = filesWithoutReport(xml, files)
        .map((file) => ({ file, title: "(all)", message: "The file did not run." }));
      return {
        counts: { ...counts, failed: counts.failed + missing.length },
        times,
        failures: [...failures, ...missing],
      };
    },
  });
}

/** All `tests/browser/*_spec.mts`, by Playwright under Deno. */
async function runBrowser({ paths, filter }: TestOptions, output: Output): Promise<SuiteResult> {
  const chromium = await ensureChromium();
  const grep = filter?.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return await runWithReport({
    output,
    filtered: filter !== undefined,
    command: (report) => ({
      args: [
        "run",
        "-A",
        PLAYWRIGHT_CLI,
        "test",
        "--reporter=list,junit",
        // A spec that does not load makes it fail, a text that is in no title does not.
        "--pass-with-no-tests",
        ...(grep === undefined ? [] : [`--grep=${grep}`]),
        ...paths,
      ],
      env: { CHROMIUM_PATH: chromium, PLAYWRIGHT_JUNIT_OUTPUT_FILE: report },
    }),
    read: readJUnit,
  });
}

interface ReportedRun {
  readonly output: Output;
  readonly filtered: boolean;
  command(report: string): { args: string[]; env?: Record<string, string> };
  read(report: string): Report;
}

/** Runs a test runner, and reads its report. */
async function runWithReport(
  { output, filtered, command, read }: ReportedRun,
): Promise<SuiteResult> {
  const folder = await Deno.makeTempDir({ prefix: "sightglass-test-" });
  const path = `${folder}/report`;
  try {
    const { args, env = {} } = command(path);
    const code = await runDeno(args, env, output);
    const report = exists(path) ? read(await Deno.readTextFile(path)) : undefined;
    const { counts, times = [], failures = [] } = report ?? {};
    return { ...suiteResult({ code, counts, filtered }), times, failures };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Where a suite's output goes: to this process's own, or line by line to a function. */
type Output = "inherit" | ((line: string) => void);

const prefixed = (prefix: string): Output => (line) => console.log(prefix + line);

/** Runs Deno. After the timeout it is interrupted, then killed. Returns its exit code. */
async function runDeno(
  args: string[],
  env: Record<string, string>,
  output: Output,
): Promise<number> {
  const stdio = output === "inherit" ? output : "piped";
  const child = new Deno.Command(Deno.execPath(), {
    args,
    env,
    cwd: root,
    stdin: "null",
    stdout: stdio,
    stderr: stdio,
  }).spawn();
  const printed = output === "inherit"
    ? Promise.resolve()
    : Promise.all([printLines(child.stdout, output), printLines(child.stderr, output)]);
  let kill: ReturnType<typeof setTimeout> | undefined;
  const timeout = setTimeout(() => {
    console.error(`Stopped after ${SUITE_TIMEOUT_MS / 60_000} minutes: deno ${args.join(" ")}`);
    sendSignal(child, "SIGINT");
    kill = setTimeout(() => sendSignal(child, "SIGKILL"), INTERRUPT_MS);
  }, SUITE_TIMEOUT_MS);
  try {
    const { code } = await child.status;
    await Promise.race([printed, new Promise((resolve) => setTimeout(resolve, OUTPUT_MS))]);
    return code;
  } finally {
    clearTimeout(timeout);
    clearTimeout(kill);
  }
}

async function printLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  print: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) print(line);
  }
  if (rest) print(rest);
}

function isUnder(file: string, path: string): boolean {
  const plain = path.replace(/^\.\//, "").replace(/\/$/, "");
  return file === plain || file.startsWith(`${plain}/`);
}

/** Prints the slowest files, the failures, the table of suites and the last line. Returns whether all passed. */
function summarize(suites: readonly Suite[], filtered: boolean): boolean {
  const total = sumCounts(suites);
  // A filter that matches no test is a mistake, not a success.
  const matchedNothing = filtered && total.passed + total.failed === 0;
  for (const { name, times = [] } of suites) {
    if (times.length < 2) continue;
    console.log(`\nSlowest files, ${name}:`);
    for (const { file, seconds } of times.slice(0, SLOWEST)) {
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
    }
  }
  for (const { name, failures = [] } of suites) {
    for (const { file, title, message } of failures) {
      console.log(`\nFailed, ${name}: ${file}: ${title}`);
      for (const line of message.split("\n").slice(0, FAILURE_LINES)) console.log(`    ${line}`);
    }
  }
  console.log();
  for (const { name, passed, failed, skipped, seconds, problem } of suites) {
    const counts = countsLine({ passed, failed, skipped });
    const line = `${name.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s  ${counts}`;
    console.log(problem === undefined ? line : `${line} (${problem})`);
  }
  if (matchedNothing) console.log("No test matched.");
  console.log(countsLine(total));
  return total.failed === 0 && !matchedNothing;
}

if (import.meta.main) {
  try {
    // Exit explicitly: the pipes of a killed suite may still be open.
    Deno.exit(await main() ? 0 : 1);
  } catch (error) {
    printUserError(error);
    Deno.exit(2);
  }
}
