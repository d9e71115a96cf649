import { undefinedIfNotFound } from "../monitoring/protocol/if_found.ts";

export interface Manifest {
  readonly version: typeof MANIFEST_VERSION;
  readonly buildId: string;
  /** Its pages reload when the server restarts. */
  readonly dev: boolean;
  /** Files that the build was made of, and folders in which another file would be part of it, relative to the root. */
  readonly inputs: readonly string[];
  /** Names of the assets that every page loads before its island is hydrated, in the order of use. */
  readonly first: readonly string[];
  /** Pages, error pages included, once for each variant. */
  readonly pages: readonly ManifestPage[];
  /** Files under `/assets/`, by name. */
  readonly assets: Readonly<Record<string, ManifestAsset>>;
  /** Files of `static/`, by the path at which they are served. */
  readonly statics: Readonly<Record<string, ManifestFile>>;
}

export interface ManifestPage {
  /** For example `/`; the status of an error page. */
  readonly path: string;
  readonly variant: string;
  /** Relative to `.build/pages/`. */
  readonly file: string;
  /** The page's partial, relative to `.build/pages/`. Error pages have none. */
  readonly partial?: string;
  /** CSP hashes (`sha256-…`) of inline scripts and styles. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** Sizes in bytes. An encoding that is not smaller is omitted. */
export interface ManifestFile {
  readonly type: string;
  readonly hash: string;
  readonly bytes: number;
  readonly gzip?: number;
  readonly brotli?: number;
}

export interface ManifestAsset extends ManifestFile, AssetRole {}

export interface AssetRole {
  /**
   * `vendor`: the shared React module. `client`: the browser's entry. `chunk`: shared or loaded later. `extra`: in the
   * import map as `name`. `reload`: only in development. `style`: in the import map as `name`, or loaded by every page
   * after its first paint.
   */
  readonly kind: "vendor" | "client" | "chunk" | "extra" | "reload" | "style";
  /** The specifier in the import map. */
  readonly name?: string;
  /** The source of an entry point or of a dynamic import, relative to the root. */
  readonly entryPoint?: string;
  /** The id that the asset shares with its source map. */
  readonly debugId?: string;
  /** Names of assets, or specifiers of the import map. */
  readonly imports: readonly string[];
  /** Bytes of each source in the asset: packages by name, the project's files by path. */
  readonly sources: Readonly<Record<string, number>>;
}

/** The file of a build that describes it. Its modification time is the start of the build. */
export const MANIFEST = "manifest.json";

/** Increase it when {@linkcode Manifest} changes. */
export const MANIFEST_VERSION = 10;

/** The message is one line. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

/** @param build ends with `/` @throws {ManifestError} there is no build, or it is of another version */
export async function readManifest(build: URL): Promise<Manifest> {
  const text = await Deno.readTextFile(new URL(MANIFEST, build)).catch(undefinedIfNotFound);
  const manifest = text === undefined ? undefined : JSON.parse(text) as Manifest;
  if (manifest?.version === MANIFEST_VERSION) return manifest;
  const problem = manifest ? `its version is ${manifest.version}` : "there is none";
  throw new ManifestError(
    `Cannot read the build in ${build.pathname}: ${problem}. Run \`deno task build\`.`,
  );
}
