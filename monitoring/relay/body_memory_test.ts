import assert from "node:assert/strict";
import { BodyMemory, IDLE_MS, MAX_KEPT_BYTES, STEP_BYTES } from "./body_memory.ts";
import { whileLeaving } from "./http/leaving.ts";

Deno.test("memory that was given back is taken again, for a body of about its size alone", () => {
  const memory = new BodyMemory();
  const first = memory.take(3 * STEP_BYTES - 10);
  memory.give(first.subarray(0, 5));
  assert.notEqual(memory.take(2 * STEP_BYTES).buffer, first.buffer);
  assert.equal(memory.take(3 * STEP_BYTES).buffer, first.buffer);
  assert.notEqual(memory.take(3 * STEP_BYTES).buffer, first.buffer);
});

Deno.test("what a write still reads is given to nobody", async () => {
  const memory = new BodyMemory();
  const body = memory.take(STEP_BYTES);
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const writes = [first, second].map(({ promise }) => whileLeaving(body, () => promise));
  first.reject(new Error("reset"));
  await assert.rejects(writes[0]!);
  memory.give(body);
  assert.notEqual(memory.take(STEP_BYTES).buffer, body.buffer);
  assert.equal(memory.bytes, 0);
  second.resolve();
  await writes[1];
});

Deno.test("little is kept, and once no body comes any more nothing", async () => {
  const memory = new BodyMemory();
  const bodies = Array.from({ length: 20 }, () => memory.take(1024 * 1024));
  for (const body of bodies) memory.give(body);
  assert.equal(memory.bytes, MAX_KEPT_BYTES);
  assert.ok(bodies.at(-1)!.buffer.detached, "what is not kept is freed at once");
  const deadline = performance.now() + 10 * IDLE_MS;
  while (memory.bytes > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(memory.bytes, 0);
});

Deno.test("what was handed to another thread, or is of no step, is not kept", () => {
  const memory = new BodyMemory();
  const gone = memory.take(STEP_BYTES);
  gone.buffer.transfer();
  memory.give(gone);
  memory.give(new Uint8Array(1000));
  memory.give(memory.take(5 * 1024 * 1024));
  assert.equal(memory.bytes, 0);
});
