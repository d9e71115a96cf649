import assert from "node:assert/strict";
import { Alarms } from "./alarms.ts";

/** An alarm of so many milliseconds, and when it rings. */
function alarmOf(alarms: Alarms, ms: number) {
  const { promise: rung, resolve } = Promise.withResolvers<number>();
  return { alarm: alarms.after(ms, () => resolve(performance.now())), rung };
}

Deno.test("alarms ring after their time, each once, whatever length others have", async () => {
  const alarms = new Alarms();
  const begun = performance.now();
  const [late, soon, also] = [30, 10, 10].map((ms) => alarmOf(alarms, ms));
  const times = await Promise.all([soon!.rung, also!.rung, late!.rung]);
  assert.deepEqual(times, times.toSorted((a, b) => a - b));
  assert.ok(times[0]! - begun >= 9 && times[2]! - begun >= 29, `${times.map((at) => at - begun)}`);
});

Deno.test("one that is set while another of its length waits has its whole time", async () => {
  const alarms = new Alarms();
  await alarmOf(alarms, 20).rung;
  const first = alarmOf(alarms, 40);
  await alarmOf(alarms, 20).rung;
  const begun = performance.now();
  const second = alarmOf(alarms, 40);
  await first.rung;
  assert.ok(await second.rung - begun >= 39);
});

Deno.test("what was called off does not ring, and holds nothing up behind it", async () => {
  const alarms = new Alarms();
  let rung = false;
  const first = alarms.after(5, () => rung = true);
  const second = alarmOf(alarms, 5);
  first.cancel();
  first.cancel();
  await second.rung;
  await alarmOf(alarms, 5).rung;
  assert.equal(rung, false);
});
