import assert from "node:assert/strict";
import { MIN_PROGRESS_BYTES, MinimumRate, type UploadMeter } from "./minimum_rate.ts";

/** Measures an upload; `aborted` resolves with the milliseconds until it was too slow. */
function measure(progressMs: number, unseenBytes?: number) {
  const start = performance.now();
  const { promise: aborted, resolve } = Promise.withResolvers<number>();
  const rate = new MinimumRate(progressMs);
  const upload: UploadMeter = rate.measure(() => resolve(performance.now() - start), unseenBytes);
  return { rate, upload, aborted };
}

// The rate's timer does not keep the process alive, so the tests need one of their own.
function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("no progress for a period → aborted", async () => {
  const { aborted } = measure(40);
  const ms = await Promise.race([aborted, pause(5_000)]);
  assert.ok(ms !== undefined && ms >= 40, `${ms} ms`);
});

Deno.test("enough progress → another period, and only one", async () => {
  const { upload, aborted } = measure(40);
  upload.received(MIN_PROGRESS_BYTES);
  const ms = await Promise.race([aborted, pause(5_000)]);
  assert.ok(ms !== undefined && ms >= 80, `${ms} ms`);
});

Deno.test("progress that cannot be seen → aborted after the periods that its bytes may take", async () => {
  const { aborted } = measure(40, 3 * MIN_PROGRESS_BYTES);
  const ms = await Promise.race([aborted, pause(5_000)]);
  assert.ok(ms !== undefined && ms >= 120, `${ms} ms`);
});

Deno.test("an upload that ended → not aborted", async () => {
  const { upload, aborted } = measure(10);
  upload.end();
  assert.equal(await Promise.race([aborted, pause(50)]), undefined);
});

Deno.test("upload resumed after its end → not aborted", async () => {
  const { upload, aborted } = measure(10);
  upload.pause();
  upload.end();
  upload.resume();
  assert.equal(await Promise.race([aborted, pause(50)]), undefined);
});

Deno.test("paused upload → time does not count", async () => {
  const { upload, aborted } = measure(40);
  upload.pause();
  assert.equal(await Promise.race([aborted, pause(100)]), undefined);
  upload.resume();
  const ms = await Promise.race([aborted, pause(5_000)]);
  assert.ok(ms !== undefined && ms >= 140, `${ms} ms`);
});

Deno.test("overload → uploads slower than the rate under overload are aborted, others continue", async () => {
  const slow = measure(60_000);
  const quick = measure(60_000);
  quick.upload.received(100 * MIN_PROGRESS_BYTES);
  slow.rate.shedLoad();
  assert.equal(await Promise.race([slow.aborted, pause(2_100)]), undefined, "it was just started");
  slow.rate.shedLoad();
  quick.rate.shedLoad();
  assert.ok(await Promise.race([slow.aborted, pause(1_000)]));
  assert.equal(await Promise.race([quick.aborted, pause(10)]), undefined);
  for (const { upload } of [slow, quick]) upload.end();
});

Deno.test("a place is needed → the slowest upload that is not new is aborted", async () => {
  const rate = new MinimumRate();
  const ended: string[] = [];
  const quick = rate.measure(() => ended.push("quick"));
  rate.measure(() => ended.push("slow"));
  rate.measure(() => ended.push("unseen"), 256 * 1024).received(0);
  rate.endSlowest();
  assert.deepEqual([ended, rate.uploads], [[], 3], "all are new");
  quick.received(1);
  await pause(260);
  const paused = rate.measure(() => ended.push("new"));
  for (let count = 0; count < 3; count++) rate.endSlowest();
  assert.deepEqual([ended, rate.uploads], [["slow", "unseen", "quick"], 1]);
  paused.end();
});
