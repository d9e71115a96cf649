/** Reads a build at the start of the server: pages are completed for this deployment, once. */
import { compress, contentHash, mediaType } from "./content.ts";
import {
  DATA_POLICY,
  FILE_POLICY,
  type HeaderPair,
  pageHeaders,
  securityHeaders,
  type SecurityOptions,
} from "./headers.ts";
import type { ErrorPage, Manifest, ManifestFile, ManifestPage } from "./manifest.ts";
import { type Bodies, Resource } from "./resource.ts";
import { fillSlots, type SlotValues } from "./slot.ts";

/** The values that this start completes a build with. */
export interface Completion {
  /** The build's folder, ending with `/`. */
  readonly build: URL;
  /** The variant of the pages to serve. */
  readonly variant: string;
  /** Texts for `slot(name)`, in addition to `build` and `version`. */
  readonly slots?: Readonly<Record<string, string>>;
  /** JSON values for `<PageData id>`. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly security?: SecurityOptions;
}

/** Everything that is served from memory. */
export interface LoadedBuild {
  readonly pages: readonly LoadedPage[];
  readonly notFound: Resource;
  readonly serverError: Resource;
  /** Assets and static files, by path. */
  readonly files: readonly (readonly [path: string, file: Resource])[];
}

/** A page, and its partial for client navigations. */
export interface LoadedPage {
  readonly path: string;
  readonly document: Resource;
  readonly partial: Resource;
}

/** The next start may complete the page differently. */
const REVALIDATE = "no-cache";
/** For files named by their hash. */
const FOREVER = "public, max-age=31536000, immutable";
/** Header with the version of a partial, by which an open page detects that it is outdated. */
const VERSION_HEADER = "X-Build";

/** Completes and compresses the pages of one variant, and reads all files into memory. */
export async function loadBuild(manifest: Manifest, options: Completion): Promise<LoadedBuild> {
  const { build, variant, data = {}, security = {} } = options;
  const slots = { build: manifest.buildId, ...options.slots };
  // Pages of differently configured starts must not be mixed.
  const version = hashOf(JSON.stringify([manifest.buildId, variant, slots, data, security]));
  const values = { slots: { ...slots, version }, data };
  const common = securityHeaders(security);
  const partialHeaders: HeaderPair[] = [
    ...common,
    ["Content-Security-Policy", DATA_POLICY],
    [VERSION_HEADER, version],
  ];
  const load = (file: string, headers: readonly HeaderPair[], status = 200) =>
    pageResource(new URL(`pages/${file}`, build), values, headers, status);
  const pages = pagesOf(manifest, variant);
  const errorPage = (name: ErrorPage) => {
    const page = pages.find(({ path }) => path === name)!;
    return load(page.file, pageHeaders(page, security), Number(name));
  };
  const [loaded, notFound, serverError, files] = await Promise.all([
    Promise.all(
      pages.filter(({ path }) => path.startsWith("/")).map(async (page): Promise<LoadedPage> => ({
        path: page.path,
        document: await load(page.file, pageHeaders(page, security)),
        partial: await load(page.partial!, partialHeaders),
      })),
    ),
    errorPage("404"),
    errorPage("500"),
    Promise.all([
      ...Object.entries(manifest.assets).map(([name, file]) =>
        loadFile(`/assets/${name}`, new URL(`assets/${name}`, build), file, common, FOREVER)
      ),
      ...Object.entries(manifest.statics).map(([path, file]) =>
        loadFile(
          path,
          new URL(`static${path}`, build),
          file,
          [...common, ["Content-Security-Policy", FILE_POLICY]],
          REVALIDATE,
        )
      ),
    ]),
  ]);
  return { pages: loaded, notFound, serverError, files };
}

function pagesOf({ pages }: Manifest, variant: string): ManifestPage[] {
  const found = pages.filter((page) => page.variant === variant);
  if (found.length > 0) return found;
  const known = [...new Set(pages.map((page) => page.variant))].join(", ") || "none";
  throw new TypeError(`No page has the variant "${variant}": those built are ${known}.`);
}

async function pageResource(
  file: URL,
  values: SlotValues,
  headers: readonly HeaderPair[],
  status: number,
): Promise<Resource> {
  const html = fillSlots(await Deno.readTextFile(file), values);
  const identity = new TextEncoder().encode(html);
  return new Resource({
    bodies: {
      identity,
      ...await compress(identity, { brotli: status === 200 ? "start" : "fast" }),
    },
    type: mediaType("x.html"),
    hash: hashOf(html),
    headers,
    cacheControl: status === 500 ? "no-store" : REVALIDATE,
    status,
  });
}

/** Reads a file and its compressed forms: a later build does not affect a running server. */
async function loadFile(
  path: string,
  url: URL,
  { type, hash, brotli, gzip }: ManifestFile,
  headers: readonly HeaderPair[],
  cacheControl: string,
): Promise<readonly [string, Resource]> {
  const read = (end: string) => Deno.readFile(new URL(url.href + end));
  const bodies: Bodies = {
    identity: await read(""),
    ...brotli !== undefined && { br: await read(".br") },
    ...gzip !== undefined && { gzip: await read(".gz") },
  };
  return [path, new Resource({ bodies, type, hash, headers, cacheControl })];
}

function hashOf(text: string): string {
  return contentHash(new TextEncoder().encode(text));
}
