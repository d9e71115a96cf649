/** `deno task check`: every static check, all of them even if one fails. The last line is `N passed, N failed`. */
import { ifFound } from "../../monitoring/protocol/if_found.ts";
import { runDeno } from "../../tests/harness/run_program.ts";
import { projectFiles, projectRoot } from "../project_files.ts";
import { checkImports, readImports } from "./check_imports.ts";
import { checkLinks } from "./check_links.ts";

/** One static check. It returns one line for each problem, or the report of a tool. */
interface Check {
  readonly name: string;
  run(root: string): Promise<string[]> | string[];
}

/** The project, the SDKs that tests run, and Sentry's tool for source maps. */
const PACKAGES = ["", "tests/sdks/", "tests/sdks/opentelemetry/", "tools/sentry_cli/"];

const CHECKS: readonly Check[] = [
  { name: "formatting", run: (root) => deno(root, "fmt", "--check") },
  { name: "lint", run: (root) => deno(root, "lint") },
  // Includes examples in doc comments. Fails too if the lock does not match `deno.json`.
  { name: "types", run: (root) => deno(root, "check", "--quiet", "--frozen", "--doc") },
  { name: "import rules", run: async (root) => checkImports(await readImports(root)) },
  {
    name: "no download address in deno.lock",
    run: (root) => PACKAGES.flatMap((folder) => checkLock(read(`${root}/${folder}deno.lock`)!)),
  },
  {
    name: "exact versions in deno.json",
    run: (root) => PACKAGES.flatMap((folder) => checkVersions(read(`${root}/${folder}deno.json`)!)),
  },
  {
    name: "links and proofs in the documentation",
    run: (root) =>
      projectFiles(root, [".md"]).flatMap((path) =>
        checkLinks(path, (target) => read(`${root}/${target}`))
      ),
  },
];

async function runChecks(): Promise<boolean> {
  const running = CHECKS.map(async ({ name, run }) => {
    try {
      return { name, problems: await run(projectRoot) };
    } catch (error) {
      return { name, problems: [`The check itself failed: ${error}`] };
    }
  });
  let passed = 0;
  for (const check of running) {
    const { name, problems } = await check;
    const isPassed = problems.length === 0;
    if (isPassed) passed++;
    console.log(`${isPassed ? "ok    " : "FAILED"} ${name}`);
    for (const problem of problems) console.log(problem.replace(/^/gm, "         "));
  }
  console.log(`${passed} passed, ${CHECKS.length - passed} failed`);
  return passed === CHECKS.length;
}

async function deno(root: string, ...args: string[]): Promise<string[]> {
  const { code, output } = await runDeno(args, { cwd: root });
  return code === 0 ? [] : [output.trim() || `deno ${args.join(" ")} exited with ${code}.`];
}

/** Text of a file, "" for a folder; undefined: there is none. */
function read(path: string): string | undefined {
  return ifFound(() => Deno.statSync(path).isDirectory ? "" : Deno.readTextFileSync(path));
}

/** Download addresses differ between machines. */
export function checkLock(text: string): string[] {
  return text.split("\n").filter((line) => /https?:|\btarball\b/i.test(line))
    .map((line) => `A lock file contains a download address: ${line.trim()}. Remove it.`);
}

/** Packages have exact versions. A name with a slash at its end is a folder of the project. */
export function checkVersions(text: string): string[] {
  const { imports = {} } = JSON.parse(text) as { imports?: Record<string, string> };
  return Object.entries(imports).filter(([name, target]) =>
    !name.endsWith("/") && !/^npm:(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+(-[\w.]+)?$/.test(target)
  ).map(([name, target]) =>
    `deno.json maps "${name}" to "${target}": give the exact version, npm:name@1.2.3.`
  );
}

if (import.meta.main && !await runChecks()) Deno.exitCode = 1;
