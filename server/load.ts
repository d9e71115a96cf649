import { bodyHash } from "./body_hash.ts";
import { compress } from "./compress.ts";
import {
  contentSecurityPolicy,
  DATA_POLICY,
  FILE_POLICY,
  type HeaderPair,
  permissionsPolicy,
  securityHeaders,
  type SecurityOptions,
} from "./headers.ts";
import type { ErrorPage, Manifest, ManifestFile, ManifestPage } from "./manifest.ts";
import { mediaType } from "./media_type.ts";
import { type Bodies, Resource } from "./resource.ts";
import { fillSlots, type SlotValues } from "./slot.ts";

/** A build and what this start completes it with. */
export interface Completion extends SlotValues {
  readonly build: URL;
  readonly manifest: Manifest;
  readonly variant: string;
  readonly security: SecurityOptions;
  /** Of {@linkcode versionOf}. */
  readonly version: string;
}

/**
 * Names a build as this start completes it: two starts of one build that are configured differently
 * have pages that do not mix.
 */
export function versionOf(completion: Omit<Completion, "build" | "version">): string {
  const { manifest, variant, slots, data, security } = completion;
  const text = JSON.stringify([manifest.buildId, variant, slots, data, security]);
  return bodyHash(new TextEncoder().encode(text));
}

/** Revalidated each time: the next start may complete the page differently. */
const REVALIDATE = "no-cache";
/** The name is the content's hash, so what it names never changes. */
const FOREVER = "public, max-age=31536000, immutable";

/** A page as it is served: the document, and the data for who navigates to it. */
export interface LoadedPage {
  readonly path: string;
  readonly document: Resource;
  readonly data?: Resource;
}

/** Names the version of page data, so that a page can ask by HEAD whether it is still the newest. */
export const BUILD_HEADER = "X-Build";

/** The pages of the variant that is served, completed and compressed. */
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
        load(file, pageHeaders(page, completion)),
        data === undefined ? undefined : load(data, dataHeaders(completion)),
      ]);
      return { path, document, ...(dataResource && { data: dataResource }) };
    }),
  );
}

/** The page for a 404 or a 500, or a line of text where the project has none. */
export async function loadErrorPage(completion: Completion, name: ErrorPage): Promise<Resource> {
  const status = Number(name);
  const cacheControl = status === 500 ? "no-store" : REVALIDATE;
  const page = completion.manifest.pages.find(({ path, variant }) =>
    path === name && variant === completion.variant
  );
  if (page !== undefined) {
    const headers = pageHeaders(page, completion);
    return await pageResource(page.file, completion, { headers, cacheControl, status });
  }
  const text = status === 404 ? "Not found\n" : "The server met an error\n";
  return new Resource({
    bodies: { identity: new TextEncoder().encode(text) },
    type: mediaType("x.txt"),
    hash: name,
    headers: [...securityHeaders(completion.security)],
    ranges: false,
    cacheControl,
    status,
  });
}

/** The assets and the static files, by path. */
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
        ranges: true,
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
    // The best compression takes tens of milliseconds, which an error page is not worth at a start.
    bodies: { identity, ...await compress(identity, { text: true, fast: status !== 200 }) },
    type: mediaType("x.html"),
    hash: bodyHash(identity),
    ranges: false,
  });
}

function pageHeaders(page: ManifestPage, { security }: Completion): HeaderPair[] {
  const policy = contentSecurityPolicy(page, security.connect ?? []);
  return [
    ...securityHeaders(security),
    permissionsPolicy(),
    ["Content-Security-Policy", policy],
  ];
}

function dataHeaders({ security, version }: Completion): HeaderPair[] {
  return [
    ...securityHeaders(security),
    ["Content-Security-Policy", DATA_POLICY],
    [BUILD_HEADER, version],
  ];
}

/**
 * The bytes that the manifest says there are, read now: a later build does not touch a running
 * server.
 */
async function readBodies(url: URL, file: ManifestFile): Promise<Bodies> {
  const read = (end: string) => Deno.readFile(new URL(url.href + end));
  const [identity, br, gzip] = await Promise.all([
    read(""),
    file.brotli === undefined ? undefined : read(".br"),
    file.gzip === undefined ? undefined : read(".gz"),
  ]);
  return { identity, ...(br && { br }), ...(gzip && { gzip }) };
}
