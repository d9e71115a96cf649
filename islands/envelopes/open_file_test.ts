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

Deno.test("an uncompressed envelope → unchanged", async () => {
  assert.deepEqual(await openFile(fileOf(plain)), { bytes: plain, encoding: null });
});

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

Deno.test("zstd → an error with the command that decompresses it", async () => {
  await assert.rejects(
    openFile(fileOf(zstdCompressSync(plain))),
    (error) => error instanceof FileError && /zstd -d/.test(error.message),
  );
});

Deno.test("truncated gzip → an error", async () => {
  const cut = gzipSync(plain).subarray(0, 40);
  await assert.rejects(openFile(fileOf(cut)), /gzip data is truncated/);
  await assert.rejects(openBytes(new Uint8Array(cut), "gzip"), /gzip data is truncated/);
});

Deno.test("a decompression bomb → an error at the limit", async () => {
  const bomb = gzipSync(new Uint8Array(80 * 1024 * 1024));
  await assert.rejects(openFile(fileOf(bomb)), /More than 64 MiB/);
});

Deno.test("neither an envelope nor compressed → the bytes, for the inspector", async () => {
  const text = new TextEncoder().encode("PNG or so");
  assert.deepEqual(await openFile(fileOf(text)), { bytes: text, encoding: null });
});
