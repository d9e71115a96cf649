import assert from "node:assert/strict";
import { Duplicates, REMEMBERED_MS } from "./duplicates.ts";

const key = (n: number) => n.toString(16).padStart(2, "0").repeat(32);
const at = (ms: number) => () => ms;

/** Begins an envelope that must be no duplicate. */
async function begin(duplicates: Duplicates, n: number, now = 0) {
  const complete = await duplicates.begin(key(n), at(now));
  assert.ok(complete, `${n} at ${now} ms is no duplicate`);
  return complete;
}

Deno.test("taken by another server → a copy is a duplicate; only own keys are reported", async () => {
  const duplicates = new Duplicates();
  const reported: string[] = [];
  duplicates.onTaken = (taken) => void reported.push(taken);
  const complete = await begin(duplicates, 1);
  for (const n of [1, 2, 2]) duplicates.learn(key(n).slice(0, 32), 500);
  complete(true);
  assert.equal(duplicates.size, 2);
  assert.equal(await duplicates.begin(key(1), at(1_000)), undefined);
  await begin(duplicates, 2, REMEMBERED_MS + 500);
  duplicates.remember(key(3), 1_000);
  duplicates.remember(key(3), 1_000);
  assert.deepEqual(reported, [key(3).slice(0, 32)]);
});

Deno.test("the first is not taken → the next copy is processed, one at a time", async () => {
  const duplicates = new Duplicates();
  const first = await begin(duplicates, 1);
  const second = duplicates.begin(key(1), at(0));
  const third = duplicates.begin(key(1), at(0));
  first(false);
  const complete = await second;
  assert.ok(complete);
  complete(true);
  assert.equal(await third, undefined);
});

Deno.test("two copies not taken and a third processed → spool_unavailable at once", async () => {
  const duplicates = new Duplicates();
  const first = await begin(duplicates, 1);
  const [second, third, fourth] = [1, 2, 3].map(async () => await duplicates.begin(key(1), at(0)));
  const refused = assert.rejects(fourth!, { code: "spool_unavailable" });
  first(false);
  (await second)!(false);
  const complete = await third;
  await refused;
  complete!(true);
  assert.equal(await duplicates.begin(key(1), at(0)), undefined);
});

Deno.test("more keys than the maximum → the newest are known, the oldest forgotten", async () => {
  const duplicates = new Duplicates(3);
  for (let n = 0; n < 10; n++) (await begin(duplicates, n, n))(true);
  assert.ok(duplicates.size <= 6, `${duplicates.size}`);
  for (const n of [7, 8, 9]) assert.equal(await duplicates.begin(key(n), at(10)), undefined);
  await begin(duplicates, 0, 10);
});
