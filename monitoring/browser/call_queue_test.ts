import assert from "node:assert/strict";
import { type Call, createCallQueue } from "./call_queue.ts";

const call = (at: number): Call => ({ kind: "log", at, level: "info", message: "m" });

Deno.test("more calls than the limit → counted by kind", () => {
  let queued = 0;
  const queue = createCallQueue(() => queued++);
  for (let i = 0; i < 130; i++) queue.add(call(i));
  queue.add({ kind: "error", at: 130, error: 0, handled: true });
  assert.equal(queued, 131);
  assert.deepEqual(queue.peek(), queue.peek());
  const { calls, overflow } = queue.take();
  assert.equal(calls.length, 100);
  assert.deepEqual(overflow, { error: 1, log: 30, navigation: 0 });
  assert.equal(queue.take().overflow.log, 0);
});
