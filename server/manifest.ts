/** What the build hands to the server: plain data, read once at the start. */
export interface Manifest {
  /** Of this form; another one is refused. */
  readonly version: typeof MANIFEST_VERSION;
  /** Hash of everything that was built. */
  readonly buildId: string;
  /** Built by `deno task dev`: the page reloads when the server is another. */
  readonly dev: boolean;
  /** Pages, error pages included, once for each variant. */
  readonly pages: readonly ManifestPage[];
  /** `routes/**\/*.ts`, loaded at the start. */
  readonly handlers: readonly ManifestModule[];
  /** `_middleware.ts` files, outermost first. */
  readonly middleware: readonly ManifestModule[];
  /** Files under `/assets/`, by name. */
  readonly assets: Readonly<Record<string, ManifestAsset>>;
  /** Files of `static/`, by the path they are served under. */
  readonly statics: Readonly<Record<string, ManifestFile>>;
}

/** The path of a page that answers errors instead of an address. */
export type ErrorPage = "404" | "500";

export interface ManifestPage {
  /** `/` and so on, or the status that the page is for. */
  readonly path: string;
  readonly variant: string;
  /** Under `.build/pages/`. */
  readonly file: string;
  /** Under `.build/pages/`: the page data. What answers errors has none. */
  readonly data?: string;
  /** CSP hashes (`sha256-…`) of what stands inline. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /**
   * Assets that the page loads before its islands answer, in the order in which they are needed.
   */
  readonly assets: readonly string[];
}

export interface ManifestModule {
  /** The route, or for a middleware the folder it stands in; `[name]` segments are parameters. */
  readonly path: string;
  /** Relative to the project's root. */
  readonly module: string;
}

/** Sizes in bytes; an encoding that does not make the file smaller is not kept. */
export interface ManifestFile {
  readonly type: string;
  readonly hash: string;
  readonly bytes: number;
  readonly gzip?: number;
  readonly brotli?: number;
}

export interface ManifestAsset extends ManifestFile {
  /**
   * `vendor`: the shared React module. `client`: the browser's entry. `island`: one island.
   * `chunk`: shared or loaded later. `extra`: named in the import map by `name`. `reload`:
   * development alone.
   */
  readonly kind: "vendor" | "client" | "island" | "chunk" | "extra" | "reload";
  /** The island's name, or the specifier under which an import map names the asset. */
  readonly name?: string;
  /**
   * The source that this asset is the entry of, relative to the root: what a dynamic import names.
   */
  readonly entryPoint?: string;
  /** What the asset shares with its source map; none: it has no source map. */
  readonly debugId?: string;
  /** Assets imported statically, and those imported dynamically. */
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  /** Bytes that each source has in the asset: packages by name, own files by path. */
  readonly sources: Readonly<Record<string, number>>;
}

export const MANIFEST_VERSION = 3;

/** The build is missing, or was made by another version of the kernel. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

/** Reads `manifest.json` of a build folder (a URL that ends with `/`). */
export async function readManifest(build: URL): Promise<Manifest> {
  let text: string;
  try {
    text = await Deno.readTextFile(new URL("manifest.json", build));
  } catch (cause) {
    throw new ManifestError(`There is no build in ${build.pathname}: run \`deno task build\`.`, {
      cause,
    });
  }
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.version !== MANIFEST_VERSION) {
    throw new ManifestError(
      `The build in ${build.pathname} is of form ${manifest.version}, not ${MANIFEST_VERSION}: ` +
        "run `deno task build`.",
    );
  }
  return manifest;
}
