import {
  BROWSER_ENTRIES,
  IMPORT_RULES,
  type ImportRule,
  isIn,
  NOT_PRODUCT,
  TEST_FILES,
} from "./import_rules.ts";
import type { Import } from "./module_graph.ts";

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
  const isProduct = !isIn(from, NOT_PRODUCT);
  if (isProduct && (TEST_FILES.test(to) || isIn(to, NOT_PRODUCT))) {
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

const problem = ({ from, line, specifier, to }: Import, rule: string): string => {
  const resolved = specifier === to ? "" : ` (${to})`;
  const where = line ? `${from}:${line}` : from;
  return `${where} imports "${specifier}"${resolved}: ${rule.replace(/\.?$/, ".")}`;
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
 * Finds import cycles between files. Type-only imports count too. Folders cannot form cycles, because the
 * table of rules has none.
 *
 * @returns one line for each cycle, with the imports that form it
 */
function importCycles(imports: readonly Import[]): string[] {
  const local = imports.filter(({ to }) => !to.includes(":"));
  return cyclesOf(local.map(({ from, to }) => [from, to])).map((files) => {
    const edges = local.filter(({ from, to }) => files.includes(from) && files.includes(to))
      .map(({ from, line, to }) => `${from}:${line} imports ${to}`);
    return `Import cycle, ${files.join(", ")}: ${
      edges.join("; ")
    }. Imports go one way: move what ` +
      "both need into a module that both import.";
  });
}

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
