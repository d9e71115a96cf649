import * as esbuild from "esbuild";
import { relative, resolve } from "node:path";

/** Namespace of the wrapper modules. */
const NAMESPACE = "first";
/** Marks resolutions that this plugin requests itself. */
const RESOLVING = Symbol("resolving");

/**
 * Puts all modules that a page's first scripts share into one chunk. By itself, esbuild makes one chunk for
 * each set of entry points that share modules: a page with six islands would request a dozen small files
 * before any island is hydrated. Here each entry point is wrapped in a module that imports all shared
 * modules, so that they have the same set. Nothing additional is loaded.
 *
 * @param options esbuild's options without this plugin
 * @param first sources that a page loads first, relative to the root: the entry and its islands
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
        // External, or not found: esbuild handles both.
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

/** The source of an entry point, whether it was wrapped or not. */
export function entryPointOf(entryPoint: string | undefined): string | undefined {
  return entryPoint?.startsWith(`${NAMESPACE}:`)
    ? entryPoint.slice(NAMESPACE.length + 1)
    : entryPoint;
}

interface Plan {
  /** Sorted sources of shared chunks that are loaded first. */
  readonly shared: readonly string[];
  /** Export names of each entry point. */
  readonly exportsOf: ReadonlyMap<string, readonly string[]>;
}

function plan(outputs: esbuild.Metafile["outputs"], first: readonly string[]): Plan {
  const exportsOf = new Map<string, readonly string[]>();
  const queue: string[] = [];
  for (const [path, output] of Object.entries(outputs)) {
    if (output.entryPoint === undefined) continue;
    exportsOf.set(output.entryPoint, output.exports);
    if (first.includes(output.entryPoint)) queue.push(path);
  }
  const reached = new Set(queue);
  for (const path of queue) {
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || external || reached.has(imported)) continue;
      reached.add(imported);
      queue.push(imported);
    }
  }
  const shared = [...reached].map((path) => outputs[path])
    .filter((output) => output !== undefined && output.entryPoint === undefined)
    .flatMap((output) => Object.keys(output?.inputs ?? {}));
  return { shared: [...new Set(shared)].sort(), exportsOf };
}
