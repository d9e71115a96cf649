/** What is sent while the relay or the ingest answers 429. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, log, openPage, recover, test } from "./testdata/page_with_relay.ts";

/** What a page sends before the first response arrives. */
const IN_FLIGHT = 4;

test("300 wait, Retry-After: 1 → one probes after the backoff, then all arrive", async (relay) => {
  let skippedMs = 0;
  const page = openPage(relay, createMemoryStore(), { now: () => Date.now() + skippedMs });
  let refusedAt = 0;
  relay.respond = async () => {
    await until("all are under way", () => relay.posts.length >= IN_FLIGHT);
    refusedAt ||= performance.now();
    return new Response("{}", { status: 429, headers: { "Retry-After": "1" } });
  };
  for (let i = 0; i < 300; i++) void page.delivery.deliver(event(`e${i}`));
  await until("one has probed", () => relay.posts.length > IN_FLIGHT);
  const waitMs = performance.now() - refusedAt;
  assert.ok(waitMs >= 1_400, `wait of ${waitMs} ms`);
  assert.equal(relay.posts.length, IN_FLIGHT + 1);
  skippedMs = 3_600_000;
  await recover(relay, page);
  assert.equal(new Set(relay.accepted).size, 300);
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
