/** Reads a build at the start of the server: pages are completed for this deployment, once. */
import { compress, contentHash, mediaType } from "./content.ts";
import type { Handlers } from "./context.ts";
import { areHandlers } from "./endpoint.ts";
import {
  DATA_POLICY,
  FILE_POLICY,
  type HeaderPair,
  pageHeaders,
  securityHeaders,
  type SecurityOptions,
} from "./headers.ts";
import type { ErrorPage, Manifest, ManifestFile } from "./manifest.ts";
import { type Bodies, Resource } from "./resource.ts";
import { fillSlots, type SlotValues } from "./slot.ts";

/** A build, and the values that this start completes it with. */
interface Completion extends SlotValues {
  readonly build: URL;
  readonly manifest: Manifest;
  readonly variant: string;
  readonly security: SecurityOptions;
  /** From {@linkcode versionOf}. */
  readonly version: string;
}

/** Hash of a build and its completion: pages of differently configured starts must not be mixed. */
export function versionOf(completion: Omit<Completion, "build" | "version">): string {
  const { manifest, variant, slots, data, security } = completion;
  const text = JSON.stringify([manifest.buildId, variant, slots, data, security]);
  return contentHash(new TextEncoder().encode(text));
}

/** The next start may complete the page differently. */
const REVALIDATE = "no-cache";
/** For files named by their hash. */
const FOREVER = "public, max-age=31536000, immutable";

/** A page, and its data for client navigations. */
export interface LoadedPage {
  readonly path: string;
  readonly document: Resource;
  readonly data?: Resource;
}

/** Header with the version of page data, by which an open page detects that it is outdated. */
const VERSION_HEADER = "X-Build";

/** Loads the pages of one variant, completed and compressed. */
export async function loadPages(completion: Completion): Promise<LoadedPage[]> {
  const { manifest, variant } = completion;
  const pages = manifest.pages.filter((page) => page.variant === variant);
  if (pages.length === 0) {
    const known = [...new Set(manifest.pages.map((page) => page.variant))].join(", ") || "none";
    throw new TypeError(`No page has the variant "${variant}": those built are ${known}.`);
  }
  return await Promise.all(
    pages.filter(({ path }) => path.startsWith("/")).map(async (page): Promise<LoadedPage> => {
      const { path, file, data } = page;
      const load = (name: string, headers: readonly HeaderPair[]) =>
        pageResource(name, completion, { headers, cacheControl: REVALIDATE });
      const [document, dataResource] = await Promise.all([
        load(file, pageHeaders(page, completion.security)),
        data === undefined ? undefined : load(data, dataHeaders(completion)),
      ]);
      return { path, document, ...(dataResource && { data: dataResource }) };
    }),
  );
}

/** Loads the page for status 404 or 500; a line of text if the project has none. */
export async function loadErrorPage(completion: Completion, name: ErrorPage): Promise<Resource> {
  const status = Number(name);
  const cacheControl = status === 500 ? "no-store" : REVALIDATE;
  const page = completion.manifest.pages.find(({ path, variant }) =>
    path === name && variant === completion.variant
  );
  if (page !== undefined) {
    const headers = pageHeaders(page, completion.security);
    return await pageResource(page.file, completion, { headers, cacheControl, status });
  }
  const text = status === 404 ? "Not found\n" : "Internal server error\n";
  return new Resource({
    bodies: { identity: new TextEncoder().encode(text) },
    type: mediaType("x.txt"),
    hash: name,
    headers: [...securityHeaders(completion.security)],
    cacheControl,
    status,
  });
}

/** Loads assets and static files, by path. */
export async function loadFiles(completion: Completion): Promise<[string, Resource][]> {
  const { build, manifest, security } = completion;
  const common = securityHeaders(security);
  const load = async (path: string, file: ManifestFile, folder: string, asset: boolean) =>
    [
      path,
      new Resource({
        bodies: await readBodies(new URL(folder, build), file),
        type: file.type,
        hash: file.hash,
        headers: asset ? common : [...common, ["Content-Security-Policy", FILE_POLICY]],
        cacheControl: asset ? FOREVER : REVALIDATE,
      }),
    ] as [string, Resource];
  return await Promise.all([
    ...Object.entries(manifest.assets).map(([name, file]) =>
      load(`/assets/${name}`, file, `assets/${name}`, true)
    ),
    ...Object.entries(manifest.statics).map(([path, file]) =>
      load(path, file, `static${path}`, false)
    ),
  ]);
}

interface PageOptions {
  readonly headers: readonly HeaderPair[];
  readonly cacheControl: string;
  readonly status?: number;
}

async function pageResource(
  file: string,
  completion: Completion,
  options: PageOptions,
): Promise<Resource> {
  const html = await Deno.readTextFile(new URL(`pages/${file}`, completion.build));
  const identity = new TextEncoder().encode(fillSlots(html, completion));
  const { status = 200 } = options;
  return new Resource({
    ...options,
    bodies: {
      identity,
      ...await compress(identity, { brotli: status === 200 ? "start" : "fast" }),
    },
    type: mediaType("x.html"),
    hash: contentHash(identity),
  });
}

function dataHeaders({ security, version }: Completion): HeaderPair[] {
  return [
    ...securityHeaders(security),
    ["Content-Security-Policy", DATA_POLICY],
    [VERSION_HEADER, version],
  ];
}

/** Reads a file and its compressed forms into memory: a later build does not affect a running server. */
async function readBodies(url: URL, file: ManifestFile): Promise<Bodies> {
  const read = (end: string) => Deno.readFile(new URL(url.href + end));
  const [identity, br, gzip] = await Promise.all([
    read(""),
    file.brotli === undefined ? undefined : read(".br"),
    file.gzip === undefined ? undefined : read(".gz"),
  ]);
  return { identity, ...(br && { br }), ...(gzip && { gzip }) };
}

/**
 * Imports the `handlers` of every handler route, by path.
 *
 * @throws {TypeError} a module does not export valid `handlers`
 */
export async function loadHandlers<State>(
  root: URL,
  manifest: Manifest,
): Promise<[string, Handlers<State>][]> {
  return await Promise.all(manifest.handlers.map(async ({ path, module }) => {
    const { handlers }: Record<string, unknown> = await import(new URL(module, root).href);
    if (!areHandlers(handlers)) {
      throw new TypeError(
        `Cannot serve ${path}: in ${module} the export \`handlers\` is not an object of functions ` +
          "named GET, POST and so on.",
      );
    }
    return [path, handlers as Handlers<State>] as [string, Handlers<State>];
  }));
}
