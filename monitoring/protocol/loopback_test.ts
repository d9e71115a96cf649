import assert from "node:assert/strict";
import { isLoopbackAddress, loopbackAddresses } from "./loopback.ts";

Deno.test("127.0.0.0/8 and ::1 → loopback, also as IPv4 mapped into IPv6", () => {
  const loopback = ["127.0.0.1", "127.255.3.4", "::1", "::ffff:127.0.0.1", "::FFFF:127.1.2.3"];
  for (const address of [...loopback, "::ffff:7f00:1"]) {
    assert.equal(isLoopbackAddress(address), true, address);
  }
  const others = ["10.0.0.1", "128.0.0.1", "127.0.0.1.evil.example", "1127.0.0.1", "::2", "::"];
  for (const address of [...others, "::ffff:10.0.0.1", "::ffff:a00:1", "fe80::1", ""]) {
    assert.equal(isLoopbackAddress(address), false, address);
  }
});

Deno.test("localhost and names below it → both loopback addresses; an address → itself", () => {
  assert.deepEqual(loopbackAddresses("app.localhost"), ["127.0.0.1", "::1"]);
  assert.deepEqual(loopbackAddresses("[::1]"), ["::1"]);
  assert.deepEqual(loopbackAddresses("127.0.0.5"), ["127.0.0.5"]);
});
