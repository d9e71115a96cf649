import assert from "node:assert/strict";
import { MIN_PROGRESS_BYTES, Pace, type PacedBody } from "./pace.ts";

/** A body, and when its sender is let go. */
function start(progressMs: number): { body: PacedBody; over: Promise<void> } {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  return { body: new Pace(progressMs).watch(resolve), over };
}

Deno.test("time in which nobody reads is not the sender's", async () => {
  const rested = start(20);
  rested.body.rest();
  await start(60).over;
  assert.equal(rested.body.tooSlow, false);
  rested.body.resume();
  await rested.over;
  assert.equal(rested.body.tooSlow, true);
});

Deno.test("enough progress buys the same time again, and no more", async () => {
  const quick = start(30);
  quick.body.bytes += MIN_PROGRESS_BYTES;
  await start(40).over;
  assert.equal(quick.body.tooSlow, false);
  await quick.over;
  assert.equal(quick.body.tooSlow, true);
});
