import assert from "node:assert/strict";
import { clientAddress } from "./client_address.ts";

const forwarded = (value: string) => new Headers({ "x-real-ip": value });
const behindProxy = { forwardClientIp: true, trustedProxyHeader: "x-real-ip" };

Deno.test("no address without the operator's word, also with a trusted header", () => {
  assert.equal(clientAddress(new Headers(), "192.0.2.1", {}), undefined);
  assert.equal(
    clientAddress(forwarded("192.0.2.2"), "192.0.2.1", { trustedProxyHeader: "x-real-ip" }),
    undefined,
  );
});

Deno.test("the peer's address, or what the trusted header ends with", () => {
  assert.equal(
    clientAddress(new Headers(), "2001:db8::1", { forwardClientIp: true }),
    "2001:db8::1",
  );
  assert.equal(
    clientAddress(forwarded("192.0.2.2"), "192.0.2.1", { forwardClientIp: true }),
    "192.0.2.1",
  );
  assert.equal(clientAddress(forwarded("192.0.2.2"), "192.0.2.1", behindProxy), "192.0.2.2");
  assert.equal(
    clientAddress(forwarded("6.6.6.6, 192.0.2.3"), "192.0.2.1", behindProxy),
    "192.0.2.3",
  );
  assert.equal(clientAddress(new Headers(), "192.0.2.1", behindProxy), "192.0.2.1");
});

Deno.test("what is no address is not forwarded", () => {
  for (const value of ["", "unknown", "192.0.2.1:80, ", "a b", '"[2001:db8::1]"', "1".repeat(46)]) {
    assert.equal(clientAddress(forwarded(value), undefined, behindProxy), undefined, value);
  }
  assert.equal(clientAddress(new Headers(), undefined, { forwardClientIp: true }), undefined);
});
