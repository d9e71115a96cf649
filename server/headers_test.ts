import assert from "node:assert/strict";
import {
  appendHeader,
  checkHeaders,
  contentSecurityPolicy,
  HeaderValueError,
  makeResponse,
  pageHeaders,
  securityHeaders,
  withHeaders,
} from "./headers.ts";

Deno.test("page policy → strict, inline parts by their hashes", () => {
  const policy = contentSecurityPolicy(
    { scripts: ["sha256-a", "sha256-b"], styles: ["sha256-c"] },
    { connect: ["https://ingest.example:8443"] },
  );
  assert.equal(
    policy,
    "default-src 'none'; script-src 'self' 'sha256-a' 'sha256-b'; style-src 'self' 'sha256-c'; " +
      "connect-src 'self' https://ingest.example:8443; img-src 'self'; worker-src 'self'; " +
      "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types default",
  );
});

Deno.test("not an origin → refused in connect-src", () => {
  const inline = { scripts: [], styles: [] };
  for (
    const origin of ["*", "https:", "https://a/b", "https://a; script-src *", "a", "https://*.a"]
  ) {
    assert.throws(() => contentSecurityPolicy(inline, { connect: [origin] }), TypeError, origin);
  }
  assert.match(
    contentSecurityPolicy(inline, { connect: ["http://[::1]:9"] }),
    /connect-src 'self' http:\/\/\[::1\]:9;/,
  );
});

Deno.test("reports → by the policy over http, by a named endpoint too over https", () => {
  const headersOf = (https: boolean) =>
    new Headers(pageHeaders({ scripts: [], styles: [] }, { https, reports: "/reports" }));
  const http = headersOf(false);
  assert.match(http.get("content-security-policy")!, /; report-uri \/reports$/);
  assert.equal(http.get("reporting-endpoints"), null);
  const https = headersOf(true);
  assert.match(https.get("content-security-policy")!, /; report-uri \/reports; report-to default$/);
  assert.equal(https.get("reporting-endpoints"), 'default="/reports"');
});

Deno.test("HSTS → only over https", () => {
  const names = (https: boolean) => securityHeaders({ https }).map(([name]) => name);
  assert.ok(names(true).includes("Strict-Transport-Security"));
  assert.ok(!names(false).includes("Strict-Transport-Security"));
});

Deno.test("common headers → added, never replacing the handler's own", async () => {
  const own = new Response("x", { headers: { "Referrer-Policy": "origin" } });
  const answer = withHeaders(own, [["Referrer-Policy", "same-origin"], ["X-A", "1"]]);
  assert.equal(answer.headers.get("Referrer-Policy"), "origin");
  assert.equal(answer.headers.get("X-A"), "1");
  // Headers of a response from `fetch` are immutable.
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("upstream", { status: 202, headers: { "X-B": "2" } }),
  );
  const fetched = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  const copy = withHeaders(fetched, [["X-A", "1"]]);
  assert.deepEqual([copy.status, copy.headers.get("X-A"), copy.headers.get("X-B")], [
    202,
    "1",
    "2",
  ]);
  assert.equal(await copy.text(), "upstream");
});

Deno.test("parts of a response → its own headers over the common ones, invalid values removed", async () => {
  const headers = { "x-a": "own", "x-bad": "a\x01b", "x-good": "\t \x80\xff~" };
  const response = makeResponse({ status: 201, headers, body: "x" }, { "x-a": "1", "x-b": "2" });
  const shown = Object.fromEntries(response.headers);
  assert.deepEqual(
    [shown["x-a"], shown["x-b"], shown["x-good"], shown["x-bad"]],
    ["own", "2", "\x80\xff~", undefined],
  );
  assert.deepEqual([response.status, await response.text()], [201, "x"]);
  for (const status of [204, 205]) {
    assert.equal(makeResponse({ status, headers: {}, body: "" }, {}).status, 204);
  }
});

Deno.test("control character in a header → only that header is removed", async () => {
  // `Headers` itself refuses NUL, CR and LF. A tab is valid in a value.
  const codes = [...Array(32).keys(), 127].filter((code) => ![0, 9, 10, 13].includes(code));
  for (const code of codes) {
    const value = `a${String.fromCharCode(code)}b`;
    const headers = { "X-Bad": value, "X-Good": "\t \x80\xff~", Location: value };
    const answer = withHeaders(new Response("x", { status: 201, headers }), [["X-A", "1"]]);
    assert.deepEqual([...answer.headers.keys()], ["content-type", "x-a", "x-good"]);
    assert.deepEqual([answer.status, await answer.text()], [201, "x"]);
    assert.throws(() => checkHeaders([["X-Bad", value]]), HeaderValueError);
    appendHeader(answer, "X-Later", value);
    assert.equal(answer.headers.get("X-Later"), null);
  }
});
