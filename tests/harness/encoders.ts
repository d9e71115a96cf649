import * as zlib from "node:zlib";

/** A compressor for each `Content-Encoding` that the server decodes. */
export const ENCODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  // The default is the highest quality, which is slow.
  br: (bytes) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
};
