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

const KIB = 1024;
const MIB = 1024 * KIB;

Deno.test("many large bodies count for what the runtime keeps beside them, until they are released", () => {
  const inFlight = new InFlight(256 * MIB);
  const holds = Array.from({ length: 192 }, () => inFlight.hold());
  for (const hold of holds) hold.add(MIB);
  assert.equal(inFlight.bytes, 192 * MIB);
  // 160 of them beyond the first 32, 256 KiB each.
  assert.equal(inFlight.hasRoomFor(24 * MIB), true);
  assert.equal(inFlight.hasRoomFor(24 * MIB + 1), false);
  for (const hold of holds) hold.release();
  for (const hold of holds) hold.release();
  assert.equal(inFlight.hasRoomFor(256 * MIB), true);
});

Deno.test("small bodies count for their bytes alone, and so do the first large ones", () => {
  const small = new InFlight(4 * MIB);
  for (let count = 0; count < 128; count++) small.hold().add(32 * KIB);
  assert.equal(small.bytes, 4 * MIB);
  const large = new InFlight(4 * MIB);
  for (let count = 0; count < 4; count++) large.hold().add(MIB);
  assert.equal(large.bytes, 4 * MIB);
});
