import { pathToFileURL } from "node:url";
import { runDeno } from "../../tests/harness/run_program.ts";
import { projectFiles } from "../project_files.ts";
import { DEVELOPMENT_PACKAGES } from "../run/prepare.ts";
import { IMPORT_RULES, NOT_PRODUCT, TEST_FILES } from "./import_rules.ts";

export interface Import {
  /** Path of the importing file, relative to the project. */
  readonly from: string;
  /** Path of the imported file, or for example `npm:react` or `node:sqlite`. */
  readonly to: string;
  /** `import type`: removed before the code runs. */
  readonly typeOnly: boolean;
}

/** The used part of the output of `deno info --json`. */
interface Info {
  modules: {
    specifier: string;
    dependencies?: {
      specifier: string;
      code?: { specifier?: string };
      type?: { specifier?: string };
    }[];
  }[];
}

/** Reads all imports of all TypeScript files under `root`, an absolute path. @throws `deno info` fails */
export async function readImports(root: string): Promise<Import[]> {
  const base = `${pathToFileURL(root).href}/`;
  // One generated module that imports all files: one process reads the whole graph.
  const all = projectFiles(root, [".ts", ".tsx", ".mts"])
    .map((path) => `import ${JSON.stringify(base + encodeURI(path))};`).join("\n");
  const options = ["info", "--json", "--no-lock", `--config=${root}/deno.json`];
  const module = `data:application/typescript,${encodeURIComponent(all)}`;
  const { code, stdout, stderr } = await runDeno([...options, module], { cwd: root });
  if (code !== 0) throw new Error(`Cannot read the imports: ${stderr.trim()}`);
  const { modules } = JSON.parse(stdout) as Info;
  const pathOf = (url: string) => decodeURI(url.slice(base.length));
  const isOwn = (url: string) => url.startsWith(base) && !url.includes("/node_modules/");
  return modules.filter(({ specifier }) => isOwn(specifier)).flatMap((module) =>
    (module.dependencies ?? []).map(({ specifier, code, type }): Import => {
      const url = (code ?? type)?.specifier ?? specifier;
      const name = specifier.startsWith("node:")
        ? specifier
        : specifier.replace(/^(npm:)?/, "npm:");
      return {
        from: pathOf(module.specifier),
        to: isOwn(url) ? pathOf(url) : name,
        typeOnly: code === undefined,
      };
    })
  );
}

/** Checks imports against the table of rules. Returns one line for each problem. */
export function checkImports(imports: readonly Import[]): string[] {
  const problems = imports.flatMap((found) =>
    problemOf(found)?.replace(/^/, `${found.from} imports ${found.to}: `) ?? []
  );
  return [...problems, ...cycles(imports.filter(({ from }) => isProduct(from)))];
}

const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => path === place || (/[/:]$/.test(place) && path.startsWith(place)));

const isProduct = (path: string) => !TEST_FILES.test(path) && !isIn(path, NOT_PRODUCT);

function problemOf({ from, to, typeOnly }: Import): string | undefined {
  if (to === "main.ts") return "no module imports main.ts, which is started as a process.";
  if (TEST_FILES.test(from)) return undefined;
  if (/_(test|spec)\.m?tsx?$/.test(to)) return "no module imports a test.";
  const isForDevelopment = DEVELOPMENT_PACKAGES.some((name) => `${to}/`.startsWith(`npm:${name}/`));
  if (
    isProduct(from) && (isForDevelopment || TEST_FILES.test(to) || isIn(to, ["tools/", "bench/"]))
  ) {
    return "only tests, tools and benchmarks import tests, tools, benchmarks and their packages.";
  }
  const folder = from.replace(/^([^/]*\/)[^/]*\/.*/, "$1*/");
  const place = Object.keys(IMPORT_RULES).find((key) => key === folder || isIn(from, [key]));
  if (place === undefined) {
    return "there is no rule for the file. Add its folder to import_rules.ts.";
  }
  const own = place === folder ? from.split("/", 2).join("/") + "/" : place;
  const rules = (IMPORT_RULES[place] || "nothing").split(" ");
  const places = (mark: string) =>
    rules.filter((rule) => rule.startsWith(mark)).map((rule) => rule.slice(mark.length));
  const isAllowed = isIn(to, [own]) || !isIn(to, places("!")) &&
      (/^(npm|node):/.test(to) || isIn(to, rules) || typeOnly && isIn(to, places("type:")));
  return isAllowed ? undefined : `beside itself ${place} may import ${rules.join(", ")}.`;
}

/** Removes files that import no other or that no other imports, again and again: cycles are left. */
function cycles(imports: readonly Import[]): string[] {
  let left = imports.filter(({ to }) => isProduct(to) && !to.includes(":"));
  for (let before = -1; before !== left.length;) {
    before = left.length;
    const importing = new Set(left.map(({ from }) => from));
    const imported = new Set(left.map(({ to }) => to));
    left = left.filter(({ from, to }) => importing.has(to) && imported.has(from));
  }
  const edges = left.map(({ from, to }) => `${from} imports ${to}`);
  return edges.length === 0 ? [] : [`Import cycle: ${edges.join(", ")}. Imports go one way.`];
}
