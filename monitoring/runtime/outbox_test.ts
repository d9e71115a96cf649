import assert from "node:assert/strict";
import type { DataCategory } from "@sentry/core";
import {
  MAX_BYTES,
  MAX_ENVELOPES,
  Outbox,
  type OutboxEnvelope,
  type RelayResponse,
} from "./outbox.ts";

const response = (status: number): RelayResponse => ({ status, headers: new Headers() });

const envelope = (category: DataCategory = "error", bytes = 10): OutboxEnvelope => ({
  bytes: new Uint8Array(bytes),
  amounts: [{ category, quantity: 1 }],
});

/** An outbox whose relay and clock the test controls. */
function setUp(options: { limited?: (envelope: OutboxEnvelope) => boolean } = {}) {
  const sent: { bytes: Uint8Array; answer: (status: number) => Promise<void> }[] = [];
  const timers: { ms: number; fire: () => void; off: boolean }[] = [];
  const received: [number, OutboxEnvelope][] = [];
  const dropped: OutboxEnvelope[] = [];
  const outbox = new Outbox({
    send(bytes) {
      const { promise, resolve } = Promise.withResolvers<RelayResponse>();
      sent.push({
        bytes,
        async answer(status) {
          resolve(response(status));
          // Lets the microtasks that follow the answer run.
          for (let turn = 0; turn < 10; turn++) await Promise.resolve();
        },
      });
      return promise;
    },
    onResponse: ({ status }, one) => void received.push([status, one]),
    onOverflow: (one) => void dropped.push(one),
    isLimited: options.limited ?? (() => false),
    after(ms, fire) {
      const timer = { ms, fire, off: false };
      timers.push(timer);
      return () => void (timer.off = true);
    },
    random: () => 0.5,
  });
  return { outbox, sent, timers, received, dropped };
}

Deno.test("put → sent immediately and unchanged, removed on success", async () => {
  const { outbox, sent, received } = setUp();
  const one = envelope();
  outbox.put(one);
  assert.equal(sent[0]?.bytes, one.bytes);
  assert.equal(outbox.size, 1);
  await sent[0]?.answer(200);
  assert.deepEqual(received, [[200, one]]);
  assert.equal(outbox.size, 0);
});

Deno.test("retryable status → kept and retried with exponential backoff", async () => {
  const { outbox, sent, timers } = setUp();
  outbox.put(envelope());
  const pauses: number[] = [];
  for (const status of [503, 500, 302, 408, 425, 503, 503, 503]) {
    await sent.at(-1)?.answer(status);
    assert.equal(outbox.size, 1);
    const timer = timers.at(-1);
    pauses.push(timer?.ms ?? 0);
    timer?.fire();
  }
  // Three quarters of the bound, as random is 0.5.
  assert.deepEqual(pauses, [750, 1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000]);
  assert.equal(sent.length, 9);
});

Deno.test("failure → one probe, the others follow on success", async () => {
  const { outbox, sent, timers } = setUp();
  outbox.put(envelope());
  await sent[0]?.answer(503);
  for (let n = 0; n < 4; n++) outbox.put(envelope());
  assert.equal(sent.length, 1, "nothing is sent during backoff");
  timers[0]?.fire();
  assert.equal(sent.length, 2);
  await sent[1]?.answer(200);
  assert.equal(sent.length, 6);
});

Deno.test("envelope that always fails → does not delay others", async () => {
  const { outbox, sent, timers, received } = setUp();
  const [never, other] = [envelope(), envelope()];
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

Deno.test("4xx and 429 → final: reported, not sent again", async () => {
  const { outbox, sent, received, timers } = setUp();
  for (const status of [400, 403, 413, 429]) {
    outbox.put(envelope());
    await sent.at(-1)?.answer(status);
  }
  assert.deepEqual(received.map(([status]) => status), [400, 403, 413, 429]);
  assert.deepEqual([outbox.size, timers.length], [0, 0]);
});

Deno.test("rate limited when its turn comes → not sent", async () => {
  let holds = false;
  const { outbox, sent, timers } = setUp({ limited: () => holds });
  outbox.put(envelope());
  await sent[0]?.answer(503);
  holds = true;
  timers[0]?.fire();
  assert.equal(sent.length, 1);
  assert.equal(outbox.size, 0);
});

Deno.test("too many envelopes → oldest spans dropped first, errors last", async () => {
  const { outbox, sent, dropped } = setUp();
  outbox.put(envelope());
  await sent[0]?.answer(503);
  const error = envelope("error");
  const spans = [envelope("span"), envelope("span")];
  for (const one of [error, ...spans]) outbox.put(one);
  while (outbox.size < MAX_ENVELOPES) outbox.put(envelope("error"));
  assert.equal(dropped.length, 0);
  for (let n = 0; n < 3; n++) outbox.put(envelope("error"));
  assert.equal(outbox.size, MAX_ENVELOPES);
  assert.deepEqual(dropped.slice(0, 2), spans);
  assert.equal(dropped.length, 3);
  assert.equal(dropped[2]?.amounts[0]?.category, "error");
});

Deno.test("too many bytes → oldest dropped; one larger than the limit is dropped itself", async () => {
  const { outbox, sent, dropped } = setUp();
  outbox.put(envelope());
  await sent[0]?.answer(503);
  const half = MAX_BYTES / 2;
  for (let n = 0; n < 4; n++) outbox.put(envelope("error", half));
  assert.equal(outbox.size, 2);
  assert.equal(dropped.length, 3);
  outbox.put(envelope("error", MAX_BYTES + 1));
  assert.equal(outbox.size, 0);
});

Deno.test("flush during backoff → sends immediately, returns whether all was sent", async () => {
  const { outbox, sent, timers } = setUp();
  assert.equal(await outbox.flush(100), true);
  outbox.put(envelope());
  await sent[0]?.answer(503);
  const [pause] = timers;
  const flushed = outbox.flush(100);
  assert.equal(pause?.off, true);
  assert.equal(sent.length, 2);
  await sent[1]?.answer(200);
  assert.equal(await flushed, true);

  outbox.put(envelope());
  const late = outbox.flush(100);
  timers.find(({ ms, off }) => ms === 100 && !off)?.fire();
  assert.equal(await late, false);
  assert.equal(outbox.size, 1);
});

Deno.test("abandon → nothing is left, later answers are ignored", async () => {
  const { outbox, sent, received } = setUp();
  outbox.put(envelope());
  outbox.abandon();
  assert.equal(outbox.size, 0);
  await sent[0]?.answer(200);
  assert.deepEqual(received, []);
});
