/** Envelopes that the store refuses: the journal lets the next page send or count them. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { Journal } from "./journal.ts";
import type { Loss } from "./journal_entry.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, openPage, recover, rejectFull, test, text } from "./testdata/page_with_relay.ts";
import { replaceLocks } from "./testdata/web_locks.ts";

/** Numbers of entries and of losses in the journal. */
const journaled = () => [
  sessionStorage.length,
  Object.values(sessionStorage).flatMap((entry) => JSON.parse(entry)[1] as Loss[])
    .reduce((sum, { quantity }) => sum + quantity, 0),
];

test("store refuses an envelope → journal entry until it is accepted", async (relay) => {
  const store = { ...createMemoryStore(), put: rejectFull };
  const page = openPage(relay, store, { journal: new Journal(sessionStorage) });
  relay.answer(503);
  await page.delivery.deliver(event("a"));
  // It was sent, so it may have arrived: the next page sends it again.
  assert.deepEqual(journaled(), [1, 0]);
  void page.delivery.deliver(event("b"));
  await until("both wait", () => page.waiting === 2);
  // Not sent yet: the next page counts it.
  assert.deepEqual(journaled(), [2, 1]);
  await recover(relay, page);
  assert.equal(sessionStorage.length, 0);
  assert.deepEqual(relay.accepted.toSorted(), ["a", "b"].map((id) => text(event(id))));
  assert.equal(page.receiptOf("a")?.storedMs, undefined);
});

test("store refuses an envelope that is dropped → journal entry of one loss", async (relay) => {
  const counting = Promise.withResolvers<void>();
  const store = { ...createMemoryStore(), put: rejectFull, count: () => counting.promise };
  const page = openPage(relay, store, {
    journal: new Journal(sessionStorage),
    quota: { count: 1, bytes: 1_000_000 },
  });
  relay.answer(503);
  await page.delivery.deliver(event("a"));
  void page.delivery.deliver(event("b"));
  await until("one is dropped", () => page.dropped === 1);
  // One as the loss, one as not sent yet.
  assert.deepEqual(journaled(), [2, 2]);
  counting.resolve();
  await recover(relay, page);
  await until("the journal is empty", () => sessionStorage.length === 0);
});

test("store refuses a client report → journal entry with its bytes", async (relay) => {
  const full = { put: rejectFull, count: rejectFull, report: rejectFull };
  const store = { ...createMemoryStore(), ...full };
  const page = openPage(relay, store, { journal: new Journal(sessionStorage) });
  relay.answer(503);
  await until("it has read the store", () => page.isLoaded);
  page.delivery.countLosses([{ reason: "queue_overflow", category: "error", quantity: 3 }]);
  page.delivery.retryNow();
  await until("the report has been sent", () => relay.posts.length > 0);
  assert.equal(sessionStorage.length, 1);
  assert.match(sessionStorage.getItem(sessionStorage.key(0)!)!, /client_report/);
});

test("lock of an ending page is still held → its envelope is sent once it is free", async (relay) => {
  const bytes = event("a");
  const meta = { id: "a", createdAt: Date.now(), bytes: bytes.length, items: [], attempts: 0 };
  {
    using _withoutLocks = replaceLocks(undefined);
    new Journal(sessionStorage).add("a", [], { meta, bytes });
  }
  const [lock] = JSON.parse(Object.values(sessionStorage)[0]);
  const ended = Promise.withResolvers<void>();
  const released = navigator.locks.request(`envelope:${lock}`, () => ended.promise);

  const page = openPage(relay, createMemoryStore(), { journal: new Journal(sessionStorage) });
  await until("it has read the store", () => page.isLoaded);
  assert.deepEqual([relay.posts.length, sessionStorage.length], [0, 1]);
  ended.resolve();
  await released;
  await until("the envelope is sent", () => relay.posts.length === 1);
  await until("its entry is deleted", () => sessionStorage.length === 0);
});
