import assert from "node:assert/strict";
import { nextEnvelope } from "./waiting_queue.ts";

interface Options {
  readonly lane?: string;
  readonly isSending?: boolean;
  readonly failures?: number;
  readonly notBefore?: number;
}

const waiting = (name: string, { lane, ...more }: Options = {}) => ({
  name,
  meta: { lane },
  isSending: false,
  failures: 0,
  notBefore: 0,
  ...more,
});
const next = (...all: ReturnType<typeof waiting>[]) =>
  nextEnvelope(all, ({ notBefore }) => notBefore <= 100)?.name;

Deno.test("one is being sent, one has to wait → the oldest of the others is next", () => {
  assert.equal(
    next(
      waiting("a", { isSending: true }),
      waiting("b", { notBefore: 101 }),
      waiting("c"),
      waiting("d"),
    ),
    "c",
  );
  assert.equal(next(), undefined);
});

Deno.test("envelope with failures → next only if there is no other", () => {
  assert.equal(next(waiting("bad", { failures: 3 }), waiting("good")), "good");
  assert.equal(next(waiting("bad", { failures: 3 })), "bad");
});

Deno.test("first segment of a recording is being sent or waits → its next segment is not sent", () => {
  assert.equal(
    next(waiting("r0", { lane: "r", isSending: true }), waiting("r1", { lane: "r" })),
    undefined,
  );
  assert.equal(
    next(waiting("r0", { lane: "r", notBefore: 101 }), waiting("r1", { lane: "r" })),
    undefined,
  );
  assert.equal(next(waiting("r0", { lane: "r", failures: 2 }), waiting("r1", { lane: "r" })), "r0");
  assert.equal(
    next(waiting("r0", { lane: "r", isSending: true }), waiting("s0", { lane: "s" })),
    "s0",
  );
});
