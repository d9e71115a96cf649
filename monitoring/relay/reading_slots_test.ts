import assert from "node:assert/strict";
import { ReadingSlots } from "./reading_slots.ts";

/** Whether a turn has come by now, or comes without any of its time passing. */
async function hasCome(turn: Promise<void> | undefined): Promise<boolean> {
  let come = turn === undefined;
  turn?.then(() => come = true);
  await Promise.resolve();
  await Promise.resolve();
  return come;
}

Deno.test("slots go to those that wait in the order of their asking", async () => {
  const slots = new ReadingSlots(1);
  const [first, second, third] = [slots.open(), slots.open(), slots.open()];
  assert.equal(first.enter(), undefined);
  const turns = [second.enter(), third.enter()];
  assert.deepEqual(await Promise.all(turns.map(hasCome)), [false, false]);
  first.leave();
  assert.deepEqual(await Promise.all(turns.map(hasCome)), [true, false]);
  second.leave();
  await turns[1];
  third.leave();
});

Deno.test("a body that stands still gives its slot to one that waits, and goes on later in its turn", async () => {
  const slots = new ReadingSlots(1);
  const [stalled, other] = [slots.open(), slots.open()];
  stalled.enter();
  stalled.reads();
  await other.enter();
  stalled.hasRead();
  const again = stalled.enter();
  assert.equal(await hasCome(again), false);
  other.leave();
  await again;
  stalled.leave();
});

Deno.test("a body that is being worked on keeps its slot", async () => {
  const slots = new ReadingSlots(2);
  const [working, stalled, other] = [slots.open(), slots.open(), slots.open()];
  working.enter();
  stalled.enter();
  stalled.reads();
  await other.enter();
  assert.equal(working.enter(), undefined);
  for (const slot of [working, stalled, other]) slot.leave();
});

Deno.test("one that goes away while it waits is passed over", async () => {
  const slots = new ReadingSlots(1);
  const [first, gone, next] = [slots.open(), slots.open(), slots.open()];
  first.enter();
  const never = gone.enter();
  const turn = next.enter();
  gone.leave();
  first.leave();
  await turn;
  assert.equal(await hasCome(never), false);
  next.leave();
});
