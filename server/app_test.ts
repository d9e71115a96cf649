import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { exchange, sendRaw } from "../tests/harness/send_raw.ts";
import type { Observe } from "./endpoint.ts";
import { readManifest } from "./manifest.ts";
import { Fixture } from "./testdata/fixture.ts";
import { FIXTURE_ROUTES } from "./testdata/fixture_routes.ts";

const fixture = await Fixture.build();
const { assets } = fixture.report.manifest;
const vendor = Object.keys(assets).find((name) => assets[name]?.kind === "vendor");
const errors: unknown[] = [];
const [echo, ...others] = FIXTURE_ROUTES;
const app = await fixture.app({
  routes: [{ ...echo!, aliases: ["/second-name"] }, ...others],
  onError: (error) => errors.push(error),
});

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

async function ask(path: string, init?: RequestInit, asked = app): Promise<Response> {
  return await asked.handler(new Request(`http://localhost${path}`, init), {
    remoteAddr: { transport: "tcp", hostname: "192.0.2.7", port: 9 },
  });
}

const textOf = async (path: string) => await (await ask(path)).text();

/** What a browser that opens an address sends. */
const PAGE = { headers: { Accept: "text/html,*/*;q=0.8" } };
const PARTIAL = "/?fresh-partial=true";

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

Deno.test("partial → completed at the start, with the version of its page", async () => {
  const page = await ask("/");
  const pageHtml = await page.text();
  const version = /<div data-page="([\w-]{22})"><main><h1>/.exec(pageHtml)?.[1];
  assert.ok(version);
  for (const path of [PARTIAL, "/?a=b&fresh-partial=true&c", "/?a=?&fresh-partial=true#b"]) {
    const { status, headers, body } = await ask(path);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    const html = await new Response(body).text();
    assert.ok(html.includes(`<div data-page="${version}"><main><h1>`));
    assert.ok(html.includes("at <!-- -->here</h1>"));
    assert.doesNotMatch(html, /[\uE000-\uE003]/);
    assert.ok(html.length < pageHtml.length);
  }
});

Deno.test("same build, other values → another version", async () => {
  const versionOf = async (slots: Record<string, unknown>) =>
    /data-page="([^"]+)"/.exec(
      await (await ask("/about?fresh-partial=true", {}, await fixture.app({ slots }))).text(),
    )?.[1];
  const client = { at: "start" };
  const version = await versionOf({ place: "here", client });
  assert.equal(await versionOf({ place: "here", client }), version);
  assert.notEqual(await versionOf({ place: "there", client }), version);
  assert.notEqual(await versionOf({ place: "here", client: { at: "another" } }), version);
});

Deno.test("fresh-partial for a handler, a file or an unknown path, or in another parameter → ignored", async () => {
  const missing = await ask("/nowhere?fresh-partial=true");
  assert.equal(missing.status, 404);
  assert.match(await textOf("/api/echo?fresh-partial=true"), /fresh-partial/);
  assert.match(await textOf("/note.txt?fresh-partial=true"), /^A note/);
  for (const other of ["fresh-partial=truest", "not-fresh-partial=true", "a=?fresh-partial=true"]) {
    assert.match(await textOf(`/?${other}`), /^<!DOCTYPE html>/, other);
  }
});

