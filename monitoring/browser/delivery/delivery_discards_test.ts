/** Envelopes that are given up: in the receipts, and in a client report to the ingest. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import {
  event,
  log,
  openPage,
  recover,
  rejectFull,
  reportedDiscarded,
  segment,
  test,
  text,
} from "./testdata/page_with_relay.ts";

const LIMIT_OF_ONE = { count: 1, bytes: 1_000_000 };

test("too old → dropped, with a receipt and a client report", async (relay) => {
  const store = createMemoryStore();
  const items = [{ type: "event", bytes: 2 }];
  const meta = { id: "x", createdAt: 1, bytes: 3, items, attempts: 0 };
  await store.put({ meta, bytes: event("a") });
  const page = openPage(relay, store);
  assert.deepEqual(await reportedDiscarded(relay), { "network_error:error": 1 });
  assert.equal(page.receiptOf("x")?.outcome, "dropped");
  await until("waiting is 0", () => page.waiting === 0);
  assert.deepEqual(await store.list(), []);
});

test("too old while the tab stays open → dropped", async (relay) => {
  const clock = { now: Date.now() };
  const page = openPage(relay, createMemoryStore(), { now: () => clock.now });
  relay.answer(503);
  await page.deliver(event("a"));
  clock.now += 8 * 24 * 3600_000;
  relay.answer(200);
  page.delivery.retryNow();
  await until("it is dropped", () => page.receiptOf("a")?.outcome === "dropped");
});

test("dropped for the storage quota → reported after the outage, each log counted", async (relay) => {
  const quota = { count: 2, bytes: 1_000_000 };
  const page = openPage(relay, createMemoryStore(), { quota });
  relay.answer(503);
  await page.deliver(event("a"));
  for (const bytes of [segment(1), log(7), event("b")]) page.delivery.deliver(bytes);
  await until("two are dropped", () => page.waiting === 2 && page.dropped === 2);
  assert.equal(page.receiptOf("replay")?.outcome, "dropped");
  assert.equal(relay.accepted.length, 0);
  await recover(relay, page);
  assert.deepEqual(await reportedDiscarded(relay), {
    "queue_overflow:replay": 1,
    "queue_overflow:log_item": 7,
  });
  assert.deepEqual(
    relay.accepted.filter((body) => !body.includes("client_report")).toSorted(),
    [text(event("a")), text(event("b"))],
  );
});

test("stored envelopes over the limit of the next page → in its first report", async (relay) => {
  const store = createMemoryStore();
  relay.answer(503);
  const before = openPage(relay, store);
  await before.deliver(event("a"));
  for (const id of ["b", "c"]) before.delivery.deliver(event(id));
  relay.answer(200);
  openPage(relay, store, { quota: LIMIT_OF_ONE });
  assert.deepEqual(await reportedDiscarded(relay), { "queue_overflow:error": 2 });
});

test("dropped without an outage → reported by the same page", async (relay) => {
  const page = openPage(relay, createMemoryStore(), { quota: LIMIT_OF_ONE });
  const answered = Promise.withResolvers<void>();
  relay.respond = () => answered.promise.then(() => new Response("{}"));
  page.delivery.deliver(segment(1));
  await until("the first is being sent", () => relay.posts.length === 1);
  page.delivery.deliver(segment(2));
  await until("the second is given up", () => page.dropped === 1);
  answered.resolve();
  assert.deepEqual(await reportedDiscarded(relay), { "queue_overflow:replay": 1 });
});

test("envelope refused → counted as lost; client report refused → not counted", async (relay) => {
  const page = openPage(relay, createMemoryStore());
  relay.answer(413);
  await page.deliver(event("a"));
  page.delivery.flush();
  await until("the report is refused too", () => relay.posts.length === 2 && page.waiting === 0);
  relay.answer(200);
  page.delivery.retryNow();
  await page.deliver(event("b"));
  page.delivery.flush();
  await page.deliver(event("c"));
  assert.deepEqual(relay.accepted, [text(event("b")), text(event("c"))]);
  assert.match(relay.posts[1] ?? "", /"reason":"send_error","category":"error","quantity":1/);
});

test("disk full → discarded events are counted in memory and reported", async (relay) => {
  const full = { put: rejectFull, count: rejectFull, drop: rejectFull, report: rejectFull };
  const page = openPage(relay, { ...createMemoryStore(), ...full }, { quota: LIMIT_OF_ONE });
  relay.answer(503);
  await page.deliver(event("a"));
  page.delivery.deliver(event("b"));
  await until("one is dropped", () => page.dropped === 1);
  await recover(relay, page);
  assert.deepEqual(await reportedDiscarded(relay), { "queue_overflow:error": 1 });
});
