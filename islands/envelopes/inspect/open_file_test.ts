import assert from "node:assert/strict";
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { eventEnvelope } from "../../../monitoring/inbox/testdata/envelopes.ts";
import { FileError, openBytes, openFile } from "./open_file.ts";

const plain = eventEnvelope(1);
const fileOf = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]);

Deno.test("a saved envelope is opened as it is", async () => {
  assert.deepEqual(await openFile(fileOf(plain)), { bytes: plain, encoding: null });
});

for (
  const [encoding, compress] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
  ] as const
) {
  Deno.test(`what was saved compressed is decompressed: ${compress.name}`, async () => {
    const opened = await openFile(fileOf(compress(plain)));
    assert.deepEqual([opened.encoding, opened.bytes], [encoding, plain]);
    const named = await openBytes(new Uint8Array(compress(plain)), encoding);
    assert.deepEqual(named.bytes, plain);
  });
}

Deno.test("zstd is told to be not readable, with the way to read it", async () => {
  await assert.rejects(
    openFile(fileOf(zstdCompressSync(plain))),
    (error) => error instanceof FileError && /zstd -d/.test(error.message),
  );
});

Deno.test("gzip that is cut off is told, not shown as bytes", async () => {
  const cut = gzipSync(plain).subarray(0, 40);
  await assert.rejects(openFile(fileOf(cut)), /gzip data is cut off/);
  await assert.rejects(openBytes(new Uint8Array(cut), "gzip"), /gzip data is cut off/);
});

Deno.test("a bomb is not decompressed to its end", async () => {
  const bomb = gzipSync(new Uint8Array(80 * 1024 * 1024));
  await assert.rejects(openFile(fileOf(bomb)), /More than 64 MiB/);
});

Deno.test("what is neither an envelope nor compressed is handed on, to be told what is wrong with it", async () => {
  const text = new TextEncoder().encode("PNG or so");
  assert.deepEqual(await openFile(fileOf(text)), { bytes: text, encoding: null });
});
