/**
 * `deno task test [--only=SUITE[,…]] [PATH …] [TEXT]`: the build, then all suites. A path selects a file or folder of
 * tests, a text the tests with it in their title. The last line is `N passed, N failed` over all suites.
 *
 * Exit code: 0: all passed; 1: something failed, or no test ran; 2: the arguments are wrong.
 */
import { exists, projectRoot } from "../project_files.ts";
import { prepare } from "../run/prepare.ts";
import { readArguments, runTask, UserError } from "../command_line.ts";
import { ensureChromium, PLAYWRIGHT_CLI } from "./find_chromium.ts";
import { countLine, countResults, type Result, summarize } from "./summary.ts";

/** What is selected of a suite. */
interface Selection {
  /** Files and folders. */
  readonly paths: readonly string[];
  readonly text: string | undefined;
}

interface Suite {
  readonly name: string;
  /** Folders of its tests, without a slash at the end; `.`: all that no other suite has. */
  readonly folders: readonly string[];
  /** Deno's arguments. */
  command(selection: Selection): string[] | Promise<string[]>;
}

/** Journeys that load the machine: they run after the unit tests, which takes about as long as the other journeys. */
const FAULTS = ["tests/crash", "tests/fuzz", "tests/spool"];

const CHECK: Suite = { name: "check", folders: [], command: () => ["task", "--quiet", "check"] };
const UNIT = denoSuite("unit", ["."], ["tests"]);
const JOURNEYS = denoSuite("journeys", ["tests"], ["tests/browser", ...FAULTS]);
const BROWSER: Suite = {
  name: "browser",
  folders: ["tests/browser"],
  async command({ paths, text }) {
    Deno.env.set("CHROMIUM_PATH", await ensureChromium());
    const grep = text === undefined
      ? []
      : [`--grep=${RegExp.escape(text)}`, "--pass-with-no-tests"];
    return ["run", "-A", PLAYWRIGHT_CLI, "test", ...grep, ...paths];
  },
};

/** The suites of a lane run one after the other, lanes at the same time: journeys mostly wait. */
const LANES: readonly (readonly Suite[])[] = [
  [CHECK, UNIT, denoSuite("faults", FAULTS, [])],
  [JOURNEYS],
  [BROWSER],
];
const SUITES = LANES.flat();

/** A suite that hangs counts as failed. Long, because a busy machine is several times slower. */
const SUITE_TIMEOUT_MS = 40 * 60_000;
/** For the remaining output: processes that a killed suite has left may keep its pipes open. */
const OUTPUT_TIMEOUT_MS = 2_000;

/** `*_test.ts` and the examples in doc comments of some folders. */
function denoSuite(name: string, folders: string[], ignored: readonly string[]): Suite {
  // Markdown may contain code, which `--doc` would run. `deno task check` checks types.
  const options = ["-A", "--doc", "--no-check", `--ignore=${["docs", ...ignored].join()}`];
  return {
    name,
    folders,
    command: ({ paths, text }) => [
      ...["test", ...options, ...text === undefined ? [] : [`--filter=${text}`]],
      ...paths.length > 0 ? paths : folders,
    ],
  };
}

/** The suite whose tests are at `path`. */
function suiteOf(path: string): Suite {
  const plain = path.replace(/^\.\//, "").replace(/\/$/, "");
  const isIn = (folder: string) => `${plain}/`.startsWith(`${folder}/`);
  const specific = SUITES.filter(({ folders }) => folders.some(isIn));
  return specific.find((suite) => suite !== JOURNEYS) ?? specific[0] ?? UNIT;
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
  const isFiltered = paths.length > 0 || text !== undefined;
  const wants = (suite: Suite) =>
    (names?.includes(suite.name) ?? !(isFiltered && suite === CHECK)) &&
    (paths.length === 0 || paths.some((path) => suiteOf(path) === suite));
  return { paths, text, wants };
}

/** Runs a suite. Prints its output line by line, after its name. */
async function runSuite(suite: Suite, selection: Selection): Promise<Result> {
  const start = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: await suite.command(selection),
    env: { NO_COLOR: "1" },
    cwd: projectRoot,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(SUITE_TIMEOUT_MS),
  }).spawn();
  const lines: string[] = [];
  const printed = Promise.all([child.stdout, child.stderr].map(async (stream) => {
    for await (const line of linesOf(stream)) {
      lines.push(line);
      console.log(`${suite.name.padEnd(8)} | ${line}`);
    }
  }));
  const { code } = await child.status;
  await Promise.race([printed, new Promise((resolve) => setTimeout(resolve, OUTPUT_TIMEOUT_MS))]);
  const counts = countResults(lines, code, selection.text !== undefined);
  return { ...counts, name: suite.name, seconds: (performance.now() - start) / 1000 };
}

/** For example, no Chromium can be installed. */
function notRun({ name }: Suite, error: Error): Result {
  return {
    name,
    seconds: 0,
    passed: 0,
    failed: 1,
    skipped: 0,
    problem: error.message,
    failures: [],
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

await runTask(async () => {
  const { paths, text, wants } = readSelection();
  const code = await prepare(projectRoot);
  if (code !== 0) {
    console.log(`The build failed.\n${countLine({ passed: 0, failed: 1, skipped: 0 })}`);
    return 1;
  }
  const lanes = LANES.map(async (suites) => {
    const results: Result[] = [];
    for (const suite of suites.filter(wants)) {
      const own = paths.filter((path) => suiteOf(path) === suite);
      results.push(
        await runSuite(suite, { paths: own, text }).catch((error) => notRun(suite, error)),
      );
    }
    return results;
  });
  return summarize((await Promise.all(lanes)).flat()) ? 0 : 1;
}, 2);