const CACHING = {
  "/": "no-cache",
  [PARTIAL]: "no-cache",
  "/note.txt": "no-cache",
  [`/assets/${vendor}`]: "public, max-age=31536000, immutable",
};
for (const [path, cacheControl] of Object.entries(CACHING)) {
  Deno.test(`${path.slice(0, 8)}, Accept-Encoding → that encoding, with its own strong entity tag`, async () => {
    const get = (headers: Record<string, string>) => ask(path, { headers });
    const plain = await get({});
    const gzip = await get({ "Accept-Encoding": "gzip" });
    const br = await get({ "Accept-Encoding": "gzip, deflate, br, zstd" });
    const all = [plain, gzip, br];
    assert.deepEqual(
      all.map(({ headers }) => headers.get("Content-Encoding")),
      [null, "gzip", "br"],
    );
    const etags = all.map(({ headers }) => headers.get("ETag") ?? "");
    for (const etag of etags) assert.match(etag, /^"[\w-]+"$/);
    assert.equal(new Set(etags).size, 3);
    for (const { headers } of all) {
      assert.equal(headers.get("Vary"), "Accept-Encoding");
      assert.equal(headers.get("Cache-Control"), cacheControl);
    }
    const bytes = await gzip.bytes();
    assert.equal(gzip.headers.get("Content-Length"), String(bytes.length));
    const content = gunzipSync(bytes);
    assert.ok(content.equals(await plain.bytes()));
    assert.ok(brotliDecompressSync(await br.bytes()).equals(content));

    const etag = gzip.headers.get("ETag")!;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const again = await get({ "Accept-Encoding": "gzip", "If-None-Match": known });
      assert.equal(again.status, 304, known);
      assert.equal(await again.text(), "");
      const headers = new Headers(gzip.headers);
      // A 304 has all others: the browser updates what it has stored.
      for (const name of ["content-type", "content-length", "content-encoding"]) {
        headers.delete(name);
      }
      assert.deepEqual([...again.headers], [...headers]);
    }
    const elsewhere = await get({ "If-None-Match": etag });
    assert.equal(elsewhere.status, 200, "the entity tag of another encoding");
  });
}

Deno.test("HEAD → the response of GET without its body", async () => {
  const paths = ["/", "/about?fresh-partial=true", "/note.txt", `/assets/${vendor}`, "/nowhere"];
  for (const path of paths) {
    const get = await ask(path, PAGE);
    const head = await ask(path, { ...PAGE, method: "HEAD" });
    assert.equal(head.status, get.status, path);
    assert.deepEqual([...head.headers], [...get.headers], path);
    assert.equal(await head.text(), "");
    await get.body?.cancel();
  }
});

Deno.test("Range → the whole file, because ranges are not supported", async () => {
  const response = await ask("/icon.svg", { headers: { Range: "bytes=0-3" } });
  assert.deepEqual([response.status, response.headers.get("Accept-Ranges")], [200, null]);
  assert.match(await response.text(), /^<svg .*\/>\s*$/);
});

