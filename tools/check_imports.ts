import {
  BROWSER_ENTRIES,
  IMPORT_RULES,
  type ImportRule,
  isIn,
  NOT_PRODUCT,
  TEST_FILES,
} from "./import_rules.ts";
import { foreignCycles } from "./import_cycles.ts";
import { type Import, readModuleGraph } from "./module_graph.ts";

/**
 * Judges imports by the table of directions.
 *
 * @returns one line for each offence: file, line, import, and what would be right; empty if all is well
 */
export function judgeImports(imports: readonly Import[]): string[] {
  return [
    ...imports.map(judgeImport).filter((offence) => offence !== undefined),
    ...browserOffences(imports),
    ...foreignCycles(imports.filter(({ from }) => !TEST_FILES.test(from))),
  ];
}

function judgeImport(found: Import): string | undefined {
  const { from, to } = found;
  if (found.broken) return offence(found, `it leads nowhere: ${found.broken}`);
  if (to === "main.ts") {
    return offence(found, "nobody imports main.ts: move what is wanted into a module of its own");
  }
  if (TEST_FILES.test(from)) return undefined;
  const dev = isIn(from, NOT_PRODUCT);
  if (!dev && (TEST_FILES.test(to) || isIn(to, NOT_PRODUCT))) {
    return offence(found, "only tests, tools and benchmarks import tests, tools and benchmarks");
  }
  if (/_(test|spec)\.m?tsx?$/.test(to)) return offence(found, "nobody imports a test");
  const rule = ruleOf(from);
  if (!rule) {
    return offence(found, `${from} is under no rule: give its folder a row in import_rules.ts`);
  }
  return allows(rule, found) ? undefined : offence(found, rule.right);
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

const offence = ({ from, line, specifier, to }: Import, right: string): string => {
  const resolved = specifier === to ? "" : ` (${to})`;
  const where = line ? `${from}:${line}` : from;
  return `${where} imports "${specifier}"${resolved}: ${right.replace(/\.?$/, ".")}`;
};

/** A `node:` module that a browser would have to load, with the way that leads to it. */
function browserOffences(imports: readonly Import[]): string[] {
  const running = imports.filter(({ from, typeOnly }) => !typeOnly && !TEST_FILES.test(from));
  const byFile = Map.groupBy(running, ({ from }) => from);
  const reached = new Map<string, string[]>();
  const queue: string[][] = [...byFile.keys()]
    .filter((path) => isIn(path, BROWSER_ENTRIES)).map((path) => [path]);
  const offences: string[] = [];
  for (let way = queue.shift(); way; way = queue.shift()) {
    const path = way.at(-1) ?? "";
    if (reached.has(path)) continue;
    reached.set(path, way);
    for (const found of byFile.get(path) ?? []) {
      if (found.to.startsWith("node:")) {
        const chain = way.length > 1 ? ` (reached by ${way.join(" → ")})` : "";
        offences.push(
          offence(found, `a browser loads ${path}${chain}, and browsers have no node: modules`),
        );
      } else queue.push([...way, found.to]);
    }
  }
  return offences;
}

if (import.meta.main) {
  const offences = judgeImports(await readModuleGraph(Deno.cwd()));
  for (const line of offences) console.error(line);
  console.log(`Import directions: ${offences.length} offences`);
  if (offences.length > 0) Deno.exitCode = 1;
}
