import assert from "node:assert/strict";
import { RelayError } from "./errors.ts";
import { InFlight } from "./in_flight.ts";

Deno.test("what is held counts until it is released, once", () => {
  const inFlight = new InFlight(100);
  const first = inFlight.hold();
  const second = inFlight.hold();
  first.add(30);
  first.add(30);
  second.add(40);
  assert.equal(inFlight.bytes, 100);
  assert.equal(inFlight.hasRoomFor(1), false);
  first.release();
  first.release();
  assert.equal(inFlight.bytes, 40);
  second.release();
  assert.equal(inFlight.bytes, 0);
});

Deno.test("what does not fit is refused and not counted", () => {
  const inFlight = new InFlight(100);
  const hold = inFlight.hold();
  hold.add(60);
  assert.throws(
    () => hold.add(41),
    (error) => error instanceof RelayError && error.code === "overloaded",
  );
  assert.equal(inFlight.bytes, 60);
  hold.add(40);
  hold.release();
  assert.equal(inFlight.bytes, 0);
});
