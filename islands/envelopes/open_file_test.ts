import assert from "node:assert/strict";
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";
import { openFile } from "./open_file.ts";

const plain = eventEnvelope(1);
const fileOf = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]);

Deno.test("gzip, deflate with or without its header, brotli → decompressed", async () => {
  const compressed = {
    gzip: gzipSync(plain),
    deflate: deflateSync(plain),
    br: brotliCompressSync(plain),
  };
  for (const [name, file] of Object.entries(compressed)) {
    const { encoding, bytes } = await openFile(fileOf(file));
    assert.deepEqual([encoding, bytes], [name, plain]);
  }
  assert.deepEqual((await openFile(fileOf(deflateRawSync(plain)))).bytes, plain);
});

const cut = gzipSync(plain).subarray(0, 40);
const bomb = gzipSync(new Uint8Array(80 * 1024 * 1024));
for (
  const [title, bytes, message] of [
    ["truncated gzip → an error", cut, /gzip data is truncated/],
    ["zstd → an error with what to do", zstdCompressSync(plain), /`zstd -d`/],
    ["a decompression bomb → an error at the limit", bomb, /More than 64 MiB/],
  ] as const
) {
  Deno.test(title, async () => {
    await assert.rejects(openFile(fileOf(bytes)), message);
  });
}
