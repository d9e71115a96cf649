import assert from "node:assert/strict";
import { type Call, createPendingCalls } from "./pending_calls.ts";

const call = (at: number): Call => ({ kind: "log", at, level: "info", message: "m" });

Deno.test("calls before the SDK are kept with their times, later ones pass through", () => {
  const pending = createPendingCalls();
  pending.add(call(1));
  pending.add(call(2));
  assert.deepEqual(pending.take(), { calls: [call(1), call(2)], overflow: 0 });
  const performed: Call[] = [];
  pending.open((one) => performed.push(one));
  pending.add(call(3));
  assert.deepEqual(performed, [call(3)]);
  assert.deepEqual(pending.take().calls, []);
});

Deno.test("the queue is bounded and counts what found no room", () => {
  const pending = createPendingCalls();
  for (let i = 0; i < 130; i++) pending.add(call(i));
  const { calls, overflow } = pending.take();
  assert.equal(calls.length, 100);
  assert.equal(overflow, 30);
});

Deno.test("when the SDK will not come nothing is kept", () => {
  const pending = createPendingCalls();
  pending.add(call(1));
  pending.close();
  pending.add(call(2));
  assert.deepEqual(pending.take(), { calls: [], overflow: 0 });
});
