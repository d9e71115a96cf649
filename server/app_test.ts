import { Fixture } from "./testdata/fixture.ts";
import { FIXTURE_ROUTES } from "./testdata/fixture_routes.ts";
import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { App } from "./app.ts";

const fixture = await Fixture.build();
const errors: unknown[] = [];
const [echo, ...others] = FIXTURE_ROUTES;
const app = await fixture.app({
  routes: [{ ...echo!, aliases: ["/second-name"] }, ...others],
  onError: (error) => errors.push(error),
});

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

async function ask(path: string, init?: RequestInit): Promise<Response> {
  return await app.handler(new Request(`http://localhost${path}`, init), {
    remoteAddr: { transport: "tcp", hostname: "192.0.2.7", port: 9 },
  });
}

/** What a browser that opens an address sends. */
const PAGE = { headers: { Accept: "text/html,*/*;q=0.8" } };

Deno.test("page → the prebuilt one, completed for this start", async () => {
  const response = await ask("/?query=ignored");
  const html = await response.text();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("Content-Type"), "text/html; charset=utf-8");
  assert.equal(response.headers.get("Cache-Control"), "no-cache");
  assert.equal(
    response.headers.get("Content-Length"),
    String(new TextEncoder().encode(html).length),
  );
  assert.match(html, /^<!DOCTYPE html><html lang="en" data-variant="one">/);
  assert.match(
    html,
    /<body title="here"><div data-page="[\w-]{22}"><main><h1>Variant <!-- -->one<!-- --> at <!-- -->here<\/h1>/,
  );
  assert.match(html, /<script type="application\/json" id="client">{"at":"start"}<\/script>/);
  assert.doesNotMatch(html, /[\uE000-\uE003]/);
});

Deno.test("same build, another start → another variant, other texts", async () => {
  const other = await fixture.app({
    variant: "two",
    slots: { place: '<b> & "c"' },
    data: { client: { at: "</script>" } },
  });
  const html = await (await other.handler(new Request("http://localhost/"))).text();
  assert.match(html, /data-variant="two"/);
  assert.ok(html.includes(`at <!-- -->&lt;b&gt; &amp; &quot;c&quot;</h1>`));
  assert.ok(html.includes(`"label":"\\u003cb> & \\"c\\""`));
  assert.ok(html.includes(`id="client">{"at":"\\u003c/script>"}<`));
  // Built only in variant "one".
  assert.equal((await other.handler(new Request("http://localhost/about"))).status, 404);
});

Deno.test("Accept-Encoding → that encoding, each with its own strong entity tag", async () => {
  const plain = await ask("/");
  const br = await ask("/", { headers: { "Accept-Encoding": "gzip, deflate, br, zstd" } });
  const gzip = await ask("/", { headers: { "Accept-Encoding": "gzip" } });
  assert.deepEqual(
    [plain, br, gzip].map(({ headers }) => headers.get("Content-Encoding")),
    [null, "br", "gzip"],
  );
  const etags = [plain, br, gzip].map(({ headers }) => headers.get("ETag") ?? "");
  assert.equal(new Set(etags).size, 3);
  for (const etag of etags) assert.match(etag, /^"[\w-]+"$/);
  for (const { headers } of [plain, br, gzip]) assert.equal(headers.get("Vary"), "Accept-Encoding");
  const html = await plain.text();
  const brBytes = await br.bytes();
  assert.equal(br.headers.get("Content-Length"), String(brBytes.length));
  assert.equal(brotliDecompressSync(brBytes).toString(), html);
  assert.equal(gunzipSync(await gzip.bytes()).toString(), html);
});

Deno.test("If-None-Match → 304 with the policy, without a body", async () => {
  const headers = { "Accept-Encoding": "br" };
  const first = await ask("/", { headers });
  const etag = first.headers.get("ETag") ?? "";
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    const again = await ask("/", { headers: { ...headers, "If-None-Match": known } });
    assert.equal(again.status, 304, known);
    assert.equal(await again.text(), "");
    for (const name of ["ETag", "Vary", "Cache-Control", "Content-Security-Policy"]) {
      assert.equal(again.headers.get(name), first.headers.get(name), name);
    }
    assert.equal(again.headers.get("Content-Length"), null);
    assert.equal(again.headers.get("Content-Encoding"), null);
  }
  const elsewhere = await ask("/", { headers: { "If-None-Match": etag } });
  assert.equal(elsewhere.status, 200, "the entity tag of another encoding");
});

