import assert from "node:assert/strict";
import { cameThroughProxy, cannotBeRebound, hostNameOf } from "./caller.ts";

Deno.test("TRUSTED_PROXY_HEADER → known as a proxy's, hyphens and underscores alike", () => {
  assert.equal(cameThroughProxy(new Headers({ "X_Client_Is": "192.0.2.1" }), "x-client-is"), true);
  assert.equal(cameThroughProxy(new Headers({ "X-Client-Is": "192.0.2.1" }), "x_client_is"), true);
  assert.equal(cameThroughProxy(new Headers({ "X-Client-Is": "192.0.2.1" }), undefined), false);
  assert.equal(cameThroughProxy(new Headers({ "X-Reality": "1", "Viable": "1" }), "x-a"), false);
});

Deno.test("Host → the name in lower case without its port, empty if it is no host[:port]", () => {
  const nameOf = (host: string | undefined, url = `http://${host}/`) =>
    hostNameOf({ headers: new Headers(host === undefined ? {} : { host }), url } as Request);
  assert.equal(nameOf("LOCALHOST:8000"), "localhost");
  assert.equal(nameOf("[::1]:8000"), "[::1]");
  assert.equal(nameOf("localhost."), "localhost.");
  // The runtime puts `localhost` and the port where a request has no Host.
  assert.equal(nameOf(undefined, "http://localhost:8000/"), "");
  for (const host of ["", "a b", "a, b", "[::1", "::1", "a:1:2", "me@localhost", "a/localhost"]) {
    assert.equal(nameOf(host), "", host);
  }
  assert.equal(nameOf("localhost", "http://evil.example/"), "", "a target in absolute form");
  assert.equal(nameOf("evil.example", "http://localhost/"), "", "a target in absolute form");
});

Deno.test("names that browsers resolve without DNS → cannot be rebound", () => {
  const safe = ["localhost", "app.localhost", "127.0.0.1", "192.168.1.9", "[::1]", "[fe80::1]"];
  for (const name of safe) assert.equal(cannotBeRebound(name), true, name);
  const names = ["evil.example", "localhost.evil.example", "evillocalhost", "localhost.", ""];
  for (const name of [...names, "127.0.0.1.evil.example", "1.2.3", "999.1.1.1", "[evil.example]"]) {
    assert.equal(cannotBeRebound(name), false, name);
  }
});
