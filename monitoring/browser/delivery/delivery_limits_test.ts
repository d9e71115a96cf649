/** What is sent while the relay or the ingest answers 429. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { createSharedRateLimits } from "./rate_limits.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, log, openPage, recover, type Relay, test } from "./testdata/page_with_relay.ts";

/** What a page sends before the first response arrives. */
const IN_FLIGHT = 4;

/**
 * Makes the relay answer 429, at first once `inFlight` requests have arrived.
 *
 * @returns milliseconds between consecutive requests that were sent after the first 429
 */
function refuse(relay: Relay, inFlight: number, headers: HeadersInit): number[] {
  const waits: number[] = [];
  let requests = 0;
  let last = 0;
  relay.respond = async () => {
    const now = performance.now();
    if (requests >= inFlight) waits.push(now - last);
    last = now;
    requests++;
    await until("all are under way", () => requests >= inFlight);
    return new Response("{}", { status: 429, headers });
  };
  return waits;
}

test("300 wait, Retry-After: 1 → one probes after the backoff, then all arrive", async (relay) => {
  let skippedMs = 0;
  const page = openPage(relay, createMemoryStore(), { now: () => Date.now() + skippedMs });
  const waits = refuse(relay, IN_FLIGHT, { "Retry-After": "1" });
  for (let i = 0; i < 300; i++) void page.delivery.deliver(event(`e${i}`));
  await until("one has probed", () => waits.length >= 1);
  assert.ok(waits[0]! >= 1_400, `wait of ${waits[0]} ms`);
  assert.equal(relay.posts.length, IN_FLIGHT + 1);
  skippedMs = 3_600_000;
  await recover(relay, page);
  assert.equal(new Set(relay.accepted).size, 300);
});

test("429 in three tabs → one of them probes at a time, and the next page knows it", async (relay) => {
  const store = createMemoryStore();
  const open = () => openPage(relay, store, { limits: createSharedRateLimits(sessionStorage) });
  const pages = [open(), open(), open()];
  const waits = refuse(relay, IN_FLIGHT * pages.length, { "Retry-After": "1" });
  for (const [n, page] of pages.entries()) {
    for (let i = 0; i < 20; i++) void page.delivery.deliver(event(`e${n}.${i}`));
  }
  await until("one has probed", () => waits.length >= 1);
  const next = open();
  await until("it has read the store", () => next.waiting >= 60);
  await until("two have probed", () => waits.length >= 2);
  assert.ok(waits.every((wait) => wait >= 1_000), `waits of ${waits.join(", ")} ms`);
});

test("429 for errors → logs are sent, errors wait", async (relay) => {
  const page = openPage(relay, createMemoryStore());
  relay.answer(429, { "X-Sentry-Rate-Limits": "60:error:key" });
  await page.delivery.deliver(event("a"));
  relay.answer(200);
  assert.equal((await page.delivery.deliver(event("b"))).statusCode, 202);
  await Promise.all([1, 2, 3].map(() => page.delivery.deliver(log())));
  await until("only the errors wait", () => page.waiting === 2);
  assert.ok(relay.accepted.every((body) => body.includes('"log"')));
});

test("limit has ended, probe fails → another one probes after the failure's wait", async (relay) => {
  let skippedMs = 0;
  const page = openPage(relay, createMemoryStore(), { now: () => Date.now() + skippedMs });
  relay.answer(429, { "Retry-After": "60" });
  await page.delivery.deliver(event("a"));
  await Promise.all(["b", "c"].map((id) => page.delivery.deliver(event(id))));
  relay.answer(503);
  skippedMs = 60_000;
  page.delivery.retryNow();
  await until("one has probed", () => relay.posts.length === 2);
  relay.answer(200);
  await until("all arrived", () => page.waiting === 0);
  assert.equal(relay.posts.length, 5);
});
