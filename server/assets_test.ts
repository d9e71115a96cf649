import { Fixture } from "./testdata/fixture.ts";
import assert from "node:assert/strict";
import { brotliDecompressSync } from "node:zlib";

const fixture = await Fixture.build();
const app = await fixture.app();
const [vendor = ""] = Object.entries(fixture.report.manifest.assets)
  .filter(([, { kind }]) => kind === "vendor").map(([name]) => `/assets/${name}`);
const whole = await (await ask(vendor)).bytes();
const ETAG = (await ask(vendor)).headers.get("ETag") ?? "";

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

async function ask(path: string, headers: HeadersInit = {}, method = "GET"): Promise<Response> {
  return await app.handler(new Request(`http://localhost${path}`, { method, headers }));
}

Deno.test("an asset never changes under its name, and says so", async () => {
  const response = await ask(vendor, { "Accept-Encoding": "br" });
  assert.equal(response.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
  assert.equal(response.headers.get("Content-Type"), "text/javascript; charset=utf-8");
  assert.equal(response.headers.get("Content-Encoding"), "br");
  assert.equal(response.headers.get("Vary"), "Accept-Encoding");
  const bytes = await response.bytes();
  assert.equal(response.headers.get("Content-Length"), String(bytes.length));
  assert.ok(brotliDecompressSync(bytes).equals(whole));
  const again = await ask(vendor, {
    "Accept-Encoding": "br",
    "If-None-Match": response.headers.get("ETag") ?? "",
  });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
});

Deno.test("the names of assets are hashes and nothing else", () => {
  for (const name of Object.keys(fixture.report.manifest.assets)) {
    assert.match(name, /^[0-9A-Z]+\.js$/);
  }
});

Deno.test("a range is a part of the plain bytes", async () => {
  const size = whole.length;
  const cases: [string, number, number][] = [
    ["bytes=0-9", 0, 9],
    ["bytes=100-", 100, size - 1],
    ["bytes=-5", size - 5, size - 1],
    [`bytes=10-${size * 2}`, 10, size - 1],
  ];
  for (const [range, start, end] of cases) {
    const response = await ask(vendor, { Range: range, "Accept-Encoding": "br" });
    assert.equal(response.status, 206, range);
    assert.equal(response.headers.get("Content-Range"), `bytes ${start}-${end}/${size}`);
    assert.equal(response.headers.get("Content-Length"), String(end - start + 1));
    assert.equal(response.headers.get("Content-Encoding"), null);
    assert.equal(response.headers.get("ETag"), ETAG);
    assert.deepEqual(await response.bytes(), whole.slice(start, end + 1));
  }
});

Deno.test("a range outside the bytes is 416 and says how many there are", async () => {
  for (const range of [`bytes=${whole.length}-`, "bytes=-0"]) {
    const response = await ask(vendor, { Range: range });
    assert.equal(response.status, 416, range);
    assert.equal(response.headers.get("Content-Range"), `bytes */${whole.length}`);
    assert.equal(response.headers.get("Cache-Control"), "no-store");
    assert.equal(await response.text(), "");
  }
});

Deno.test("what is no single range of bytes is answered with all of them", async () => {
  for (const range of ["bytes=5-2", "bytes=0-1,4-5", "lines=0-1", "nonsense"]) {
    const response = await ask(vendor, { Range: range });
    assert.equal(response.status, 200, range);
    assert.equal((await response.bytes()).length, whole.length);
  }
});

Deno.test("If-Range with another entity tag, a weak one or a date gives all the bytes", async () => {
  const range = { Range: "bytes=0-9" };
  assert.equal((await ask(vendor, { ...range, "If-Range": ETAG })).status, 206);
  for (const other of ['"x"', `W/${ETAG}`, "Sat, 29 Oct 1994 19:43:31 GMT"]) {
    const response = await ask(vendor, { ...range, "If-Range": other });
    assert.deepEqual(
      [response.status, (await response.bytes()).length],
      [200, whole.length],
      other,
    );
  }
  assert.equal((await ask(vendor, { ...range, "If-None-Match": ETAG })).status, 304);
  const head = await ask(vendor, range, "HEAD");
  assert.deepEqual([head.status, head.headers.get("Content-Range")], [200, null]);
  assert.equal(head.headers.get("Content-Length"), String(whole.length));
});

Deno.test("a static file is served under its own name and asked for again each time", async () => {
  const response = await ask("/note.txt", { "Accept-Encoding": "gzip" });
  assert.equal(response.headers.get("Content-Type"), "text/plain; charset=utf-8");
  assert.equal(response.headers.get("Content-Encoding"), "gzip");
  assert.equal(response.headers.get("Cache-Control"), "no-cache");
  const known = { "Accept-Encoding": "gzip", "If-None-Match": response.headers.get("ETag") ?? "" };
  assert.equal((await ask("/note.txt", known)).status, 304);
  const icon = await ask("/icon.svg", { Range: "bytes=0-3" });
  assert.deepEqual([icon.headers.get("Content-Type"), await icon.text()], [
    "image/svg+xml",
    "<svg",
  ]);
});

Deno.test("pages answer no ranges: they are small, and differ from start to start", async () => {
  const response = await ask("/", { Range: "bytes=0-9" });
  assert.deepEqual([response.status, response.headers.get("Accept-Ranges")], [200, null]);
  await response.body?.cancel();
});
