import { pathToFileURL } from "node:url";
import { projectFiles } from "./project_files.ts";

/** One import, as the module graph has it. */
export interface Import {
  /** Path of the importing file, relative to the project. */
  readonly from: string;
  /** Path of the imported file, or `npm:react`, `node:sqlite`, an address. */
  readonly to: string;
  /** 1-based line of the import; 0 where the graph does not say. */
  readonly line: number;
  /** The import as it is written. */
  readonly specifier: string;
  /** `import type`: gone once the code runs. */
  readonly typeOnly: boolean;
  /** Why the import leads nowhere, where it does. */
  readonly broken?: string;
}

/** What of `deno info --json` is read here. */
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
 * Reads all imports of all TypeScript files under `root`: static, dynamic, type-only, and references
 * to a worker's file.
 *
 * @param root absolute path of the project
 * @throws if the graph cannot be read
 */
export async function readModuleGraph(root: string): Promise<Import[]> {
  const files = projectFiles(root, [".ts", ".tsx", ".mts"]);
  const address = (path: string) => pathToFileURL(`${root}/${path}`).href;
  // One made-up module that imports everything: one graph, one process.
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
 * The imports in what `deno info --json` prints.
 *
 * @param base address of the project's folder, with a slash at the end
 */
export function importsOf(info: Info, base: string): Import[] {
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

/** Files that code names by address: workers and the like, which the module graph does not follow. */
const URL_REFERENCE =
  /(?:new URL\(\s*"(\.[^"]+\.m?tsx?)",\s*import\.meta\.url|import\.meta\.resolve\(\s*"(\.[^"]+\.m?tsx?)")/g;

/** `new URL("./x.ts", import.meta.url)` and `import.meta.resolve("./x.ts")` in a source. */
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
