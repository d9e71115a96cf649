import assert from "node:assert/strict";
import {
  type AccessOptions,
  cookieValue,
  inboxAccess,
  isLoopback,
  TOKEN_COOKIE,
} from "./access.ts";

/** Judges a request that is right in everything but what the test changes. */
function judge(
  headers: Record<string, string>,
  { peer = "127.0.0.1" as string | undefined, ...options }: AccessOptions & { peer?: string } = {},
) {
  return inboxAccess(options)(new Headers({ host: "localhost:8000", ...headers }), peer);
}

const TOKEN = "s3cret-token";

Deno.test("the whole of 127/8 and ::1 is loopback, also as IPv4 mapped into IPv6", () => {
  const loopback = ["127.0.0.1", "127.255.3.4", "::1", "::ffff:127.0.0.1", "::FFFF:127.1.2.3"];
  for (const address of [...loopback, "::ffff:7f00:1"]) {
    assert.equal(isLoopback(address), true, address);
  }
  const others = ["10.0.0.1", "128.0.0.1", "127.0.0.1.evil.example", "1127.0.0.1", "::2", "::"];
  for (const address of [...others, "::ffff:10.0.0.1", "::ffff:a00:1", "fe80::1", "", undefined]) {
    assert.equal(isLoopback(address), false, address);
  }
});

Deno.test("a loopback peer is let in under this machine's names, on any port", () => {
  for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]", "[::1]:8000"]) {
    assert.deepEqual(judge({ host }), { allowed: true, by: "loopback" }, host);
  }
});

Deno.test("PUBLIC_ORIGIN's host is a name of this machine", () => {
  const options = { publicOrigin: "https://glass.example:8443" };
  assert.equal(judge({ host: "glass.example" }, options).allowed, true);
  assert.equal(judge({ host: "GLASS.example:8443" }, options).allowed, true);
  assert.equal(judge({ host: "glass.example" }).allowed, false);
  assert.equal(judge({ host: "not-glass.example" }, options).allowed, false);
});

Deno.test("DNS rebinding: another Host from loopback is refused, however it is written", () => {
  const hosts = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "localhost.",
    "[::1",
  ];
  const odd = ["", "localhost, localhost", "localhost@evil.example", "0.0.0.0", "127.0.0.2"];
  for (const host of [...hosts, ...odd, "localhost:8000:1", "::1", "evil.example/localhost"]) {
    const access = judge({ host });
    assert.equal(access.allowed, false, host);
    if (!access.allowed) assert.match(access.detail, /Host.*PUBLIC_ORIGIN/);
  }
  assert.equal(inboxAccess({})(new Headers(), "127.0.0.1").allowed, false, "no Host");
});

Deno.test("a request that went through a proxy is not this machine's own", () => {
  const names = ["forwarded", "x-forwarded-for", "x-forwarded-proto", "X-Forwarded-Anything"];
  for (const name of names) {
    const access = judge({ [name]: "" });
    assert.equal(access.allowed, false, name);
    if (!access.allowed) assert.match(access.detail, /proxy/);
  }
});

Deno.test("a browser's request comes from the own page or from the address bar", () => {
  assert.equal(judge({ "sec-fetch-site": "same-origin" }).allowed, true);
  assert.equal(judge({ "sec-fetch-site": "none" }).allowed, true);
  for (const site of ["cross-site", "same-site", "", "same-origin, cross-site"]) {
    const access = judge({ "sec-fetch-site": site });
    assert.equal(access.allowed, false, site);
    if (!access.allowed) assert.match(access.detail, /Sec-Fetch-Site/);
  }
});

Deno.test("another machine is refused, and one whose address is not known", () => {
  assert.equal(judge({}, { peer: "192.168.1.9" }).allowed, false);
  assert.equal(inboxAccess({})(new Headers({ host: "localhost" }), undefined).allowed, false);
});

Deno.test("the token lets in by Authorization, from anywhere", () => {
  const far = { token: TOKEN, peer: "203.0.113.9" };
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const access = judge({ host: "glass.example", authorization: `${scheme} ${TOKEN}` }, far);
    assert.deepEqual(access, { allowed: true, by: "bearer" });
  }
  for (const value of [`Bearer ${TOKEN}x`, `Bearer`, `Basic ${TOKEN}`, TOKEN, "Bearer "]) {
    assert.equal(judge({ authorization: value }, far).allowed, false, value);
  }
  const access = judge({ authorization: "Bearer wrong" }, far);
  if (!access.allowed) assert.match(access.detail, /token is not/);
});

Deno.test("the cookie lets in, but not from a page of another origin", () => {
  const far = { token: TOKEN, peer: "203.0.113.9" };
  const cookie = `other=1; ${TOKEN_COOKIE}=${cookieValue(TOKEN)}; more=2`;
  assert.deepEqual(judge({ cookie }, far), { allowed: true, by: "cookie" });
  assert.equal(judge({ cookie, "sec-fetch-site": "same-origin" }, far).allowed, true);
  assert.equal(judge({ cookie, "sec-fetch-site": "none" }, far).allowed, true);
  assert.equal(judge({ cookie, "sec-fetch-site": "same-site" }, far).allowed, false);
  assert.equal(judge({ cookie, "sec-fetch-site": "cross-site" }, far).allowed, false);
  assert.equal(judge({ cookie: `${TOKEN_COOKIE}=${TOKEN}` }, far).allowed, false, "the bare token");
  assert.equal(judge({ cookie: `x${cookie}` }, far).allowed, true, "another cookie before it");
});

Deno.test("without INBOX_TOKEN nothing passes for it", () => {
  const far = { peer: "203.0.113.9" };
  for (const value of ["Bearer undefined", "Bearer null", "Bearer ", "Bearer"]) {
    assert.equal(judge({ authorization: value }, far).allowed, false, value);
  }
  assert.equal(judge({ cookie: `${TOKEN_COOKIE}=` }, far).allowed, false);
  assert.equal(
    judge({ cookie: `${TOKEN_COOKIE}=${cookieValue("undefined")}` }, far).allowed,
    false,
  );
});

Deno.test("on Deno Deploy the token alone counts", () => {
  const access = judge({}, { tokenOnly: true, token: TOKEN });
  assert.equal(access.allowed, false);
  if (!access.allowed) assert.match(access.detail, /INBOX_TOKEN/);
  const bearer = { authorization: `Bearer ${TOKEN}` };
  assert.equal(judge(bearer, { tokenOnly: true, token: TOKEN }).allowed, true);
});
