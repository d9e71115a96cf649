/** Envelopes that the store refuses: the journal lets the next page send or count them. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { Journal } from "./journal.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, openPage, rejectFull, test } from "./testdata/page_with_relay.ts";
import { replaceLocks } from "./testdata/web_locks.ts";

test("store refuses a client report → journal entry with its bytes", async (relay) => {
  const full = { put: rejectFull, count: rejectFull, report: rejectFull };
  const store = { ...createMemoryStore(), ...full };
  const page = openPage(relay, store, { journal: new Journal(sessionStorage) });
  relay.answer(503);
  await until("it has read the store", () => page.isLoaded);
  page.delivery.countDiscarded([{ reason: "queue_overflow", category: "error", quantity: 3 }]);
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
