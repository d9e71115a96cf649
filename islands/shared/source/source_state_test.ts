import assert from "node:assert/strict";
import { LiveState } from "./source_state.ts";

Deno.test("the first change is told at once, a hundred more once they have settled, with all of them", async () => {
  const live = new LiveState("live");
  const told: number[] = [];
  const settled = new Promise<void>((resolve) =>
    live.subscribe(() => {
      told.push(live.snapshot().total);
      if (told.at(-1) === 100) resolve();
    })
  );
  for (let total = 1; total <= 100; total++) live.update("live", total, true);
  assert.deepEqual(told, [1]);
  await settled;
  assert.deepEqual(told, [1, 100]);
  assert.equal(live.snapshot().version, 100);
  live.close();
});

Deno.test("another state is told at once, however much came before it", () => {
  const live = new LiveState("connecting");
  const told: string[] = [];
  live.subscribe(() => told.push(live.snapshot().state));
  live.update("live", 1, true);
  live.update("live", 2, true);
  live.update("offline", 2, false);
  assert.deepEqual(told, ["live", "offline"]);
  live.close();
});

Deno.test("what changes nothing is not told and leaves the snapshot the same", () => {
  const live = new LiveState("live", 3);
  let calls = 0;
  const leave = live.subscribe(() => calls++);
  const before = live.snapshot();
  live.update("live", 3, false);
  assert.deepEqual([calls, live.snapshot() === before], [0, true]);
  leave();
  live.update("live", 4, true);
  assert.equal(calls, 0);
  live.close();
});
