/** `?fresh-partial=true`: the partial that a client navigation fetches. */
import { Fixture } from "./testdata/fixture.ts";
import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const fixture = await Fixture.build();
const app = await fixture.app({ slots: { place: "<here>" }, security: { https: true } });

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

async function ask(path: string, init?: RequestInit): Promise<Response> {
  return await app.handler(new Request(`http://localhost${path}`, init));
}

const textOf = async (path: string) => await (await ask(path)).text();

Deno.test("partial → completed at the start, with the version of the page", async () => {
  const page = await ask("/");
  const pageHtml = await page.text();
  const version = /<div data-page="([\w-]{22})"><main><h1>/.exec(pageHtml)?.[1];
  assert.ok(version);
  assert.equal(page.headers.get("x-build"), null);
  for (const path of ["/?fresh-partial=true", "/?a=b&fresh-partial=true&c"]) {
    const { status, headers, body } = await ask(path);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(headers.get("x-build"), version);
    const html = await new Response(body).text();
    assert.ok(html.includes(`<div data-page="${version}"><main><h1>`));
    assert.ok(html.includes("at <!-- -->&lt;here&gt;</h1>"));
    assert.ok(html.includes('"label":"\\u003chere>"'));
    assert.doesNotMatch(html, /[\uE000-\uE003]/);
    assert.ok(html.length < pageHtml.length);
  }
});

Deno.test("same build, other slots or data → another version", async () => {
  const versionOf = async (options: Parameters<typeof fixture.app>[0]) => {
    const { handler } = await fixture.app(options);
    const answer = await handler(new Request("http://here/about?fresh-partial=true"));
    return answer.headers.get("x-build");
  };
  const version = await versionOf({});
  assert.equal(await versionOf({}), version);
  assert.notEqual(await versionOf({ slots: { place: "there" } }), version);
  assert.notEqual(await versionOf({ data: { client: { at: "another" } } }), version);
});

Deno.test("partial → the accepted encoding, 304 with If-None-Match", async () => {
  const path = "/?fresh-partial=true";
  const plain = await ask(path);
  const br = await ask(path, { headers: { "accept-encoding": "gzip, br" } });
  const gzip = await ask(path, { headers: { "accept-encoding": "gzip" } });
  const html = await plain.text();
  assert.equal(brotliDecompressSync(await br.bytes()).toString(), html);
  assert.equal(gunzipSync(await gzip.bytes()).toString(), html);
  for (const { headers } of [plain, br, gzip]) {
    assert.equal(headers.get("cache-control"), "no-cache");
    assert.equal(headers.get("vary"), "Accept-Encoding");
  }
  const etags = [plain, br, gzip, await ask("/")].map(({ headers }) => headers.get("etag") ?? "");
  assert.equal(new Set(etags).size, 4, "the page's entity tag differs");

  const again = await ask(path, {
    headers: { "accept-encoding": "br", "if-none-match": br.headers.get("etag") ?? "" },
  });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get("x-build"), plain.headers.get("x-build"));
});

Deno.test("partial → security headers, a policy under which nothing runs", async () => {
  const { headers } = await ask("/about?fresh-partial=true");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("referrer-policy"), "same-origin");
  assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
  assert.match(headers.get("strict-transport-security") ?? "", /^max-age=\d+$/);
  assert.equal(
    headers.get("content-security-policy"),
    "default-src 'none'; frame-ancestors 'none'",
  );
});

Deno.test("partial, HEAD → only headers with the version; other methods → 405", async () => {
  const path = "/about?fresh-partial=true";
  const got = await ask(path);
  const head = await ask(path, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  assert.deepEqual([...head.headers], [...got.headers]);
  const posted = await ask(path, { method: "POST" });
  assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"]);
});

Deno.test("fresh-partial for a handler, a file or an unknown path → ignored", async () => {
  const missing = await ask("/nowhere?fresh-partial=true");
  assert.equal(missing.status, 404);
  assert.equal(missing.headers.get("x-build"), null);
  assert.match(await textOf("/api/echo?fresh-partial=true"), /fresh-partial/);
  assert.match(await textOf("/note.txt?fresh-partial=true"), /^A note/);
});
