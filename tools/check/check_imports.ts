import {
  BROWSER_ENTRIES,
  IMPORT_RULES,
  type ImportRule,
  isIn,
  NOT_PRODUCT,
  TEST_FILES,
} from "./import_rules.ts";
import { type Import, readModuleGraph } from "./module_graph.ts";

/**
 * Checks imports against the table of rules.
 *
 * @returns one line for each problem: file, line, import and the rule
 */
export function checkImports(imports: readonly Import[]): string[] {
  return [
    ...imports.map(checkImport).filter((problem) => problem !== undefined),
    ...nodeModulesInBrowsers(imports),
    ...importCycles(
      imports.filter(({ from }) => !TEST_FILES.test(from) && !isIn(from, NOT_PRODUCT)),
    ),
  ];
}

function checkImport(found: Import): string | undefined {
  const { from, to } = found;
  if (found.broken) return problem(found, `it cannot be resolved: ${found.broken}`);
  if (to === "main.ts") {
    return problem(found, "no module imports main.ts: move the shared part into its own module");
  }
  if (TEST_FILES.test(from)) return undefined;
  const dev = isIn(from, NOT_PRODUCT);
  if (!dev && (TEST_FILES.test(to) || isIn(to, NOT_PRODUCT))) {
    return problem(found, "only tests, tools and benchmarks import tests, tools and benchmarks");
  }
  if (/_(test|spec)\.m?tsx?$/.test(to)) return problem(found, "no module imports a test");
  const rule = ruleOf(from);
  if (!rule) {
    return problem(found, `there is no rule for ${from}: add its folder to import_rules.ts`);
  }
  return allows(rule, found) ? undefined : problem(found, rule.message);
}

const ruleOf = (path: string): ImportRule | undefined =>
  IMPORT_RULES.find((rule) => isIn(path, rule.of));

function allows(rule: ImportRule, { to, typeOnly }: Import): boolean {
  if (isIn(to, rule.of)) return true;
  if (rule.mayNot?.some((name) => to === name || (name.endsWith("/") && to.startsWith(name)))) {
    return false;
  }
  if (/^(npm|node):/.test(to)) return true;
  return isIn(to, rule.may) || (typeOnly && isIn(to, rule.mayTypes ?? []));
}

const problem = ({ from, line, specifier, to }: Import, right: string): string => {
  const resolved = specifier === to ? "" : ` (${to})`;
  const where = line ? `${from}:${line}` : from;
  return `${where} imports "${specifier}"${resolved}: ${right.replace(/\.?$/, ".")}`;
};

/** `node:` modules that a browser would have to load, each with the chain of imports to it. */
function nodeModulesInBrowsers(imports: readonly Import[]): string[] {
  const loaded = imports.filter(({ from, typeOnly }) => !typeOnly && !TEST_FILES.test(from));
  const byFile = Map.groupBy(loaded, ({ from }) => from);
  const reached = new Set<string>();
  const queue: string[][] = [...byFile.keys()]
    .filter((path) => isIn(path, BROWSER_ENTRIES)).map((path) => [path]);
  const problems: string[] = [];
  for (let chain = queue.shift(); chain; chain = queue.shift()) {
    const path = chain.at(-1) ?? "";
    if (reached.has(path)) continue;
    reached.add(path);
    for (const found of byFile.get(path) ?? []) {
      if (found.to.startsWith("node:")) {
        const via = chain.length > 1 ? ` (${chain.join(" → ")})` : "";
        problems.push(
          problem(found, `a browser loads ${path}${via}, and browsers have no node: modules`),
        );
      } else queue.push([...chain, found.to]);
    }
  }
  return problems;
}

/**
 * Finds import cycles between files of different folders, and between folders of the layout.
 *
 * @returns one line for each cycle, with the imports that form it
 */
function importCycles(imports: readonly Import[]): string[] {
  const local = imports.filter(({ to }) => !to.includes(":"));
  const problems: string[] = [];
  for (const files of cyclesOf(local.map(({ from, to }) => [from, to]))) {
    if (new Set(files.map(folderOf)).size < 2) continue;
    problems.push(cycleMessage(files.join(", "), between(local, files, (path) => path)));
  }
  const foreign = local.filter(({ from, to }) => areaOf(from) !== areaOf(to));
  for (const areas of cyclesOf(foreign.map(({ from, to }) => [areaOf(from), areaOf(to)]))) {
    const edges = between(foreign, areas, areaOf);
    // Reported already as a cycle of files.
    if (problems.some((line) => edges.every((edge) => line.includes(edge)))) continue;
    problems.push(cycleMessage(areas.map((area) => `${area}/`).join(", "), edges));
  }
  return problems;
}

const cycleMessage = (cycle: string, edges: readonly string[]): string =>
  `Import cycle, ${cycle}: ${edges.join("; ")}. Imports go one way:` +
  " move what both need into a module that both import.";

function between(
  imports: readonly Import[],
  cycle: readonly string[],
  name: (path: string) => string,
): string[] {
  return imports
    .filter(({ from, to }) => cycle.includes(name(from)) && cycle.includes(name(to)))
    .map(({ from, line, to }) => `${from}:${line} imports ${to}`);
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** `monitoring/relay/admit.ts` → `monitoring/relay`, `server/client/hydrate.ts` → `server`. */
const areaOf = (path: string): string => {
  const parts = folderOf(path).split("/");
  // A file at the top is its own area: main.ts imports routes, which import config.ts.
  return parts[0] === "" ? path : parts.slice(0, parts[0] === "monitoring" ? 2 : 1).join("/");
};

/** Groups of two or more names that all lead to each other (Tarjan's strongly connected components). */
function cyclesOf(edges: readonly (readonly [string, string])[]): string[][] {
  const next = Map.groupBy(edges, ([from]) => from);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): number => {
    const at = index.size;
    index.set(name, at);
    low.set(name, at);
    stack.push(name);
    for (const [, to] of next.get(name) ?? []) {
      const reach = index.has(to) ? (stack.includes(to) ? index.get(to) ?? at : at) : visit(to);
      low.set(name, Math.min(low.get(name) ?? at, reach));
    }
    const lowest = low.get(name) ?? at;
    if (lowest === at) {
      const group = stack.splice(stack.indexOf(name));
      if (group.length > 1) found.push(group.sort());
    }
    return lowest;
  };
  for (const name of next.keys()) if (!index.has(name)) visit(name);
  return found;
}

if (import.meta.main) {
  const problems = checkImports(await readModuleGraph(Deno.cwd()));
  for (const line of problems) console.error(line);
  console.log(`Import rules: ${problems.length} problems`);
  if (problems.length > 0) Deno.exitCode = 1;
}
