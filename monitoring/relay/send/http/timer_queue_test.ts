import assert from "node:assert/strict";
import { TimerQueue } from "./timer_queue.ts";

/** Starts a timer; `expired` resolves with the time at which it expires. */
function start(timers: TimerQueue, ms: number) {
  const { promise: expired, resolve } = Promise.withResolvers<number>();
  return { cancel: timers.after(ms, () => resolve(performance.now())), expired };
}

Deno.test("timers of several durations → each expires once, after its time", async () => {
  const timers = new TimerQueue();
  const startedAt = performance.now();
  const [late, soon, also] = [30, 10, 10].map((ms) => start(timers, ms));
  const times = await Promise.all([soon!.expired, also!.expired, late!.expired]);
  assert.deepEqual(times, times.toSorted((a, b) => a - b));
  assert.ok(
    times[0]! - startedAt >= 9 && times[2]! - startedAt >= 29,
    `${times.map((at) => at - startedAt)}`,
  );
});

Deno.test("timer started while another of its duration runs → has its full time", async () => {
  const timers = new TimerQueue();
  await start(timers, 20).expired;
  const first = start(timers, 40);
  await start(timers, 20).expired;
  const startedAt = performance.now();
  const second = start(timers, 40);
  await first.expired;
  assert.ok(await second.expired - startedAt >= 39);
});

Deno.test("cancelled timer → does not expire, and does not delay later ones", async () => {
  const timers = new TimerQueue();
  let expired = false;
  const cancel = timers.after(5, () => expired = true);
  const second = start(timers, 5);
  cancel();
  cancel();
  await second.expired;
  await start(timers, 5).expired;
  assert.equal(expired, false);
});