Deno.test("HEAD → the response of GET without its body", async () => {
  for (const path of ["/", "/about", "/note.txt", "/no-such-page"]) {
    const get = await ask(path, PAGE);
    const head = await ask(path, { ...PAGE, method: "HEAD" });
    assert.equal(head.status, get.status, path);
    assert.deepEqual([...head.headers], [...get.headers], path);
    assert.equal(await head.text(), "");
    await get.body?.cancel();
  }
  const handler = await ask("/api/echo", { method: "HEAD" });
  assert.equal(handler.status, 200);
  assert.equal(handler.headers.get("Content-Type"), "application/json");
  // The runtime does not send the body: app_http_test.ts.
  await handler.body?.cancel();
});

Deno.test("wrong method → 405 with Allow", async () => {
  const cases = [
    ["/", "POST", "GET, HEAD"],
    ["/note.txt", "DELETE", "GET, HEAD"],
    ["/api/echo", "PUT", "GET, HEAD, POST"],
    ["/api/echo", "OPTIONS", "GET, HEAD, POST"],
    ["/items/1", "POST", "GET, HEAD"],
  ] as const;
  for (const [path, method, allow] of cases) {
    const response = await ask(path, { method });
    assert.deepEqual([response.status, response.headers.get("Allow")], [405, allow], path);
    assert.equal(response.headers.get("X-Content-Type-Options"), "nosniff");
    await response.text();
  }
});

Deno.test("handler → query, peer, parameters", async () => {
  assert.deepEqual(await (await ask("/api/echo?a=b")).json(), {
    greeting: "hello",
    query: "?a=b",
    peer: "192.0.2.7",
  });
  const posted = await ask("/api/echo", { method: "POST", body: "sent" });
  assert.deepEqual([posted.status, await posted.text()], [201, "sent"]);
  assert.deepEqual(await (await ask("/items/a%20b")).json(), { id: "a b" });
});

Deno.test("alias → the same route at a further path", async () => {
  const response = await ask("/second-name");
  assert.equal((await response.json()).greeting, "hello");
  for (const taken of ["/about", "/note.txt", "/api/fail"]) {
    const routes = [...others, { ...echo!, aliases: [taken] }];
    await assert.rejects(fixture.app({ routes }), new RegExp(`two routes at ${taken}`));
  }
  await fixture.app({ routes: [{ ...echo!, aliases: [echo!.path] }] });
});

Deno.test("unknown path, in any form → the 404 page for browsers, else the error as JSON", async () => {
  const paths = [
    "/no-such-page",
    "/about/",
    "//",
    "/assets/",
    "/assets/../manifest.json",
    "/assets/..%2fmanifest.json",
    "/%2e%2e/manifest.json",
    "/manifest.json",
    "/inputs.json",
    "/maps/x.js.map",
    "/page.css",
    "/_404",
    "/_private",
    "/items/%",
    "/_reload",
  ];
  for (const path of paths) {
    const page = await ask(path, PAGE);
    assert.equal(page.status, 404, path);
    assert.match(await page.text(), /No such page/);
    const response = await ask(path);
    assert.equal(response.status, 404, path);
    assert.equal((await response.json()).error, "not_found");
  }
  for (const name of Object.keys(fixture.report.manifest.assets)) {
    assert.equal((await ask(`/assets/${name}.map`)).status, 404);
    assert.equal((await ask(`/assets/${name}.br`)).status, 404);
  }
  const posted = await ask("/no-such-page", { ...PAGE, method: "POST", body: "x" });
  assert.equal(posted.status, 404);
  assert.equal((await posted.json()).error, "not_found");
  assert.equal(posted.headers.get("ETag"), null);
});

Deno.test("handler throws → 500 page without details, error reported", async () => {
  for (const [method, secret] of [["GET", "handler"], ["POST", "promise"]] as const) {
    const response = await ask("/api/fail", { method });
    const html = await response.text();
    assert.equal(response.status, 500);
    assert.equal(response.headers.get("Cache-Control"), "no-store");
    assert.match(html, /Something broke/);
    assert.doesNotMatch(html, /secret|\.ts/);
    assert.equal((errors.pop() as Error).message, `secret of the ${secret}`);
  }
});

Deno.test("error report fails → still answered with 500", async () => {
  const original = console.error;
  const printed: unknown[] = [];
  console.error = (...values: unknown[]) => printed.push(...values);
  try {
    const broken = await fixture.app({
      onError: () => {
        throw new Error("the report failed");
      },
    });
    const response = await broken.handler(new Request("http://localhost/api/fail"));
    assert.equal(response.status, 500);
    assert.match(String(printed[0]), /the report failed/);
  } finally {
    console.error = original;
  }
});