Deno.test("wrong method → 405 with Allow", async () => {
  const cases = [
    ["/", "POST", "GET, HEAD"],
    [PARTIAL, "POST", "GET, HEAD"],
    ["/note.txt", "DELETE", "GET, HEAD"],
    ["/api/echo", "PUT", "GET, HEAD, POST, DELETE"],
    ["/api/echo", "OPTIONS", "GET, HEAD, POST, DELETE"],
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
  assert.deepEqual(await (await ask("/items/a%20b")).json(), { id: "a%20b" });
});

Deno.test("alias → the same route at a further path; a path that is taken → error", async () => {
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
    "/items/",
    "/items/a/b",
    "/assets/",
    "/assets/../manifest.json",
    "/assets/..%2fmanifest.json",
    "/%2e%2e/manifest.json",
    "/manifest.json",
    "/maps/x.js.map",
    "/page.css",
    "/_404",
    "/_private",
    "/_reload",
    ...Object.keys(assets).flatMap((name) => [`/assets/${name}.map`, `/assets/${name}.br`]),
  ];
  for (const path of paths) {
    const page = await ask(path, PAGE);
    assert.equal(page.status, 404, path);
    assert.match(await page.text(), /No such page/);
    const response = await ask(path);
    assert.equal(response.status, 404, path);
    assert.equal((await response.json()).error, "not_found");
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
    assert.equal((await ask("/api/fail", {}, broken)).status, 500);
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
  const paths = ["/", "/nowhere", "/note.txt", "/api/echo", "/api/fail", "/items/1", PARTIAL];
  for (const path of paths) {
    const { headers, body } = await ask(path, {}, secure);
    assert.equal(headers.get("X-Content-Type-Options"), "nosniff", path);
    assert.equal(headers.get("Referrer-Policy"), "same-origin", path);
    assert.equal(headers.get("Cross-Origin-Opener-Policy"), "same-origin", path);
    assert.match(headers.get("Strict-Transport-Security") ?? "", /^max-age=\d+$/, path);
    assert.match(headers.get("Content-Security-Policy") ?? "", /^default-src 'none'; /, path);
    await body?.cancel();
  }
  const partial = await ask(PARTIAL, {}, secure);
  assert.equal(
    partial.headers.get("Content-Security-Policy"),
    "default-src 'none'; frame-ancestors 'none'",
  );
});

Deno.test("pages, partials and handlers → observed by route; assets and static files → not", async () => {
  const seen: string[] = [];
  const observe: Observe = ({ path, kind }) =>
    path === "/long" ? undefined : (request, respond) => {
      seen.push(`${request.method} ${path} ${kind}`);
      return respond();
    };
  const watched = await fixture.app({ observe });
  const paths = ["/about", "/about?fresh-partial=true", "/long", "/api/echo", "/items/7"];
  const unobserved = ["/icon.svg", "/nowhere?fresh-partial=true", `/assets/${vendor}`];
  for (const path of [...paths, ...unobserved]) await (await ask(path, {}, watched)).text();
  await ask("/about?a=b&fresh-partial=true", { method: "HEAD" }, watched);
  assert.deepEqual(seen, [
    "GET /about page",
    "GET /about partial",
    "GET /api/echo handler",
    "GET /items/[id] handler",
    "HEAD /about partial",
  ]);
});

Deno.test("observer → may add headers, receives the errors of handlers", async () => {
  const thrown: unknown[] = [];
  const observe: Observe = () => async (_request, respond, append) => {
    try {
      const response = await respond();
      append(response, "Server-Timing", "seen");
      append(response, "Server-Timing", "\x01");
      return response;
    } catch (error) {
      thrown.push(error);
      throw error;
    }
  };
  const watched = await fixture.app({ observe, onError: () => {} });
  for (let round = 0; round < 2; round++) {
    // Only once: headers are not added to the prepared response itself.
    assert.equal((await ask("/about", {}, watched)).headers.get("server-timing"), "seen");
  }
  assert.equal((await ask("/api/fail", {}, watched)).status, 500);
  assert.equal(thrown.length, 1);
});

Deno.test("no build, unknown variant or missing slot → error with what to do", async () => {
  await assert.rejects(
    readManifest(new URL("file:///nowhere/.build/")),
    /Cannot read the build in .*: there is none\. Run `deno task build`\./,
  );
  await assert.rejects(fixture.app({ variant: "three" }), /No page has the variant "three"/);
  await assert.rejects(fixture.app({ slots: {} }), /slot "\w+", which has no value/);
});

Deno.test("over real HTTP → HEAD has the length of GET; Host is no host → 400", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler);
  const { port } = server.addr;
  for (const path of ["/", "/api/echo"]) {
    const get = await sendRaw(port, "GET", path);
    const head = await sendRaw(port, "HEAD", path);
    assert.equal(head.headers.get("content-length"), String(get.body.length));
    assert.equal(head.body.length, 0);
  }
  // This handler parses the URL, which fails with an invalid host.
  assert.equal((await sendRaw(port, "GET", "/api/echo", { Host: "a b" })).status, 400);
});

Deno.test("request refused with an unread body → the connection stays open", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler);
  const body = "x".repeat(60_000);
  const refused = [
    ["POST", "/", 405],
    ["PUT", "/api/echo", 405],
    ["DELETE", "/api/echo", 403],
    ["POST", "/no", 404],
  ] as const;
  for (const [method, path, status] of refused) {
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}`;
    const next = "GET /note.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const received = await exchange(server.addr.port, `${head}\r\n\r\n${body}${next}`);
    const answers = new TextDecoder().decode(received);
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
    assert.deepEqual(statuses, [status, 200], `${method} ${path}`);
  }
});
