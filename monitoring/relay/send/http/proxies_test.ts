import assert from "node:assert/strict";
import { proxyAuthorization, proxyFor } from "./proxies.ts";

const https = "http://proxy.example:3128/";
const http = "https://other.example/";

const through = (url: string, except: readonly string[] = []) =>
  proxyFor(new URL(url), { https, http, except })?.href;

Deno.test("https and http ingests → each through the proxy of its scheme", () => {
  assert.equal(through("https://o1.ingest.sentry.io"), https);
  assert.equal(through("http://sentry.example"), http);
  assert.equal(proxyFor(new URL("http://sentry.example"), { https, except: [] }), undefined);
});

Deno.test("loopback, in every notation → no proxy", () => {
  for (
    const host of ["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "2130706433", "[::1]"]
  ) {
    assert.equal(through(`https://${host}:9000`), undefined, host);
  }
  assert.equal(through("https://notlocalhost"), https);
  assert.equal(through("https://localhost.example"), https);
});

const ENTRIES: readonly [entry: string, covered: string, notCovered: string][] = [
  ["sentry.example", "https://sentry.example", "https://mysentry.example"],
  ["sentry.example", "https://relay.sentry.example:9000", "https://sentry.example.org"],
  [".sentry.example", "https://relay.sentry.example", "https://sentry.org"],
  ["*.sentry.example", "https://relay.sentry.example", "https://sentry.org"],
  ["SENTRY.example:9000", "https://sentry.example:9000", "https://sentry.example:9001"],
  ["sentry.example:443", "https://sentry.example", "http://sentry.example"],
  ["10.1.2.3", "https://10.1.2.3", "https://10.1.2.30"],
  ["10.0.0.0/8", "https://10.200.0.1:9000", "https://11.0.0.1"],
  ["2001:db8::1", "https://[2001:db8:0::1]", "https://[2001:db8::2]"],
  ["[2001:db8::1]:9000", "https://[2001:db8::1]:9000", "https://[2001:db8::1]"],
  ["2001:db8::/32", "https://[2001:db8:ffff::1]", "https://[2001:db9::1]"],
];
for (const [entry, covered, notCovered] of ENTRIES) {
  Deno.test(`NO_PROXY ${entry} → covers ${covered}, not ${notCovered}`, () => {
    assert.equal(through(covered, [entry]), undefined);
    assert.ok(through(notCovered, ["elsewhere.example", entry]));
  });
}

Deno.test("NO_PROXY * → no proxy; malformed entries → ignored", () => {
  assert.equal(through("https://sentry.example", ["*"]), undefined);
  const nonsense = [".", ":443", "10.0.0.0/99", "::/200", "[", "sentry.example/8"];
  assert.equal(through("https://sentry.example", nonsense), https);
});

Deno.test("a proxy's user and password → Basic credentials, decoded, in UTF-8", () => {
  assert.equal(proxyAuthorization(new URL("http://proxy.example")), undefined);
  const value = proxyAuthorization(new URL("http://u:p%40%C3%BC@proxy.example"));
  assert.deepEqual(value, "Basic dTpwQMO8");
});
