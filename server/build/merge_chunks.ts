import * as esbuild from "esbuild";
import { relative } from "node:path";
import { BuildError } from "./build_error.ts";

/** Namespace of modules that import a whole group: `group:INDEX`. */
export const GROUP = "group";
/** Namespace of other entry points, which import the groups that they use: `entry:SOURCE`. */
const ENTRY = "entry";
/** Marks resolutions that this plugin requests itself. */
const RESOLVING = Symbol("resolving");

/** Entry points that become one, with the exports of all. Sources are relative to the root. */
export type Group = readonly string[];

/**
 * Puts modules that are loaded together into one file. By itself, esbuild makes a chunk for each set of
 * entry points that share modules: a page would request two dozen small files.
 *
 * A module that several groups use belongs to the first of them. What the client shares with any other
 * entry point is a group before all others. Every entry point that uses a module of a group imports the
 * whole group, so that all of its modules have the same set of entry points, and so one chunk.
 *
 * @param options esbuild's options without this plugin
 * @param client source of the browser's entry
 * @throws {BuildError} modules of a group cannot be merged
 */
export async function mergeChunks(
  options: esbuild.BuildOptions & { absWorkingDir: string },
  client: string,
  groups: readonly Group[],
): Promise<esbuild.Plugin> {
  const root = options.absWorkingDir;
  const { metafile } = await esbuild.build({
    ...options,
    minify: false,
    sourcemap: false,
    metafile: true,
    write: false,
  });
  const entries = readEntries(metafile.outputs);
  for (const group of groups) checkExports(group, entries);
  const shared = sharedSources(entries, client);
  const used = usedGroups(entries, groups, shared);
  const importAll = (indices: Iterable<number>) =>
    [...indices].flatMap((at) =>
      at === SHARED ? shared.map((source) => `import "./${source}";`) : [`import "${GROUP}:${at}";`]
    );
  return {
    name: "merge-chunks",
    setup(build) {
      build.onResolve({ filter: /^group:/ }, ({ path }) => ({
        path: path.slice(GROUP.length + 1),
        namespace: GROUP,
      }));
      build.onResolve({ filter: /./ }, async (args) => {
        const { path: specifier, kind, importer, resolveDir, pluginData } = args;
        if (kind !== "dynamic-import" || pluginData === RESOLVING) return undefined;
        const options = { kind, importer, resolveDir, pluginData: RESOLVING };
        const found = await build.resolve(specifier, options);
        const source = relative(root, found.path).replaceAll("\\", "/");
        const group = groups.findIndex((sources) => sources.includes(source));
        if (group !== -1) return { path: String(group), namespace: GROUP };
        // External, or not found: esbuild handles both.
        if (!entries.has(source)) return found;
        return { path: source, namespace: ENTRY };
      });
      const load = (sources: Group) => ({
        contents: [
          ...importAll(new Set(sources.flatMap((source) => [...used.get(source)!]))),
          ...sources.map((source) => reexport(source, entries)),
        ].join("\n"),
        resolveDir: root,
        loader: "js" as const,
      });
      build.onLoad({ filter: /./, namespace: GROUP }, ({ path }) => load(groups[Number(path)]!));
      build.onLoad({ filter: /./, namespace: ENTRY }, ({ path }) => load([path]));
    },
  };
}

/**
 * The sources of an entry point, whether it was merged or not.
 *
 * @param entryPoint from esbuild's metafile
 */
export function entryPointsOf(
  entryPoint: string | undefined,
  groups: readonly Group[],
): readonly string[] {
  if (entryPoint === undefined) return [];
  const [, namespace, path = ""] = /^(group|entry):(.*)$/.exec(entryPoint) ?? [];
  if (namespace === GROUP) return groups[Number(path)] ?? [];
  return [namespace === ENTRY ? path : entryPoint];
}

/** Index of the group that the client shares with others. */
const SHARED = -1;

interface Entry {
  readonly exports: readonly string[];
  /** All sources that it imports statically, and itself. */
  readonly sources: ReadonlySet<string>;
}

type Entries = ReadonlyMap<string, Entry>;

function readEntries(outputs: esbuild.Metafile["outputs"]): Entries {
  const entries = new Map<string, Entry>();
  for (const [output, { entryPoint, exports }] of Object.entries(outputs)) {
    if (entryPoint === undefined) continue;
    const files = new Set([output]);
    for (const file of files) {
      for (const { path, kind, external } of outputs[file]?.imports ?? []) {
        if (kind === "import-statement" && !external) files.add(path);
      }
    }
    const sources = [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
    entries.set(entryPoint, { exports, sources: new Set(sources) });
  }
  return entries;
}

function sharedSources(entries: Entries, client: string): string[] {
  const others = [...entries].filter(([entry]) => entry !== client);
  return [...entries.get(client)!.sources]
    .filter((source) => others.some(([, { sources }]) => sources.has(source)))
    .sort();
}

/** For each entry point: the groups, other than its own, that own a module which it uses. */
function usedGroups(
  entries: Entries,
  groups: readonly Group[],
  shared: readonly string[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const owners = new Map(shared.map((source) => [source, SHARED]));
  for (const [at, group] of groups.entries()) {
    for (const source of group.flatMap((entry) => [...entries.get(entry)!.sources])) {
      if (!owners.has(source)) owners.set(source, at);
    }
  }
  return new Map([...entries].map(([entry, { sources }]) => {
    const used = [...sources].flatMap((source) => owners.get(source) ?? []);
    // The client loads it in any case, and esbuild's helpers for all entry points are in it.
    const all = new Set([SHARED, ...used]);
    return [entry, new Set([...all].filter((at) => !groups[at]?.includes(entry)))];
  }));
}

function reexport(source: string, entries: Entries): string {
  const names = entries.get(source)!.exports;
  const from = JSON.stringify(`./${source}`);
  return names.length === 0 ? `import ${from};` : `export { ${names.join(", ")} } from ${from};`;
}

function checkExports(group: Group, entries: Entries): void {
  const sources = new Map<string, string>();
  for (const source of group) {
    const entry = entries.get(source);
    if (entry === undefined) {
      throw new BuildError(`Cannot merge ${source}: no browser code imports it with \`import()\`.`);
    }
    for (const name of entry.exports) {
      const other = sources.get(name);
      if (other !== undefined) {
        throw new BuildError(`Cannot merge ${other} and ${source}: both export ${name}.`);
      }
      sources.set(name, source);
    }
  }
}
