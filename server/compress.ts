import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Smaller bodies fit into one packet either way. */
const WORTH_BYTES = 256;

export interface CompressOptions {
  /** UTF-8 text, which brotli has a mode for. */
  readonly text: boolean;
  /** A tenth of the time, a few percent more bytes: for development, and for error pages. */
  readonly fast?: boolean;
}

/**
 * The brotli and gzip forms of a body, where they are smaller than it; both are made at the same
 * time.
 */
export async function compress(
  body: Uint8Array<ArrayBuffer>,
  options: CompressOptions,
): Promise<{ br?: Uint8Array<ArrayBuffer>; gzip?: Uint8Array<ArrayBuffer> }> {
  if (body.length < WORTH_BYTES) return {};
  const [br, gz] = await Promise.all([
    brotliAsync(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: options.fast ? 5 : constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        [constants.BROTLI_PARAM_MODE]: options.text
          ? constants.BROTLI_MODE_TEXT
          : constants.BROTLI_MODE_GENERIC,
      },
    }),
    gzipAsync(body, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return {
    ...(br.length < body.length ? { br: own(br) } : {}),
    ...(gz.length < body.length ? { gzip: own(gz) } : {}),
  };
}

/** Bytes of their own, not a window into a pool that Node's buffers share. */
function own(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}
