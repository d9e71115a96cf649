import assert from "node:assert/strict";
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";
import { FileError, openBytes, openFile } from "./open_file.ts";

const plain = eventEnvelope(1);
const fileOf = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]);

for (
  const [encoding, compress, title] of [
    ["gzip", gzipSync, "gzip"],
    ["deflate", deflateSync, "deflate"],
    ["deflate", deflateRawSync, "deflate without the zlib header"],
    ["br", brotliCompressSync, "brotli"],
  ] as const
) {
  Deno.test(`${title} → decompressed`, async () => {
    const opened = await openFile(fileOf(compress(plain)));
    assert.deepEqual([opened.encoding, opened.bytes], [encoding, plain]);
    const named = await openBytes(new Uint8Array(compress(plain)), encoding);
    assert.deepEqual(named.bytes, plain);
  });
}

Deno.test("an envelope, or neither that nor compressed → the bytes, for the inspector", async () => {
  for (const bytes of [plain, new TextEncoder().encode("PNG or so")]) {
    assert.deepEqual(await openFile(fileOf(bytes)), { bytes, encoding: null });
  }
});

const cut = gzipSync(plain).subarray(0, 40);
const bomb = gzipSync(new Uint8Array(80 * 1024 * 1024));
for (
  const [title, bytes, message] of [
    ["zstd → an error with the command that decompresses it", zstdCompressSync(plain), /zstd -d/],
    ["truncated gzip → an error", cut, /gzip data is truncated/],
    ["a decompression bomb → an error at the limit", bomb, /More than 64 MiB/],
  ] as const
) {
  Deno.test(title, async () => {
    const isExpected = (error: unknown) =>
      error instanceof FileError && message.test(error.message);
    await assert.rejects(openFile(fileOf(bytes)), isExpected);
    if (bytes === cut) await assert.rejects(openBytes(new Uint8Array(cut), "gzip"), isExpected);
  });
}
