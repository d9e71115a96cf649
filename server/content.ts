/** Contents of served files: their hash, media type and compressed forms. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Hash of a content for its entity tag or file name: 128 bits of SHA-256, base64url. */
export function contentHash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest().subarray(0, 16).toString("base64url");
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff2: "font/woff2",
};
const COMPRESSED = new Set(["png", "webp", "woff2"]);

/** Media type by the extension of a file name. */
export function mediaType(name: string): string {
  return TYPES[extension(name)] ?? "application/octet-stream";
}

/** Whether a file's format is known and not compressed already. */
export function isCompressible(name: string): boolean {
  const end = extension(name);
  return end in TYPES && !COMPRESSED.has(end);
}

function extension(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase();
}

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Smaller contents fit into one packet uncompressed. */
const MIN_BYTES = 256;

export interface CompressOptions {
  /** Takes a tenth of the time for a few percent more bytes: for development and error pages. */
  readonly fast?: boolean;
}

/** Compresses UTF-8 text with brotli and gzip. A form that is not smaller is omitted. */
export async function compress(
  content: Uint8Array<ArrayBuffer>,
  { fast = false }: CompressOptions,
): Promise<{ br?: Uint8Array<ArrayBuffer>; gzip?: Uint8Array<ArrayBuffer> }> {
  if (content.length < MIN_BYTES) return {};
  const [br, gz] = await Promise.all([
    brotliAsync(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: fast ? 5 : constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
    gzipAsync(content, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  // Copies, because Node's buffers may share a pool.
  return {
    ...(br.length < content.length ? { br: new Uint8Array(br) } : {}),
    ...(gz.length < content.length ? { gzip: new Uint8Array(gz) } : {}),
  };
}
