import assert from "node:assert/strict";
import { inboxReadAccess, type ReadAccessOptions } from "./read_access.ts";
import { cookieValue, TOKEN_COOKIE } from "./token.ts";

/** Checks a request that is right in everything but what the test changes. */
function check(
  headers: Record<string, string>,
  { peer = "127.0.0.1", ...options }: ReadAccessOptions & { peer?: string } = {},
) {
  const all = new Headers({ host: "localhost:8000", ...headers });
  // As the runtime makes it: a target without a host gets that of `Host`.
  const url = `http://${all.get("host")}/monitoring/inbox`;
  const request = { headers: all, url } as Request;
  return inboxReadAccess(options)(request, peer);
}

const TOKEN = "s3cret-token";

Deno.test("loopback peer, Host is this machine → allowed, on any port", () => {
  for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]", "[::1]:8000"]) {
    assert.deepEqual(check({ host }), { allowed: true, by: "loopback" }, host);
  }
});

Deno.test("PUBLIC_ORIGIN's host from loopback → allowed", () => {
  const options = { publicOrigin: "https://glass.example:8443" };
  assert.equal(check({ host: "glass.example" }, options).allowed, true);
  assert.equal(check({ host: "GLASS.example:8443" }, options).allowed, true);
  assert.equal(check({ host: "glass.example" }).allowed, false);
  assert.equal(check({ host: "not-glass.example" }, options).allowed, false);
});

Deno.test("DNS rebinding: another Host from loopback, in any notation → refused", () => {
  const hosts = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "localhost.",
    "[::1",
  ];
  const odd = ["", "localhost, localhost", "localhost@evil.example", "0.0.0.0", "127.0.0.2"];
  for (const host of [...hosts, ...odd, "localhost:8000:1", "::1", "evil.example/localhost"]) {
    const access = check({ host });
    assert.equal(access.allowed, false, host);
    if (!access.allowed) assert.match(access.detail, /Host.*PUBLIC_ORIGIN/);
  }
});

Deno.test("a header by which proxies are known → refused, also with underscores", () => {
  const names = ["forwarded", "x-forwarded-for", "x-forwarded-proto", "X-Forwarded-Anything"];
  const others = ["X-Real-IP", "Via", "CF-Connecting-IP", "True-Client-IP"];
  const written = ["X_Forwarded_For", "x_real_ip", "CF_Connecting-IP", "TRUE_CLIENT_IP"];
  for (const name of [...names, ...others, ...written]) {
    const access = check({ [name]: "" });
    assert.equal(access.allowed, false, name);
    if (!access.allowed) assert.match(access.detail, /proxy/);
  }
});

Deno.test("a browser's request → allowed only from the own page or the address bar", () => {
  assert.equal(check({ "sec-fetch-site": "same-origin" }).allowed, true);
  assert.equal(check({ "sec-fetch-site": "none" }).allowed, true);
  for (const site of ["cross-site", "same-site", "", "same-origin, cross-site"]) {
    const access = check({ "sec-fetch-site": site });
    assert.equal(access.allowed, false, site);
    if (!access.allowed) assert.match(access.detail, /Sec-Fetch-Site/);
  }
});

Deno.test("another machine, or one whose address is not known → refused", () => {
  assert.equal(check({}, { peer: "192.168.1.9" }).allowed, false);
  assert.equal(check({}, { peer: "" }).allowed, false);
});

Deno.test("the token in Authorization → allowed from anywhere", () => {
  const far = { token: TOKEN, peer: "203.0.113.9" };
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const access = check({ host: "glass.example", authorization: `${scheme} ${TOKEN}` }, far);
    assert.deepEqual(access, { allowed: true, by: "bearer" });
  }
  for (const value of [`Bearer ${TOKEN}x`, `Bearer`, `Basic ${TOKEN}`, TOKEN, "Bearer "]) {
    assert.equal(check({ authorization: value }, far).allowed, false, value);
  }
  const access = check({ authorization: "Bearer wrong" }, far);
  if (!access.allowed) assert.match(access.detail, /token is not/);
});

Deno.test("the token's cookie → allowed, but not from a page of another origin", () => {
  const far = { token: TOKEN, peer: "203.0.113.9" };
  const cookie = `other=1; ${TOKEN_COOKIE}=${cookieValue(TOKEN)}; more=2`;
  assert.deepEqual(check({ cookie }, far), { allowed: true, by: "cookie" });
  assert.equal(check({ cookie, "sec-fetch-site": "same-origin" }, far).allowed, true);
  assert.equal(check({ cookie, "sec-fetch-site": "none" }, far).allowed, true);
  assert.equal(check({ cookie, "sec-fetch-site": "same-site" }, far).allowed, false);
  assert.equal(check({ cookie, "sec-fetch-site": "cross-site" }, far).allowed, false);
  assert.equal(check({ cookie: `${TOKEN_COOKIE}=${TOKEN}` }, far).allowed, false, "the bare token");
  assert.equal(check({ cookie: `x${cookie}` }, far).allowed, true, "another cookie before it");
});

Deno.test("INBOX_TOKEN set → this machine is refused without it, with any Host", () => {
  for (const host of ["localhost:8000", "127.0.0.1", "[::1]:8000"]) {
    const access = check({ host }, { token: TOKEN });
    assert.equal(access.allowed, false, host);
    if (!access.allowed) assert.match(access.detail, /Send INBOX_TOKEN as Authorization: Bearer/);
  }
});

Deno.test("a cookie of an earlier INBOX_TOKEN, none set now → this machine still reads", () => {
  const cookie = `${TOKEN_COOKIE}=${cookieValue(TOKEN)}`;
  assert.deepEqual(check({ cookie }), { allowed: true, by: "loopback" });
});

Deno.test("INBOX_TOKEN not set → no bearer and no cookie is right", () => {
  const far = { peer: "203.0.113.9" };
  for (const value of ["Bearer undefined", "Bearer null", "Bearer ", "Bearer"]) {
    assert.equal(check({ authorization: value }, far).allowed, false, value);
  }
  assert.equal(check({ cookie: `${TOKEN_COOKIE}=` }, far).allowed, false);
  assert.equal(
    check({ cookie: `${TOKEN_COOKIE}=${cookieValue("undefined")}` }, far).allowed,
    false,
  );
});

Deno.test("Deno Deploy → only the token grants access", () => {
  const access = check({}, { onDeploy: true, token: TOKEN });
  assert.equal(access.allowed, false);
  if (!access.allowed) assert.match(access.detail, /INBOX_TOKEN/);
  const bearer = { authorization: `Bearer ${TOKEN}` };
  assert.equal(check(bearer, { onDeploy: true, token: TOKEN }).allowed, true);
});
