/** What is sent while the relay or the ingest answers 429. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, log, openPage, test } from "./testdata/page_with_relay.ts";

test("429 for errors → logs are sent, errors wait", async (relay) => {
  const page = openPage(relay, createMemoryStore());
  relay.answer(429, { "X-Sentry-Rate-Limits": "60:error:key" });
  await page.deliver(event("a"));
  relay.answer(200);
  page.delivery.deliver(event("b"));
  for (let i = 0; i < 3; i++) page.delivery.deliver(log());
  await until("only the errors wait", () => page.waiting === 2);
  assert.ok(relay.accepted.every((body) => body.includes('"log"')));
});

test("limit has ended, probe fails → another one probes after the failure's wait", async (relay) => {
  let skippedMs = 0;
  const page = openPage(relay, createMemoryStore(), { now: () => Date.now() + skippedMs });
  relay.answer(429, { "Retry-After": "60" });
  await page.deliver(event("a"));
  for (const id of ["b", "c"]) page.delivery.deliver(event(id));
  relay.answer(503);
  skippedMs = 60_000;
  page.delivery.retryNow();
  await until("one has probed", () => relay.posts.length === 2);
  relay.answer(200);
  await until("all arrived", () => page.waiting === 0);
  assert.equal(relay.posts.length, 5);
});
