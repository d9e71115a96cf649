/** `?fresh-partial=true`: the page data that a client navigation fetches, over real HTTP. */
import { Fixture } from "./testdata/fixture.ts";
import assert from "node:assert/strict";
import { get, type IncomingHttpHeaders, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const fixture = await Fixture.build();
const app = await fixture.app({ slots: { place: "<here>" }, security: { https: true } });
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler);
const origin = `http://127.0.0.1:${server.addr.port}`;

Deno.test.afterAll(async () => {
  await server.shutdown();
  await fixture[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Without `fetch`, which would decode the body. */
async function ask(
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const asked = (method === "GET" ? get : request)(
    origin + path,
    { method, headers, agent: false },
    async (response) => {
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for await (const part of response) parts.push(part);
      const body = new Uint8Array(await new Blob(parts).arrayBuffer());
      resolve({ status: response.statusCode, headers: response.headers, body });
    },
  );
  asked.on("error", reject);
  asked.end();
  return await promise;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("page data → completed at the start, with the version of the page", async () => {
  const page = await ask("/");
  const version = /<div data-page="([\w-]{22})"><main><h1>/.exec(text(page.body))?.[1];
  assert.ok(version);
  assert.equal(page.headers["x-build"], undefined);
  for (const path of ["/?fresh-partial=true", "/?a=b&fresh-partial=true&c"]) {
    const { status, headers, body } = await ask(path);
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["x-build"], version);
    const html = text(body);
    assert.ok(html.includes(`<div data-page="${version}"><main><h1>`));
    assert.ok(html.includes("at <!-- -->&lt;here&gt;</h1>"));
    assert.ok(html.includes('"label":"\\u003chere>"'));
    assert.doesNotMatch(html, /[\uE000-\uE003]/);
    assert.ok(body.length < page.body.length);
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

Deno.test("page data → the accepted encoding, 304 with If-None-Match", async () => {
  const path = "/?fresh-partial=true";
  const plain = await ask(path);
  const br = await ask(path, { headers: { "accept-encoding": "gzip, br" } });
  const gzip = await ask(path, { headers: { "accept-encoding": "gzip" } });
  assert.equal(br.headers["content-encoding"], "br");
  assert.equal(gzip.headers["content-encoding"], "gzip");
  assert.equal(text(brotliDecompressSync(br.body)), text(plain.body));
  assert.equal(text(gunzipSync(gzip.body)), text(plain.body));
  for (const { headers } of [plain, br, gzip]) {
    assert.equal(headers["cache-control"], "no-cache");
    assert.equal(headers.vary, "Accept-Encoding");
  }
  const etags = [plain, br, gzip, await ask("/")].map(({ headers }) => headers.etag ?? "");
  assert.equal(new Set(etags).size, 4, "the page's entity tag differs");

  const again = await ask(path, {
    headers: { "accept-encoding": "br", "if-none-match": br.headers.etag ?? "" },
  });
  assert.equal(again.status, 304);
  assert.equal(again.body.length, 0);
  assert.equal(again.headers["x-build"], plain.headers["x-build"]);
});

Deno.test("page data → security headers, a policy under which nothing runs", async () => {
  const { headers } = await ask("/about?fresh-partial=true");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["referrer-policy"], "same-origin");
  assert.equal(headers["cross-origin-opener-policy"], "same-origin");
  assert.match(headers["strict-transport-security"] ?? "", /^max-age=\d+$/);
  assert.equal(
    headers["content-security-policy"],
    "default-src 'none'; frame-ancestors 'none'",
  );
});

Deno.test("page data, HEAD → only headers with the version; other methods → 405", async () => {
  const path = "/about?fresh-partial=true";
  const got = await ask(path);
  const head = await ask(path, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.body.length, 0);
  for (const name of ["x-build", "etag", "content-length"]) {
    assert.equal(head.headers[name], got.headers[name], name);
  }
  const posted = await ask(path, { method: "POST" });
  assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
});

Deno.test("fresh-partial for a handler, a file or an unknown path → ignored", async () => {
  const missing = await ask("/nowhere?fresh-partial=true");
  assert.equal(missing.status, 404);
  assert.equal(missing.headers["x-build"], undefined);
  assert.match(text((await ask("/api/echo?fresh-partial=true")).body), /fresh-partial/);
  assert.match(text((await ask("/note.txt?fresh-partial=true")).body), /^A note/);
});
