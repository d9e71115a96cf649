/** Who may read the inbox. Attacks over HTTP: tests/inbox/attacks_test.ts. */
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
const FAR = { token: TOKEN, peer: "203.0.113.9" };

Deno.test("loopback peer, Host is this machine or PUBLIC_ORIGIN's → allowed, on any port", () => {
  for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]", "[::1]:8000"]) {
    assert.deepEqual(check({ host }), { allowed: true, by: "loopback" }, host);
  }
  const options = { publicOrigin: "https://glass.example:8443" };
  assert.equal(check({ host: "glass.example" }, options).allowed, true);
  assert.equal(check({ host: "GLASS.example:8443" }, options).allowed, true);
  assert.equal(check({ host: "glass.example" }).allowed, false);
  assert.equal(check({ host: "not-glass.example" }, options).allowed, false);
});

Deno.test("Host in any other notation, or another peer → refused", () => {
  const hosts = [
    "[::1",
    "0.0.0.0",
    "127.0.0.2",
    "localhost:8000:1",
    "::1",
    "evil.example/localhost",
  ];
  for (const host of hosts) {
    const access = check({ host });
    assert.equal(access.allowed, false, host);
    if (!access.allowed) assert.match(access.detail, /Host.*PUBLIC_ORIGIN/);
  }
  for (const site of ["", "same-origin, cross-site"]) {
    assert.equal(check({ "sec-fetch-site": site }).allowed, false, site);
  }
  assert.equal(check({}, { peer: "192.168.1.9" }).allowed, false);
  assert.equal(check({}, { peer: "" }).allowed, false, "not known");
});

Deno.test("the token as bearer or cookie → allowed from anywhere; in another form → refused", () => {
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const access = check({ host: "glass.example", authorization: `${scheme} ${TOKEN}` }, FAR);
    assert.deepEqual(access, { allowed: true, by: "bearer" });
  }
  for (const value of [`Bearer ${TOKEN}x`, `Bearer`, `Basic ${TOKEN}`, TOKEN, "Bearer "]) {
    assert.equal(check({ authorization: value }, FAR).allowed, false, value);
  }
  const cookie = `other=1; x${TOKEN_COOKIE}=2; ${TOKEN_COOKIE}=${cookieValue(TOKEN)}; more=2`;
  assert.deepEqual(check({ cookie }, FAR), { allowed: true, by: "cookie" });
});

Deno.test("INBOX_TOKEN not set → no bearer and no cookie is right; this machine still reads", () => {
  const far = { peer: FAR.peer };
  for (const value of ["Bearer undefined", "Bearer null", "Bearer ", "Bearer"]) {
    assert.equal(check({ authorization: value }, far).allowed, false, value);
  }
  for (const value of ["", cookieValue("undefined")]) {
    assert.equal(check({ cookie: `${TOKEN_COOKIE}=${value}` }, far).allowed, false);
  }
  const earlier = `${TOKEN_COOKIE}=${cookieValue(TOKEN)}`;
  assert.deepEqual(check({ cookie: earlier }), { allowed: true, by: "loopback" });
});

Deno.test("Deno Deploy → only the token grants access", () => {
  const access = check({}, { onDeploy: true, token: TOKEN });
  assert.equal(access.allowed, false);
  if (!access.allowed) assert.match(access.detail, /INBOX_TOKEN/);
  const bearer = { authorization: `Bearer ${TOKEN}` };
  assert.equal(check(bearer, { onDeploy: true, token: TOKEN }).allowed, true);
});
