import type * as esbuild from "esbuild";
import { createHash } from "node:crypto";
import type { ManifestAsset } from "../manifest.ts";
import { withDebugId } from "./debug_id.ts";

/** A script for the browser. */
export interface BuiltAsset extends
  Pick<
    ManifestAsset,
    "kind" | "entryPoint" | "debugId" | "imports" | "dynamicImports" | "sources"
  > {
  /** File name. */
  readonly name: string;
  readonly contents: Uint8Array<ArrayBuffer>;
  readonly map?: Uint8Array<ArrayBuffer>;
  /** The island's name, or the specifier: `name` in the manifest. */
  readonly label?: string;
}

export interface Bundle {
  readonly assets: readonly BuiltAsset[];
  /** Source files, relative to the root. */
  readonly inputs: readonly string[];
  readonly warnings: readonly esbuild.Message[];
}

/** What a script is for. */
type Role = Pick<BuiltAsset, "kind" | "label" | "entryPoint">;

/**
 * Converts esbuild's outputs to assets. Adds a debug id to each script and its source map.
 *
 * @param roleOf returns the role of the output of an entry point
 */
export function collect(
  result: esbuild.BuildResult<{ metafile: true; write: false }>,
  roleOf: (entryPoint: string | undefined) => Role,
): Bundle {
  const { metafile, outputFiles, warnings } = result;
  const files = new Map(outputFiles.map((file) => [fileName(file.path), file]));
  const assets = Object.entries(metafile.outputs).filter(([path]) => !path.endsWith(".map"))
    .map(([path, output]): BuiltAsset => {
      const name = fileName(path);
      const imported = (kind: string) =>
        unique(
          output.imports.filter((entry) => entry.kind === kind)
            .map((entry) => entry.external ? entry.path : fileName(entry.path)),
        );
      const contentsOf = (file: string) => new Uint8Array(files.get(file)!.contents);
      return {
        name,
        ...withDebugId(contentsOf(name), contentsOf(`${name}.map`)),
        ...roleOf(output.entryPoint),
        imports: imported("import-statement"),
        dynamicImports: imported("dynamic-import"),
        sources: sourceSizes(output.inputs),
      };
    });
  return { assets, inputs: Object.keys(metafile.inputs), warnings };
}

/** Bytes by package, and by file for the project's own sources. */
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

/** Converts a prebuilt script to an asset. */
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

/** Sorts and removes duplicates. */
export function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** The last part of a path. */
function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
