/** Prepares the content of files for serving: hash for the entity tag, media type, compressed forms. */
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Hash for a file's entity tag and name: the first 128 bits of SHA-256, base64url. */
export function contentHash(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest().subarray(0, 16).toString("base64url");
}

/** A map, because a file name may end with the name of an inherited property. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ["css", "text/css; charset=utf-8"],
  ["html", "text/html; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["svg", "image/svg+xml"],
  ["txt", "text/plain; charset=utf-8"],
  ["woff2", "font/woff2"],
]);
export function mediaType(name: string): string {
  return MEDIA_TYPES.get(extname(name).slice(1).toLowerCase()) ?? "application/octet-stream";
}

export interface Bodies {
  readonly identity: Uint8Array<ArrayBuffer>;
  readonly br?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** A smaller file takes one packet with its response headers, whether it is compressed or not. */
const MIN_BYTES = 256;
/** A form that saves less is not worth decompressing, for example that of a font. */
const MAX_RATIO = 0.9;

/** @param quality of brotli. Default: the best */
export async function compress(
  content: Uint8Array<ArrayBuffer>,
  quality: number = constants.BROTLI_MAX_QUALITY,
): Promise<Bodies> {
  if (content.length < MIN_BYTES) return { identity: content };
  const [br, gz] = await Promise.all([
    brotliAsync(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
    gzipAsync(content, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  // Copies, because Node's buffers may share a pool.
  return {
    identity: content,
    ...(br.length < MAX_RATIO * content.length ? { br: new Uint8Array(br) } : {}),
    ...(gz.length < MAX_RATIO * content.length ? { gzip: new Uint8Array(gz) } : {}),
  };
}
