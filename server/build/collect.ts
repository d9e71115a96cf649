import type * as esbuild from "esbuild";
import { createHash } from "node:crypto";
import type { ManifestAsset } from "../manifest.ts";
import { withDebugId } from "./debug_id.ts";
import { entryPointOf } from "./first_chunk.ts";

/** One file for the browser. */
export interface BuiltAsset extends
  Pick<
    ManifestAsset,
    "kind" | "entryPoint" | "debugId" | "imports" | "dynamicImports" | "sources"
  > {
  /** Of its file. */
  readonly name: string;
  readonly contents: Uint8Array<ArrayBuffer>;
  readonly map?: Uint8Array<ArrayBuffer>;
  /** What the manifest calls its name: the island's, or the specifier's. */
  readonly label?: string;
}

export interface Bundle {
  readonly assets: readonly BuiltAsset[];
  /** Files that browser code was made of, relative to the root. */
  readonly inputs: readonly string[];
  readonly warnings: readonly esbuild.Message[];
}

/** What an output is, by the source that it is the entry of. */
export type Kind = Pick<BuiltAsset, "kind" | "label">;

/** What esbuild made, as assets; those with a source map share a debug id with it. */
export function collect(
  result: esbuild.BuildResult<{ metafile: true; write: false }>,
  kindOf: (entryPoint: string | undefined) => Kind,
): Bundle {
  const { metafile, outputFiles, warnings } = result;
  const bytes = new Map(
    outputFiles.map((file) => [fileName(file.path), new Uint8Array(file.contents)]),
  );
  const assets = Object.entries(metafile.outputs).filter(([path]) => !path.endsWith(".map"))
    .map(([path, output]): BuiltAsset => {
      const name = fileName(path);
      const entryPoint = entryPointOf(output.entryPoint);
      const imported = (kind: string) =>
        unique(
          output.imports.filter((entry) => entry.kind === kind)
            .map((entry) => entry.external ? entry.path : fileName(entry.path)),
        );
      const contents = bytes.get(name)!;
      const map = bytes.get(`${name}.map`);
      return {
        name,
        ...(map ? withDebugId(contents, map) : { contents }),
        ...kindOf(entryPoint),
        ...(entryPoint && { entryPoint }),
        imports: imported("import-statement"),
        dynamicImports: imported("dynamic-import"),
        sources: sourceSizes(output.inputs),
      };
    });
  return { assets, inputs: Object.keys(metafile.inputs), warnings };
}

/** Bytes by package for what comes from packages, by file for the project's own. */
function sourceSizes(inputs: Record<string, { bytesInOutput: number }>): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (
    const [path, { bytesInOutput }] of Object.entries(inputs).sort(([a], [b]) => a < b ? -1 : 1)
  ) {
    if (bytesInOutput === 0) continue;
    const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    const source = inPackage ?? path;
    sizes[source] = (sizes[source] ?? 0) + bytesInOutput;
  }
  return sizes;
}

/** A finished script as an asset. */
export function extraAsset(label: string, code: string): BuiltAsset {
  const contents = new TextEncoder().encode(code);
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 10).toUpperCase();
  return {
    name: `${hash}.js`,
    contents,
    kind: "extra",
    label,
    imports: [],
    dynamicImports: [],
    sources: {},
  };
}

/** Sorted, each once. */
export function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** The last part of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