Deno.test("every response → security headers; pages → their own policy", async () => {
  const secure = await fixture.app({
    security: { https: true, connect: ["https://ingest.example"] },
    onError: () => {},
  });
  for (const path of ["/", "/no-such-page", "/note.txt", "/api/echo", "/api/fail", "/items/1"]) {
    const { headers, body } = await secure.handler(new Request(`http://localhost${path}`));
    assert.equal(headers.get("X-Content-Type-Options"), "nosniff", path);
    assert.equal(headers.get("Referrer-Policy"), "same-origin", path);
    assert.equal(headers.get("Cross-Origin-Opener-Policy"), "same-origin", path);
    assert.match(headers.get("Strict-Transport-Security") ?? "", /^max-age=\d+$/, path);
    assert.match(headers.get("Content-Security-Policy") ?? "", /^default-src 'none'; /, path);
    await body?.cancel();
  }
  const page = await secure.handler(new Request("http://localhost/"));
  const policy = page.headers.get("Content-Security-Policy") ?? "";
  assert.match(policy, /connect-src 'self' https:\/\/ingest\.example;/);
  assert.match(page.headers.get("Permissions-Policy") ?? "", /camera=\(\)/);
  const html = await page.text();
  for (const [element, directive] of [["script", "script-src"], ["style", "style-src"]] as const) {
    const inline = [
      ...html.matchAll(
        new RegExp(`<${element}(?: type="importmap"| data-static)?>(.*?)</${element}>`, "gs"),
      ),
    ];
    assert.ok(inline.length > 0, element);
    for (const [, text = ""] of inline) {
      const digest = new Uint8Array(
        await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
      );
      const rule = policy.split("; ").find((part) => part.startsWith(directive)) ?? "";
      assert.ok(rule.includes(`'sha256-${digest.toBase64()}'`), `${element}: ${text}`);
    }
  }
});

Deno.test("no build, unknown variant or missing slot → error with what to do", async () => {
  await assert.rejects(
    App.load({
      build: new URL("file:///nowhere/.build/"),
      variant: "one",
    }),
    /Cannot read the build in .*: there is none\. Run `deno task build`\./,
  );
  await assert.rejects(
    fixture.app({ variant: "three" }),
    /variant "three": those built are one, two/,
  );
  await assert.rejects(fixture.app({ slots: {} }), /slot "place", which has no value/);
});

Deno.test("asset → immutable, compressed, 304 with If-None-Match", async () => {
  const { assets } = fixture.report.manifest;
  const vendor = Object.keys(assets).find((name) => assets[name]?.kind === "vendor");
  const headers = { "Accept-Encoding": "br" };
  const response = await ask(`/assets/${vendor}`, { headers });
  assert.equal(response.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
  assert.equal(response.headers.get("Content-Type"), "text/javascript; charset=utf-8");
  assert.equal(response.headers.get("Content-Encoding"), "br");
  assert.equal(response.headers.get("Vary"), "Accept-Encoding");
  const bytes = await response.bytes();
  assert.equal(response.headers.get("Content-Length"), String(bytes.length));
  const plain = await (await ask(`/assets/${vendor}`)).bytes();
  assert.ok(brotliDecompressSync(bytes).equals(plain));
  const known = { ...headers, "If-None-Match": response.headers.get("ETag") ?? "" };
  const again = await ask(`/assets/${vendor}`, { headers: known });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
});

Deno.test("static file → its own name, revalidated each time", async () => {
  const headers = { "Accept-Encoding": "gzip" };
  const response = await ask("/note.txt", { headers });
  assert.equal(response.headers.get("Content-Type"), "text/plain; charset=utf-8");
  assert.equal(response.headers.get("Content-Encoding"), "gzip");
  assert.equal(response.headers.get("Cache-Control"), "no-cache");
  await response.body?.cancel();
  const known = { ...headers, "If-None-Match": response.headers.get("ETag") ?? "" };
  assert.equal((await ask("/note.txt", { headers: known })).status, 304);
});

Deno.test("Range → the whole file, because ranges are not supported", async () => {
  const response = await ask("/icon.svg", { headers: { Range: "bytes=0-3" } });
  assert.deepEqual([response.status, response.headers.get("Accept-Ranges")], [200, null]);
  assert.match(await response.text(), /^<svg .*\/>\s*$/);
});
