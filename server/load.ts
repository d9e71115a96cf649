/** Reads a build at the start of the server: pages are completed for this deployment, once. */
import { type Bodies, compress, contentHash, mediaType } from "./content.ts";
import {
  commonHeaders,
  DATA_POLICY,
  FILE_POLICY,
  type HeaderMap,
  pageHeaders,
  type SecurityOptions,
} from "./headers.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import { createResource, type Resource } from "./resource.ts";
import { fillSlots, type SlotValues } from "./slot.ts";

export interface Completion {
  /** The build's folder, ending with `/`. */
  readonly build: URL;
  readonly manifest: Manifest;
  readonly variant: string;
  /** Values for `slot(name)` and `<PageData id>`, in addition to `build` and `version`. */
  readonly slots?: SlotValues;
  readonly security?: SecurityOptions;
}

/** The next start may complete the page differently. */
const REVALIDATE = "no-cache";
/** For files named by their hash. */
const FOREVER = "public, max-age=31536000, immutable";

/** Pages are compressed at each start: the best quality takes 50 ms for the root page, this one 20 ms for 3 % more. */
const PAGE_QUALITY = 10;

/** Completes and compresses the pages of one variant, and reads all files into memory: a later build changes nothing. */
export async function loadBuild(options: Completion) {
  const { build, manifest, variant, security = {} } = options;
  const slots = { build: manifest.buildId, ...options.slots };
  // Pages of differently configured starts must not be mixed.
  const version = contentHash(JSON.stringify([manifest.buildId, variant, slots, security]));

  async function loadPage(file: string, headers: HeaderMap, status = 200): Promise<Resource> {
    const text = await Deno.readTextFile(new URL(`pages/${file}`, build));
    const html = fillSlots(text, { ...slots, version });
    return createResource({
      bodies: await compress(new TextEncoder().encode(html), PAGE_QUALITY),
      type: mediaType("x.html"),
      hash: contentHash(html),
      headers,
      cacheControl: status === 500 ? "no-store" : REVALIDATE,
      status,
    });
  }

  async function loadFile(
    path: string,
    file: string,
    { type, hash, brotli, gzip }: ManifestFile,
    headers: HeaderMap,
    cacheControl: string,
  ): Promise<readonly [string, Resource]> {
    const read = (end: string) => Deno.readFile(new URL(`${file}${end}`, build));
    const bodies: Bodies = {
      identity: await read(""),
      ...brotli !== undefined && { br: await read(".br") },
      ...gzip !== undefined && { gzip: await read(".gz") },
    };
    return [path, createResource({ bodies, type, hash, headers, cacheControl })];
  }

  const ofVariant = manifest.pages.filter((page) => page.variant === variant);
  const errorPage = async (status: 404 | 500) => {
    const page = ofVariant.find(({ path }) => path === `${status}`);
    if (page === undefined) throw new TypeError(`No page has the variant "${variant}".`);
    return await loadPage(page.file, pageHeaders(page, security), status);
  };
  const assetHeaders = commonHeaders(security);
  const staticHeaders = commonHeaders(security, FILE_POLICY);
  const partialHeaders = commonHeaders(security, DATA_POLICY);
  const [notFound, serverError, pages, files] = await Promise.all([
    errorPage(404),
    errorPage(500),
    Promise.all(ofVariant.flatMap((page) =>
      page.partial === undefined ? [] : [
        Promise.all([
          loadPage(page.file, pageHeaders(page, security)),
          loadPage(page.partial, partialHeaders),
        ]).then(([document, partial]) => ({ path: page.path, document, partial })),
      ]
    )),
    Promise.all([
      ...Object.entries(manifest.assets).map(([name, entry]) =>
        loadFile(`/assets/${name}`, `assets/${name}`, entry, assetHeaders, FOREVER)
      ),
      ...Object.entries(manifest.statics).map(([path, entry]) =>
        loadFile(path, `static${path}`, entry, staticHeaders, REVALIDATE)
      ),
    ]),
  ]);
  return { pages, notFound, serverError, files };
}
