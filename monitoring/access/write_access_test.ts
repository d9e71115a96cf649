import assert from "node:assert/strict";
import { type WriteAccessOptions, WriteAccessRule } from "./write_access.ts";

/** Checks a POST of this machine that is no page's, apart from what the test changes. */
function check(
  options: WriteAccessOptions,
  headers: Record<string, string> = {},
  peer: string | undefined = "127.0.0.1",
) {
  const all = new Headers({ host: "localhost:8000", ...headers });
  const request = { headers: all, url: `http://${all.get("host")}/stream` } as Request;
  return new WriteAccessRule(options).check(request, peer);
}

const anyDsn = (...args: Parameters<typeof check>) => {
  const access = check(...args);
  return access.allowed && access.anyDsn;
};

Deno.test("any DSN → inbox mode only: this machine without a proxy, or the token's bearer", () => {
  const inbox = { token: "secret", proxyHeader: "x-client-is" };
  const bearer = { authorization: "Bearer secret" };
  assert.equal(anyDsn({ inbox }), true);
  assert.equal(anyDsn({ inbox }, {}, "::ffff:127.0.0.1"), true);
  assert.equal(anyDsn({ inbox }, { "x-client-is": "127.0.0.1" }), false);
  assert.equal(anyDsn({ inbox }, { forwarded: "for=127.0.0.1" }), false);
  assert.equal(anyDsn({ inbox }, {}, "192.168.1.9"), false);
  assert.equal(anyDsn({ inbox }, {}, ""), false, "not known");
  assert.equal(anyDsn({ inbox }, bearer, "192.168.1.9"), true);
  assert.equal(anyDsn({ inbox }, { authorization: "Bearer secre" }, "192.168.1.9"), false);
  assert.equal(anyDsn({ inbox: {} }, { authorization: "Bearer undefined" }, "192.168.1.9"), false);
  assert.equal(anyDsn({}), false);
  assert.equal(anyDsn({}, bearer), false);
});

Deno.test("Deno Deploy, where a loopback peer is the platform → any DSN by the token alone", () => {
  const inbox = { token: "secret", onDeploy: true };
  const page = { host: "glass.deno.dev", origin: "https://glass.deno.dev" };
  assert.deepEqual(check({ inbox }, page), { allowed: true, cors: {}, anyDsn: false });
  assert.equal(anyDsn({ inbox }), false);
  assert.equal(anyDsn({ inbox }, { authorization: "Bearer secret" }), true);
});

Deno.test("page of a loopback origin → allowed in inbox mode only", () => {
  for (const origin of ["http://localhost:3000", "http://app.localhost", "https://[::1]:4"]) {
    assert.equal(check({ inbox: {} }, { origin }).allowed, true, origin);
    assert.equal(check({ inbox: {} }, { origin }, "192.168.1.9").allowed, true, origin);
    const refused = check({}, { origin });
    assert.match(refused.allowed ? "" : refused.detail, /ALLOWED_ORIGINS/);
  }
});
