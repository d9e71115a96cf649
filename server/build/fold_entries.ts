import { FIRST_LINES } from "./debug_id.ts";
import { GROUP } from "./merge_chunks.ts";

/** A script as esbuild wrote it. */
export interface Script {
  readonly name: string;
  readonly text: string;
  readonly map?: Uint8Array<ArrayBuffer>;
  /** From esbuild's metafile. */
  readonly entryPoint?: string;
  /** Names of scripts, or specifiers of the import map. */
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly sources: Readonly<Record<string, number>>;
}

/** A minified script without code of its own: imports, then exports. */
const WITHOUT_CODE = /^((?:import(?:\{[^}]*\}from)?"[^"]*";)*)export\{([^}]*)\};$/;
/** Its import of another script: `import{NAME as LOCAL}from"./SCRIPT";`. */
const NAMED_IMPORT = /import\{([^}]*)\}from"\.\/([^"]*)";/g;

/**
 * Removes groups that only re-export another script, because each is one more file to load. esbuild makes
 * them of groups that other entry points import. The script with the code takes their name.
 *
 * Names have the same length, and exports are added at the end, so source maps stay valid.
 */
export function foldEntries(scripts: readonly Script[]): Script[] {
  const byName = new Map(scripts.map((script) => [script.name, script]));
  /** New names of scripts. */
  const names = new Map<string, string>();
  for (const entry of scripts) {
    const { code = "", exports } = reexported(entry) ?? {};
    const script = byName.get(code);
    if (!script || script.entryPoint !== undefined) continue;
    if (entry.imports.some((name) => name !== code && !script.imports.includes(name))) continue;
    byName.delete(entry.name);
    byName.set(code, {
      ...script,
      entryPoint: entry.entryPoint!,
      // The module imports itself: the local names of its exports are not known here.
      text: `${script.text}export{${exports}}from"./${code}";\n`,
    });
    names.set(code, entry.name);
  }
  const rename = (name: string) => names.get(name) ?? name;
  const renameAll = (list: readonly string[]) => [...new Set(list.map(rename))].sort();
  return [...byName.values()].map((script) => ({
    ...script,
    name: rename(script.name),
    text: script.text.replaceAll(/(?<=")\.\/[^"/]*(?=")/g, (path) => `./${rename(path.slice(2))}`),
    imports: renameAll(script.imports),
    dynamicImports: renameAll(script.dynamicImports),
  }));
}

/** The script whose exports are all that a group has, as `NAME as EXPORTED,…`. */
function reexported({ entryPoint, text }: Script) {
  if (!entryPoint?.startsWith(`${GROUP}:`)) return undefined;
  const body = text.slice(FIRST_LINES.length).trim();
  const [, imports, exports] = WITHOUT_CODE.exec(body) ?? [];
  if (imports === undefined || exports === undefined) return undefined;
  const [first, ...others] = imports.matchAll(NAMED_IMPORT);
  if (first === undefined || others.length > 0) return undefined;
  const [, names = "", code = ""] = first;
  const imported = new Map(aliases(names).map(([name, local]) => [local, name]));
  const list = aliases(exports).map(([local, exported]) => `${imported.get(local)} as ${exported}`);
  return { code, exports: list.join(",") };
}

/** `a as b,c` → [a, b], [c, c]. */
function aliases(list: string): (readonly [string, string])[] {
  return list.split(",").map((item) => {
    const [from = "", to = from] = item.split(" as ");
    return [from, to];
  });
}
