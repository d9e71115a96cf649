import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { compress, contentHash, isCompressible, mediaType } from "./content.ts";

const FILES: Readonly<Record<string, readonly [type: string, compressible: boolean]>> = {
  "page.HTML": ["text/html; charset=utf-8", true],
  "a/b.min.js": ["text/javascript; charset=utf-8", true],
  "font.woff2": ["font/woff2", false],
  "archive.zip": ["application/octet-stream", false],
  "LICENSE": ["application/octet-stream", false],
  "css": ["application/octet-stream", false],
  "a.b/LICENSE": ["application/octet-stream", false],
  // Properties that every object inherits.
  "a.constructor": ["application/octet-stream", false],
  "a.__proto__": ["application/octet-stream", false],
};
for (const [name, expected] of Object.entries(FILES)) {
  Deno.test(`${name} → ${expected[0]}, ${expected[1] ? "compressible" : "not compressible"}`, () => {
    assert.deepEqual([mediaType(name), isCompressible(name)], expected);
  });
}

Deno.test("text → brotli and gzip of the same content", async () => {
  const text = new TextEncoder().encode("All delivered. ".repeat(100));
  for (const quality of [undefined, 5]) {
    const { br, gzip } = await compress(text, quality);
    assert.deepEqual(new Uint8Array(brotliDecompressSync(br!)), text);
    assert.deepEqual(new Uint8Array(gunzipSync(gzip!)), text);
  }
});

Deno.test("file of less than 256 bytes → no compressed form", async () => {
  assert.deepEqual(await compress(new Uint8Array(255)), {});
  assert.deepEqual(Object.keys(await compress(new Uint8Array(256))), ["br", "gzip"]);
});

Deno.test("file that compression makes larger → no compressed form", async () => {
  assert.deepEqual(await compress(crypto.getRandomValues(new Uint8Array(1_000))), {});
});

Deno.test("empty content → first 128 bits of its SHA-256, base64url", () => {
  assert.equal(contentHash(new Uint8Array()), "47DEQpj8HBSa-_TImW-5JA");
});
