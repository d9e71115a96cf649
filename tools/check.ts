/**
 * `deno task check`: every static check, all of them even if one fails. The last line is
 * `N passed, N failed`.
 */
import { judgeImports } from "./check_imports.ts";
import { judgeLinks } from "./check_links.ts";
import { judgeLock, judgeVersions } from "./check_lock.ts";
import { readModuleGraph } from "./module_graph.ts";
import { projectFiles } from "./project_files.ts";
import type { Counts } from "./test_counts.ts";

/** One static check. It gives one line for each offence, or a tool's own report; nothing if all is well. */
interface Check {
  readonly name: string;
  run(root: string): Promise<string[]> | string[];
}

const CHECKS: readonly Check[] = [
  { name: "formatting", run: (root) => deno(root, "fmt", "--check") },
  { name: "lint", run: (root) => deno(root, "lint") },
  // With the examples in doc comments. A lock that does not fit `deno.json` fails here too.
  { name: "types", run: (root) => deno(root, "check", "--quiet", "--frozen", "--doc") },
  {
    name: "import directions",
    run: async (root) => judgeImports(await readModuleGraph(root)),
  },
  {
    name: "no address in deno.lock",
    run: (root) => judgeLock(Deno.readTextFileSync(`${root}/deno.lock`)),
  },
  {
    name: "exact versions in deno.json",
    run: (root) => judgeVersions(Deno.readTextFileSync(`${root}/deno.json`)),
  },
  { name: "links and proofs in the documentation", run: documentation },
];

/** What must be there for a reader. */
const DOCUMENTS = [
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "README.md",
  "docs/configuration.md",
  "docs/contract.md",
  "docs/promises.md",
];

/**
 * Runs all checks and prints a line for each, with what is wrong under it.
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
      return { name, offences: await run(root) };
    } catch (error) {
      return { name, offences: [`The check itself failed: ${error}`] };
    }
  });
  for (const check of running) {
    const { name, offences } = await check;
    const passed = offences.length === 0;
    counts[passed ? "passed" : "failed"]++;
    print(`${passed ? "ok    " : "FAILED"} ${name}`);
    for (const offence of offences) print(offence.replace(/^/gm, "         "));
  }
  return counts;
}

/** Runs a command of Deno's own; its report is the offence if it fails. */
async function deno(root: string, ...args: string[]): Promise<string[]> {
  const { success, code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    stdin: "null",
  }).output();
  if (success) return [];
  const report = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  return [report.filter(Boolean).join("\n") || `deno ${args.join(" ")} ended with ${code}.`];
}

function documentation(root: string): string[] {
  const exists = (path: string) => stat(`${root}/${path}`) !== undefined;
  const read = (path: string) =>
    stat(`${root}/${path}`)?.isFile ? Deno.readTextFileSync(`${root}/${path}`) : undefined;
  return [
    ...DOCUMENTS.filter((path) => !exists(path)).map((path) => `${path} is missing.`),
    ...projectFiles(root, [".md"]).flatMap((path) =>
      judgeLinks(path, read(path) ?? "", { exists, read })
    ),
  ];
}

function stat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw error;
  }
}

if (import.meta.main) {
  const { passed, failed } = await runChecks(Deno.cwd());
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) Deno.exitCode = 1;
}
