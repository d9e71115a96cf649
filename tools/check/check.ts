/**
 * `deno task check`: every static check, all of them even if one fails. The last line is
 * `N passed, N failed`.
 */
import { ifFound } from "../../server/if_found.ts";
import { checkImports, readImports } from "./check_imports.ts";
import { checkLinks } from "./check_links.ts";
import { checkLock, checkVersions } from "./check_lock.ts";
import { projectFiles } from "../project_files.ts";
import type { Counts } from "../test/summary.ts";

/** One static check. It returns one line for each problem, or the report of a tool. */
interface Check {
  readonly name: string;
  run(root: string): Promise<string[]> | string[];
}

/** Lock files of the project, and of the SDKs that tests run. */
const LOCK_FILES = ["deno.lock", "tests/sdks/deno.lock"];

const CHECKS: readonly Check[] = [
  { name: "formatting", run: (root) => deno(root, "fmt", "--check") },
  { name: "lint", run: (root) => deno(root, "lint") },
  // Includes examples in doc comments. Fails too if the lock does not match `deno.json`.
  { name: "types", run: (root) => deno(root, "check", "--quiet", "--frozen", "--doc") },
  { name: "import rules", run: async (root) => checkImports(await readImports(root)) },
  {
    name: "no download address in deno.lock",
    run: (root) =>
      LOCK_FILES.flatMap((path) => checkLock(Deno.readTextFileSync(`${root}/${path}`))),
  },
  {
    name: "exact versions in deno.json",
    run: (root) => checkVersions(Deno.readTextFileSync(`${root}/deno.json`)),
  },
  { name: "links and proofs in the documentation", run: documentation },
];

/** Required documents. */
const DOCUMENTS = [
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "README.md",
  "docs/configuration.md",
  "docs/contract.md",
  "docs/promises.md",
];

/**
 * Runs all checks and prints a line for each, followed by its problems.
 *
 * @param root absolute path of the project
 */
export async function runChecks(
  root: string,
  checks = CHECKS,
  print: (line: string) => void = console.log,
): Promise<Counts> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const running = checks.map(async ({ name, run }) => {
    try {
      return { name, problems: await run(root) };
    } catch (error) {
      return { name, problems: [`The check itself failed: ${error}`] };
    }
  });
  for (const check of running) {
    const { name, problems } = await check;
    const passed = problems.length === 0;
    counts[passed ? "passed" : "failed"]++;
    print(`${passed ? "ok    " : "FAILED"} ${name}`);
    for (const problem of problems) print(problem.replace(/^/gm, "         "));
  }
  return counts;
}

/** Runs a subcommand of Deno; if it fails, its output is the problem. */
async function deno(root: string, ...args: string[]): Promise<string[]> {
  const { success, code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    stdin: "null",
  }).output();
  if (success) return [];
  const report = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  return [report.filter(Boolean).join("\n") || `deno ${args.join(" ")} exited with ${code}.`];
}

function documentation(root: string): string[] {
  const stat = (path: string) => ifFound(() => Deno.statSync(`${root}/${path}`));
  const exists = (path: string) => stat(path) !== undefined;
  const read = (path: string) =>
    stat(path)?.isFile ? Deno.readTextFileSync(`${root}/${path}`) : undefined;
  return [
    ...DOCUMENTS.filter((path) => !exists(path)).map((path) => `${path} is missing.`),
    ...projectFiles(root, [".md"]).flatMap((path) =>
      checkLinks(path, read(path) ?? "", { exists, read })
    ),
  ];
}

if (import.meta.main) {
  const { passed, failed } = await runChecks(Deno.cwd());
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) Deno.exitCode = 1;
}
