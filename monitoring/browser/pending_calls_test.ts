import assert from "node:assert/strict";
import { type Call, createPendingCalls } from "./pending_calls.ts";

const call = (at: number): Call => ({ kind: "log", at, level: "info", message: "m" });

Deno.test("calls before the SDK are kept with their times, later ones pass through", () => {
  const pending = createPendingCalls();
  pending.add(call(1));
  pending.add(call(2));
  assert.deepEqual(pending.take(), {
    calls: [call(1), call(2)],
    overflow: { error: 0, log: 0, navigation: 0 },
  });
  const performed: Call[] = [];
  pending.open((one) => performed.push(one));
  pending.add(call(3));
  assert.deepEqual(performed, [call(3)]);
  assert.deepEqual(pending.take().calls, []);
});

Deno.test("more calls than there is room for → counted by their kind", () => {
  const pending = createPendingCalls();
  for (let i = 0; i < 130; i++) pending.add(call(i));
  pending.add({ kind: "error", at: 130, error: 0, handled: true });
  const { calls, overflow } = pending.take();
  assert.equal(calls.length, 100);
  assert.deepEqual(overflow, { error: 1, log: 30, navigation: 0 });
  assert.equal(pending.take().overflow.log, 0);
});
