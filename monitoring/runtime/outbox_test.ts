import assert from "node:assert/strict";
import type { DataCategory } from "@sentry/core";
import { MAX_BYTES, MAX_PARCELS, Outbox, type Parcel, type Receipt } from "./outbox.ts";

const receipt = (status: number): Receipt => ({ status, headers: new Headers() });

const parcel = (category: DataCategory = "error", bytes = 10): Parcel => ({
  bytes: new Uint8Array(bytes),
  amounts: [{ category, quantity: 1 }],
});

/** An outbox whose receiver and clock the test plays. */
function setUp(options: { limited?: (parcel: Parcel) => boolean } = {}) {
  const sent: { bytes: Uint8Array; answer: (status: number) => Promise<void> }[] = [];
  const timers: { ms: number; fire: () => void; off: boolean }[] = [];
  const received: [number, Parcel][] = [];
  const dropped: [string, Parcel][] = [];
  const outbox = new Outbox({
    send(bytes) {
      const { promise, resolve } = Promise.withResolvers<Receipt>();
      sent.push({
        bytes,
        async answer(status) {
          resolve(receipt(status));
          // What follows from an answer follows within some turns of the queue.
          for (let turn = 0; turn < 10; turn++) await Promise.resolve();
        },
      });
      return promise;
    },
    onReceipt: ({ status }, one) => void received.push([status, one]),
    onDropped: (reason, one) => void dropped.push([reason, one]),
    isLimited: options.limited ?? (() => false),
    later(fire, ms) {
      const timer = { ms, fire, off: false };
      timers.push(timer);
      return () => void (timer.off = true);
    },
    random: () => 0.5,
  });
  return { outbox, sent, timers, received, dropped };
}

Deno.test("an envelope is sent at once, as the bytes that were given, and is gone once it is taken", async () => {
  const { outbox, sent, received } = setUp();
  const one = parcel();
  outbox.put(one);
  assert.equal(sent[0]?.bytes, one.bytes);
  assert.equal(outbox.size, 1);
  await sent[0]?.answer(200);
  assert.deepEqual(received, [[200, one]]);
  assert.equal(outbox.size, 0);
});

Deno.test("what no answer or a passing one came to is kept, and tried again after longer and longer pauses", async () => {
  const { outbox, sent, timers } = setUp();
  outbox.put(parcel());
  const pauses: number[] = [];
  for (const status of [503, 500, 302, 408, 425, 503, 503, 503]) {
    await sent.at(-1)?.answer(status);
    assert.equal(outbox.size, 1);
    const timer = timers.at(-1);
    pauses.push(timer?.ms ?? 0);
    timer?.fire();
  }
  // Three quarters of the longest, by a draw of 0.5.
  assert.deepEqual(pauses, [750, 1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000]);
  assert.equal(sent.length, 9);
});

Deno.test("after a failure one goes ahead, and the others follow once it is taken", async () => {
  const { outbox, sent, timers } = setUp();
  outbox.put(parcel());
  await sent[0]?.answer(503);
  for (let n = 0; n < 4; n++) outbox.put(parcel());
  assert.equal(sent.length, 1, "nothing is sent in a pause");
  timers[0]?.fire();
  assert.equal(sent.length, 2);
  await sent[1]?.answer(200);
  assert.equal(sent.length, 6);
});

Deno.test("one that is never taken holds no other back", async () => {
  const { outbox, sent, timers, received } = setUp();
  const [never, other] = [parcel(), parcel()];
  outbox.put(never);
  await sent[0]?.answer(503);
  outbox.put(other);
  timers[0]?.fire();
  assert.equal(sent[1]?.bytes, never.bytes);
  await sent[1]?.answer(503);
  timers[1]?.fire();
  assert.equal(sent[2]?.bytes, other.bytes);
  await sent[2]?.answer(200);
  assert.deepEqual(received, [[200, other]]);
  assert.equal(outbox.size, 1);
});

Deno.test("a refusal and a limit are final: not sent again, and told", async () => {
  const { outbox, sent, received, timers } = setUp();
  for (const status of [400, 403, 413, 429]) {
    outbox.put(parcel());
    await sent.at(-1)?.answer(status);
  }
  assert.deepEqual(received.map(([status]) => status), [400, 403, 413, 429]);
  assert.deepEqual([outbox.size, timers.length], [0, 0]);
});

Deno.test("what a limit forbids by the time of its turn is not sent", async () => {
  let holds = false;
  const { outbox, sent, timers } = setUp({ limited: () => holds });
  outbox.put(parcel());
  await sent[0]?.answer(503);
  holds = true;
  timers[0]?.fire();
  assert.equal(sent.length, 1);
  assert.equal(outbox.size, 0);
});

Deno.test("at most so many envelopes wait: the oldest spans go first, errors only when there are none", async () => {
  const { outbox, sent, dropped } = setUp();
  outbox.put(parcel());
  await sent[0]?.answer(503);
  const error = parcel("error");
  const spans = [parcel("span"), parcel("span")];
  for (const one of [error, ...spans]) outbox.put(one);
  while (outbox.size < MAX_PARCELS) outbox.put(parcel("error"));
  assert.equal(dropped.length, 0);
  for (let n = 0; n < 3; n++) outbox.put(parcel("error"));
  assert.equal(outbox.size, MAX_PARCELS);
  assert.deepEqual(dropped.map(([reason]) => reason), Array(3).fill("queue_overflow"));
  assert.deepEqual(dropped.slice(0, 2).map(([, one]) => one), spans);
  assert.equal(dropped[2]?.[1].amounts[0]?.category, "error");
});

Deno.test("at most so many bytes wait, and one that is larger than that alone does not", async () => {
  const { outbox, sent, dropped } = setUp();
  outbox.put(parcel());
  await sent[0]?.answer(503);
  const half = MAX_BYTES / 2;
  for (let n = 0; n < 4; n++) outbox.put(parcel("error", half));
  assert.equal(outbox.size, 2);
  assert.equal(dropped.length, 3);
  outbox.put(parcel("error", MAX_BYTES + 1));
  assert.equal(outbox.size, 0);
});

Deno.test("a flush does not wait for the end of a pause, and says whether all is gone", async () => {
  const { outbox, sent, timers } = setUp();
  assert.equal(await outbox.flush(100), true);
  outbox.put(parcel());
  await sent[0]?.answer(503);
  const [pause] = timers;
  const flushed = outbox.flush(100);
  assert.equal(pause?.off, true);
  assert.equal(sent.length, 2);
  await sent[1]?.answer(200);
  assert.equal(await flushed, true);

  outbox.put(parcel());
  const late = outbox.flush(100);
  timers.find(({ ms, off }) => ms === 100 && !off)?.fire();
  assert.equal(await late, false);
  assert.equal(outbox.size, 1);
});

Deno.test("what is left at the end is given up, and an answer that comes later changes nothing", async () => {
  const { outbox, sent, dropped, received } = setUp();
  outbox.put(parcel());
  outbox.abandon();
  assert.deepEqual(dropped.map(([reason]) => reason), ["shutdown"]);
  assert.equal(outbox.size, 0);
  await sent[0]?.answer(200);
  assert.deepEqual(received, []);
});
