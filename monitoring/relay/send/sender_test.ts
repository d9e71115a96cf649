import assert from "node:assert/strict";
import { senderHeaders, senderOf } from "./sender.ts";

const forwarded = (value: string) => new Headers({ "x-real-ip": value });
const wanted = { forwardClientIp: true };
const behindProxy = { ...wanted, trustedProxyHeader: "x-real-ip" };
const HINTS = {
  "sec-ch-ua": '"Chromium";v="149", "Not-A.Brand";v="99"',
  "sec-ch-ua-mobile": "?0",
  "sec-ch-ua-platform": '"Linux"',
};

const addressOf = (...of: Parameters<typeof senderOf>) => senderOf(...of).address;

Deno.test("address → the peer's, or the last one of the trusted header", () => {
  assert.equal(addressOf(new Headers(), "2001:db8::1", wanted), "2001:db8::1");
  assert.equal(addressOf(forwarded("192.0.2.2"), "192.0.2.1", wanted), "192.0.2.1");
  assert.equal(addressOf(forwarded("192.0.2.2"), "192.0.2.1", behindProxy), "192.0.2.2");
  assert.equal(addressOf(forwarded("6.6.6.6, 192.0.2.3"), "192.0.2.1", behindProxy), "192.0.2.3");
  assert.equal(addressOf(new Headers(), "192.0.2.1", behindProxy), "192.0.2.1");
});

Deno.test("not an IP address → not forwarded", () => {
  const noAddresses = ["", "unknown", "192.0.2.1:80, ", "a b", '"[2001:db8::1]"', "1".repeat(46)];
  for (const value of [...noAddresses, "192.0.2.1:80", "192.0.2", ".......", "fe80::1%eth0"]) {
    assert.equal(addressOf(forwarded(value), undefined, behindProxy), undefined, value);
  }
  assert.equal(addressOf(new Headers(), undefined, wanted), undefined);
});

Deno.test("client hints → forwarded unchanged; too long or not ASCII → omitted", () => {
  const { clientHints } = senderOf(new Headers(HINTS), "192.0.2.1", wanted);
  assert.deepEqual(clientHints, HINTS);
  const hostile = new Headers({
    "sec-ch-ua": "x".repeat(513),
    "sec-ch-ua-mobile": "?1\t",
    "sec-ch-ua-platform": '"\xff"',
    "sec-ch-ua-model": '"Pixel"',
  });
  assert.deepEqual(senderOf(hostile, undefined, wanted).clientHints, { "sec-ch-ua-mobile": "?1" });
  assert.deepEqual(senderOf(new Headers(), undefined, wanted), { userAgent: null });
});

Deno.test("User-Agent of 60,000 characters → truncated to 1,024", () => {
  const { userAgent } = senderOf(new Headers({ "user-agent": "a".repeat(60_000) }), undefined, {});
  assert.equal(userAgent?.length, 1_024);
});

Deno.test("manipulated spool file → no header injection", () => {
  const evil = "x\r\nhost: evil.example";
  const clientHints = { ...HINTS, "sec-ch-ua": evil, "sec-ch-ua-mobile": "\x01", [evil]: "x" };
  assert.deepEqual(senderHeaders({ userAgent: evil, address: evil, clientHints }), {
    "user-agent": "sightglass",
    "sec-ch-ua-platform": '"Linux"',
  });
  assert.deepEqual(senderHeaders({ userAgent: "A/1", address: "192.0.2.1" }), {
    "user-agent": "A/1",
    "x-forwarded-for": "192.0.2.1",
    "x-sentry-forwarded-for": "192.0.2.1",
  });
});
