import assert from "node:assert/strict";
import { type Candidate, nextEnvelope } from "./next_envelope.ts";

const make = (name: string, more: Partial<Candidate> & { lane?: string } = {}) => ({
  name,
  meta: { lane: more.lane },
  sending: false,
  failures: 0,
  notBefore: 0,
  ...more,
});
const next = (...waiting: ReturnType<typeof make>[]) => nextEnvelope(waiting, 100)?.name;

Deno.test("the oldest that may go is next", () => {
  assert.equal(
    next(make("a", { sending: true }), make("b", { notBefore: 101 }), make("c"), make("d")),
    "c",
  );
  assert.equal(next(), undefined);
});

Deno.test("an envelope that always fails does not stand in the way of the others", () => {
  assert.equal(next(make("bad", { failures: 3 }), make("good")), "good");
  assert.equal(next(make("bad", { failures: 3 })), "bad");
});

Deno.test("no segment of a recording overtakes another", () => {
  assert.equal(
    next(make("r0", { lane: "r", sending: true }), make("r1", { lane: "r" })),
    undefined,
  );
  assert.equal(
    next(make("r0", { lane: "r", notBefore: 101 }), make("r1", { lane: "r" })),
    undefined,
  );
  assert.equal(next(make("r0", { lane: "r", failures: 2 }), make("r1", { lane: "r" })), "r0");
  assert.equal(next(make("r0", { lane: "r", sending: true }), make("s0", { lane: "s" })), "s0");
});
