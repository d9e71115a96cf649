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

const MIB = 1024 * 1024;

Deno.test("more than 32 large bodies → each counts 768 KiB more, until disposed", () => {
  const inFlight = new InFlight(256 * MIB);
  const accounts = Array.from({ length: 96 }, () => inFlight.open());
  for (const account of accounts) account.add(MIB);
  assert.equal(inFlight.bytes, 96 * MIB);
  assert.equal(inFlight.hasRoomFor(112 * MIB), true);
  assert.equal(inFlight.hasRoomFor(112 * MIB + 1), false);
  for (const account of accounts) account[Symbol.dispose]();
  for (const account of accounts) account[Symbol.dispose]();
  assert.equal(inFlight.hasRoomFor(256 * MIB), true);
});

Deno.test("small bodies → counted by their bytes alone", () => {
  const inFlight = new InFlight(4 * MIB);
  for (let count = 0; count < 128; count++) inFlight.open().add(32 * 1024);
  assert.equal(inFlight.hasRoomFor(1), false);
  assert.equal(inFlight.bytes, 4 * MIB);
});
