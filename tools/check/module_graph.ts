import { pathToFileURL } from "node:url";
import { projectFiles } from "../project_files.ts";

/** One import of the module graph. */
export interface Import {
  /** Path of the importing file, relative to the project. */
  readonly from: string;
  /** Path of the imported file, or for example `npm:react` or `node:sqlite`. */
  readonly to: string;
  /** 1-based line of the import; 0 if unknown. */
  readonly line: number;
  /** The specifier in the source. */
  readonly specifier: string;
  /** `import type`: removed before the code runs. */
  readonly typeOnly: boolean;
  /** Why the import cannot be resolved. */
  readonly broken?: string;
}

/** The used part of the output of `deno info --json`. */
interface Info {
  modules: {
    specifier: string;
    error?: string;
    dependencies?: { specifier: string; code?: Resolution; type?: Resolution }[];
  }[];
}

interface Resolution {
  specifier?: string;
  error?: string;
  span?: { start: { line: number } };
}

/**
 * Reads all imports of all TypeScript files under `root`: static, dynamic and type-only imports, and
 * files that are named by URL, such as workers.
 *
 * @param root absolute path of the project
 * @throws `deno info` fails
 */
export async function readModuleGraph(root: string): Promise<Import[]> {
  const files = projectFiles(root, [".ts", ".tsx", ".mts"]);
  const address = (path: string) => pathToFileURL(`${root}/${path}`).href;
  // One generated module that imports all files: one process reads the whole graph.
  const all = files.map((path) => `import ${JSON.stringify(address(path))};`).join("\n");
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "info",
      "--json",
      "--no-lock",
      `--config=${root}/deno.json`,
      `data:application/typescript,${encodeURIComponent(all)}`,
    ],
    cwd: root,
  }).output();
  if (!success) {
    throw new Error(`Cannot read the module graph: ${new TextDecoder().decode(stderr).trim()}`);
  }
  const info = JSON.parse(new TextDecoder().decode(stdout)) as Info;
  const references = files.flatMap((path) =>
    urlReferences(path, Deno.readTextFileSync(`${root}/${path}`))
  );
  return [...importsOf(info, address("")), ...references];
}

/**
 * Collects the imports in the output of `deno info --json`.
 *
 * @param base URL of the project's folder, ending with a slash
 */
function importsOf(info: Info, base: string): Import[] {
  const broken = new Map(info.modules.map(({ specifier, error }) => [specifier, error]));
  const imports: Import[] = [];
  for (const { specifier, dependencies = [] } of info.modules) {
    if (!specifier.startsWith(base)) continue;
    const from = decodeURI(specifier.slice(base.length));
    if (from.startsWith("node_modules/")) continue;
    for (const dependency of dependencies) {
      const target = dependency.code ?? dependency.type;
      const address = target?.specifier;
      imports.push({
        from,
        to: shortName(address ?? dependency.specifier, base),
        line: (target?.span?.start.line ?? -1) + 1,
        specifier: dependency.specifier,
        typeOnly: dependency.code === undefined,
        broken: address === undefined ? target?.error : broken.get(address),
      });
    }
  }
  return imports;
}

/** `file:///project/a.ts` → `a.ts`, `npm:/react@19.3.1/jsx-runtime` → `npm:react`. */
function shortName(specifier: string, base: string): string {
  if (specifier.startsWith(base)) return decodeURI(specifier.slice(base.length));
  const npm = /^npm:\/?((?:@[^/]+\/)?[^/@]+)/.exec(specifier);
  return npm ? `npm:${npm[1]}` : specifier;
}

/** Files named by URL, such as workers, which the module graph does not include. */
const URL_REFERENCE =
  /(?:new URL\(\s*"(\.[^"]+\.m?tsx?)",\s*import\.meta\.url|import\.meta\.resolve\(\s*"(\.[^"]+\.m?tsx?)")/g;

/** Finds `new URL("./x.ts", import.meta.url)` and `import.meta.resolve("./x.ts")` in a source. */
export function urlReferences(path: string, source: string): Import[] {
  return [...source.matchAll(URL_REFERENCE)].map((match) => {
    const specifier = match[1] ?? match[2] ?? "";
    return {
      from: path,
      to: decodeURI(new URL(specifier, `file:///${path}`).pathname.slice(1)),
      line: source.slice(0, match.index).split("\n").length,
      specifier,
      typeOnly: false,
    };
  });
}
