import assert from "node:assert/strict";
import { RelayError } from "../errors.ts";
import { InFlight } from "./in_flight.ts";

Deno.test("bytes of a request → counted until it is disposed, once", () => {
  const inFlight = new InFlight(100);
  const first = inFlight.open();
  const second = inFlight.open();
  first.add(30);
  first.add(30);
  second.add(40);
  assert.equal(inFlight.bytes, 100);
  assert.equal(inFlight.hasRoomFor(1), false);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  assert.equal(inFlight.bytes, 40);
  second[Symbol.dispose]();
  assert.equal(inFlight.bytes, 0);
});

Deno.test("bytes over the limit → overloaded, not counted", () => {
  const inFlight = new InFlight(100);
  using account = inFlight.open();
  account.add(60);
  assert.throws(
    () => account.add(41),
    (error) => error instanceof RelayError && error.code === "overloaded",
  );
  assert.equal(inFlight.bytes, 60);
  account.add(40);
});
