import { pathToFileURL } from "node:url";
import { projectFiles } from "../project_files.ts";
import { DEVELOPMENT_PACKAGES } from "../run/prepare.ts";
import { BROWSER_ENTRIES, IMPORT_RULES, NOT_PRODUCT, TEST_FILES } from "./import_rules.ts";

export interface Import {
  /** Path of the importing file, relative to the project. */
  readonly from: string;
  /** Path of the imported file, or for example `npm:react` or `node:sqlite`. */
  readonly to: string;
  /** `import type`: removed before the code runs. */
  readonly typeOnly: boolean;
  /** Why the import cannot be resolved. */
  readonly broken?: string;
}

/** The used part of the output of `deno info --json`. */
interface Info {
  modules: { specifier: string; error?: string; dependencies?: Dependency[] }[];
}
interface Dependency {
  specifier: string;
  code?: { specifier?: string; error?: string };
  type?: { specifier?: string; error?: string };
}

/** Files named by URL, such as workers, which the module graph does not include. */
const URL_REFERENCE =
  /(?:new URL\(\s*|import\.meta\.resolve\(\s*)"(\.[^"]+\.m?tsx?)"(?:,\s*import\.meta\.url)?/g;

/** Reads all imports of all TypeScript files under `root`, an absolute path. @throws `deno info` fails */
export async function readImports(root: string): Promise<Import[]> {
  const files = projectFiles(root, [".ts", ".tsx", ".mts"]);
  const base = `${pathToFileURL(root).href}/`;
  // One generated module that imports all files: one process reads the whole graph.
  const all = files.map((path) => `import ${JSON.stringify(base + encodeURI(path))};`).join("\n");
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["info", "--json", "--no-lock", `--config=${root}/deno.json`],
      `data:application/typescript,${encodeURIComponent(all)}`,
    ],
    cwd: root,
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot read the imports: ${decoder.decode(stderr).trim()}`);
  const { modules } = JSON.parse(decoder.decode(stdout)) as Info;
  const errors = new Map(modules.map(({ specifier, error }) => [specifier, error]));
  const pathOf = (url: string) => decodeURI(url.slice(base.length));
  const isOwn = (url: string) => url.startsWith(base) && !url.includes("/node_modules/");
  const imports = modules.filter(({ specifier }) => isOwn(specifier)).flatMap((module) =>
    (module.dependencies ?? []).map(({ specifier, code, type }): Import => {
      const { specifier: url, error } = code ?? type ?? {};
      const isPath = url === undefined ? specifier.startsWith(".") : isOwn(url);
      const name = specifier.startsWith("node:")
        ? specifier
        : `npm:${specifier.replace(/^npm:/, "")}`;
      return {
        from: pathOf(module.specifier),
        to: !isPath ? name : url === undefined ? specifier : pathOf(url),
        typeOnly: code === undefined,
        broken: url === undefined ? error : errors.get(url),
      };
    })
  );
  const references = files.flatMap((from) =>
    [...Deno.readTextFileSync(`${root}/${from}`).matchAll(URL_REFERENCE)].map(([, path = ""]) => ({
      from,
      to: pathOf(new URL(path, base + encodeURI(from)).href),
      typeOnly: false,
    }))
  );
  return [...imports, ...references];
}

/** Checks imports against the table of rules. Returns one line for each problem. */
export function checkImports(imports: readonly Import[]): string[] {
  const product = imports.filter(({ from }) => isProduct(from));
  return [
    ...imports.flatMap((found) =>
      problemOf(found)?.replace(/^/, `${found.from} imports ${found.to}: `) ?? []
    ),
    ...nodeModulesInBrowsers(product.filter(({ typeOnly }) => !typeOnly)),
    ...cycles(product),
  ];
}

const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => path === place || (/[/:]$/.test(place) && path.startsWith(place)));

const isProduct = (path: string) => !TEST_FILES.test(path) && !isIn(path, NOT_PRODUCT);

function problemOf({ from, to, typeOnly, broken }: Import): string | undefined {
  if (broken) return `it cannot be resolved: ${broken}`;
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

/** `node:` modules that a browser would have to load, each with the chain of imports to it. */
function nodeModulesInBrowsers(imports: readonly Import[]): string[] {
  const byFile = Map.groupBy(imports, ({ from }) => from);
  const reached = new Set<string>();
  const problems: string[] = [];
  const chains = [...byFile.keys()].filter((path) => isIn(path, BROWSER_ENTRIES)).map((
    path,
  ) => [path]);
  for (const chain of chains) {
    const path = chain.at(-1) ?? "";
    if (path.startsWith("node:")) {
      problems.push(`Browsers have no node: modules, and would load ${chain.join(" → ")}.`);
    } else if (!reached.has(path)) {
      reached.add(path);
      for (const { to } of byFile.get(path) ?? []) chains.push([...chain, to]);
    }
  }
  return problems;
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
