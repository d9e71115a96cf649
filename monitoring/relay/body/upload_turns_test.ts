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
  const [first, second, third] = [{}, {}, {}];
  assert.equal(turns.start(first), undefined);
  const waiting = [turns.start(second), turns.start(third)];
  assert.deepEqual(await Promise.all(waiting.map(isGiven)), [false, false]);
  turns.end(first);
  assert.deepEqual(await Promise.all(waiting.map(isGiven)), [true, false]);
  turns.end(second);
  await waiting[1];
  turns.end(third);
});

Deno.test("body that pauses while another waits → loses its turn, gets a later one", async () => {
  const turns = new UploadTurns(1);
  const [stalled, other] = [{}, {}];
  turns.start(stalled);
  const data = Promise.withResolvers<void>();
  const read = turns.during(stalled, data.promise);
  await turns.start(other);
  data.resolve();
  await read;
  const again = turns.start(stalled);
  assert.equal(await isGiven(again), false);
  turns.end(other);
  await again;
  turns.end(stalled);
});

Deno.test("body between two reads → keeps its turn", async () => {
  const turns = new UploadTurns(2);
  const [working, stalled, other] = [{}, {}, {}];
  turns.start(working);
  turns.start(stalled);
  void turns.during(stalled, new Promise(() => {}));
  await turns.start(other);
  assert.equal(turns.start(working), undefined);
  for (const turn of [working, stalled, other]) turns.end(turn);
});

Deno.test("body that ends while it waits → skipped", async () => {
  const turns = new UploadTurns(1);
  const [first, ended, next] = [{}, {}, {}];
  turns.start(first);
  const never = turns.start(ended);
  const turn = turns.start(next);
  turns.end(ended);
  turns.end(first);
  await turn;
  assert.equal(await isGiven(never), false);
  turns.end(next);
});
