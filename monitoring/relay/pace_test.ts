import assert from "node:assert/strict";
import { MIN_PROGRESS_BYTES, Pace, type PacedBody } from "./pace.ts";

/** A pace, and when its sender is let go. */
function start(progressMs: number): { pace: PacedBody; over: Promise<void> } {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  return { pace: new Pace(progressMs).watch(resolve), over };
}

Deno.test("time in which nobody reads is not the sender's", async () => {
  const rested = start(20);
  rested.pace.rest();
  await start(60).over;
  assert.equal(rested.pace.tooSlow, false);
  rested.pace.resume();
  await rested.over;
  assert.equal(rested.pace.tooSlow, true);
});

Deno.test("enough progress buys the same time again, and no more", async () => {
  const quick = start(30);
  quick.pace.came(MIN_PROGRESS_BYTES);
  await start(40).over;
  assert.equal(quick.pace.tooSlow, false);
  await quick.over;
  assert.equal(quick.pace.tooSlow, true);
});
