import assert from "node:assert/strict";
import { compress, mediaType } from "./content.ts";

Deno.test("file name → media type", () => {
  const types = {
    "a.css": "text/css; charset=utf-8",
    "page.HTML": "text/html; charset=utf-8",
    "a/b.min.js": "text/javascript; charset=utf-8",
    "font.woff2": "font/woff2",
    "archive.zip": "application/octet-stream",
    "LICENSE": "application/octet-stream",
    "js": "application/octet-stream",
    "a.b/LICENSE": "application/octet-stream",
    // Properties that every object inherits.
    "a.constructor": "application/octet-stream",
    "a.__proto__": "application/octet-stream",
  };
  for (const [name, type] of Object.entries(types)) assert.equal(mediaType(name), type, name);
});

Deno.test("file of less than 256 bytes → no compressed form", async () => {
  assert.deepEqual(Object.keys(await compress(new Uint8Array(255))), ["identity"]);
  assert.deepEqual(Object.keys(await compress(new Uint8Array(256))), ["identity", "br", "gzip"]);
});

Deno.test("file that compression makes larger, or hardly smaller → no compressed form", async () => {
  const noise = crypto.getRandomValues(new Uint8Array(1_000));
  assert.deepEqual(await compress(noise), { identity: noise });
});
