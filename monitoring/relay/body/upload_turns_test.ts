import assert from "node:assert/strict";
import { UploadTurns } from "./upload_turns.ts";

/** Whether a turn is given without waiting for time to pass. */
async function isGiven(turn: Promise<void> | undefined): Promise<boolean> {
  let given = turn === undefined;
  turn?.then(() => given = true);
  await Promise.resolve();
  await Promise.resolve();
  return given;
}

Deno.test("turns → in order of request", async () => {
  const turns = new UploadTurns(1);
  const [first, second, third] = [turns.open(), turns.open(), turns.open()];
  assert.equal(first.start(), undefined);
  const waiting = [second.start(), third.start()];
  assert.deepEqual(await Promise.all(waiting.map(isGiven)), [false, false]);
  first.end();
  assert.deepEqual(await Promise.all(waiting.map(isGiven)), [true, false]);
  second.end();
  await waiting[1];
  third.end();
});

Deno.test("body that pauses while another waits → loses its turn, gets a later one", async () => {
  const turns = new UploadTurns(1);
  const [stalled, other] = [turns.open(), turns.open()];
  stalled.start();
  const data = Promise.withResolvers<void>();
  const read = stalled.during(data.promise);
  await other.start();
  data.resolve();
  await read;
  const again = stalled.start();
  assert.equal(await isGiven(again), false);
  other.end();
  await again;
  stalled.end();
});

Deno.test("body between two reads → keeps its turn", async () => {
  const turns = new UploadTurns(2);
  const [working, stalled, other] = [turns.open(), turns.open(), turns.open()];
  working.start();
  stalled.start();
  void stalled.during(new Promise(() => {}));
  await other.start();
  assert.equal(working.start(), undefined);
  for (const turn of [working, stalled, other]) turn.end();
});

Deno.test("body that ends while it waits → skipped", async () => {
  const turns = new UploadTurns(1);
  const [first, ended, next] = [turns.open(), turns.open(), turns.open()];
  first.start();
  const never = ended.start();
  const turn = next.start();
  ended.end();
  first.end();
  await turn;
  assert.equal(await isGiven(never), false);
  next.end();
});
