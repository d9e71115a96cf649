import * as esbuild from "esbuild";
import { relative, resolve } from "node:path";

/** The namespace of the wrappers; `entryPoint` gives the source's path again. */
const NAMESPACE = "first";
/** Marks a resolution that this plugin asks for itself. */
const RESOLVING = Symbol("resolving");

/**
 * esbuild puts what two entries share into a chunk of its own for each different set of entries
 * that share it. A page with six islands then waits for a dozen files of some hundred bytes, and
 * each of them costs a request before anything answers. With this plugin there is one chunk for
 * all that the page's first scripts share: every entry imports all of it, so that all of it has
 * the same set of entries. Nothing is loaded that was not loaded before.
 *
 * @param options what the browser's code is built with, without this plugin
 * @param first the sources that a page loads first, relative to the root: the entry and the islands
 */
export async function shareFirstChunk(
  options: esbuild.BuildOptions & { absWorkingDir: string },
  first: readonly [client: string, ...islands: string[]],
): Promise<esbuild.Plugin> {
  const root = options.absWorkingDir;
  const { metafile } = await esbuild.build({
    ...options,
    minify: false,
    sourcemap: false,
    metafile: true,
    write: false,
  });
  const client = resolve(root, first[0]);
  const { shared, exportsOf } = plan(metafile.outputs, first);
  return {
    name: "first-chunk",
    setup(build) {
      build.onResolve({ filter: /./ }, async (args) => {
        const { path: specifier, kind, importer, resolveDir, pluginData } = args;
        const isEntry = kind === "dynamic-import" ||
          kind === "entry-point" && resolve(root, specifier) === client;
        if (!isEntry || pluginData === RESOLVING) return undefined;
        const found = kind === "entry-point"
          ? { path: client }
          : await build.resolve(specifier, { kind, importer, resolveDir, pluginData: RESOLVING });
        const path = relative(root, found.path).replaceAll("\\", "/");
        // What is external, or was not found, is esbuild's to say.
        if (!exportsOf.has(path)) return found;
        return { path, namespace: NAMESPACE };
      });
      build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => {
        const names = exportsOf.get(path) ?? [];
        const lines = shared.map((file) => `import ${JSON.stringify(`./${file}`)};`);
        lines.push(`export { ${names.join(", ")} } from ${JSON.stringify(`./${path}`)};`);
        return { contents: lines.join("\n"), resolveDir: root, loader: "js" };
      });
    },
  };
}

/** The source that an output is the entry of, whether it was wrapped or not. */
export function entryPointOf(entryPoint: string | undefined): string | undefined {
  return entryPoint?.startsWith(`${NAMESPACE}:`)
    ? entryPoint.slice(NAMESPACE.length + 1)
    : entryPoint;
}

interface Plan {
  /** Sources that stand in shared chunks which are loaded first, in a fixed order. */
  readonly shared: readonly string[];
  /** Names that each entry exports. */
  readonly exportsOf: ReadonlyMap<string, readonly string[]>;
}

function plan(outputs: esbuild.Metafile["outputs"], first: readonly string[]): Plan {
  const exportsOf = new Map<string, readonly string[]>();
  const waiting: string[] = [];
  for (const [path, output] of Object.entries(outputs)) {
    if (output.entryPoint === undefined) continue;
    exportsOf.set(output.entryPoint, output.exports);
    if (first.includes(output.entryPoint)) waiting.push(path);
  }
  const reached = new Set(waiting);
  for (const path of waiting) {
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || external || reached.has(imported)) continue;
      reached.add(imported);
      waiting.push(imported);
    }
  }
  const shared = [...reached].map((path) => outputs[path])
    .filter((output) => output !== undefined && output.entryPoint === undefined)
    .flatMap((output) => Object.keys(output?.inputs ?? {}));
  return { shared: [...new Set(shared)].sort(), exportsOf };
}
