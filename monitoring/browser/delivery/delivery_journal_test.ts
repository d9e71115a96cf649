/** Envelopes that the store refuses: the journal lets the next page send or count them. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { Journal } from "./journal.ts";
import type { Loss } from "./journal_entry.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, openPage, rejectFull, withRelay } from "./testdata/page_with_relay.ts";

/** Number of losses in the journal. */
const journaledLosses = () =>
  Object.values(sessionStorage).flatMap((entry) => JSON.parse(entry)[1] as Loss[])
    .reduce((sum, { quantity }) => sum + quantity, 0);

Deno.test(
  "store refuses an envelope → journal entry until it is accepted",
  withRelay(async (relay) => {
    sessionStorage.clear();
    const page = openPage(relay, { ...createMemoryStore(), put: rejectFull }, {
      journal: new Journal(sessionStorage),
    });
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    // It was sent, so it may have arrived: the next page sends it again.
    assert.deepEqual([sessionStorage.length, journaledLosses()], [1, 0]);
    void page.delivery.deliver(event("b"));
    await until("both wait", () => page.waiting === 2);
    // Not sent yet: the next page counts it.
    assert.deepEqual([sessionStorage.length, journaledLosses()], [2, 1]);
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("both are accepted", () => page.waiting === 0);
    assert.equal(sessionStorage.length, 0);
  }),
);

Deno.test(
  "store refuses an envelope that is dropped → journal entry of one loss",
  withRelay(async (relay) => {
    sessionStorage.clear();
    const counting = Promise.withResolvers<void>();
    const store = {
      ...createMemoryStore(),
      put: rejectFull,
      count: () => counting.promise,
    };
    const page = openPage(relay, store, {
      journal: new Journal(sessionStorage),
      quota: { count: 1, bytes: 1_000_000 },
    });
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    void page.delivery.deliver(event("b"));
    await until("one is dropped", () => page.dropped === 1);
    // One as the loss, one as not sent yet.
    assert.deepEqual([sessionStorage.length, journaledLosses()], [2, 2]);
    counting.resolve();
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("the journal is empty", () => page.waiting === 0 && sessionStorage.length === 0);
  }),
);

Deno.test(
  "store refuses a client report → journal entry with its bytes",
  withRelay(async (relay) => {
    sessionStorage.clear();
    const full = { put: rejectFull, count: rejectFull, report: rejectFull };
    const page = openPage(relay, { ...createMemoryStore(), ...full }, {
      journal: new Journal(sessionStorage),
    });
    relay.respond = () => new Response("{}", { status: 503 });
    await until("it has read the store", () => page.isLoaded);
    page.delivery.countLosses([{ reason: "queue_overflow", category: "error", quantity: 3 }]);
    page.delivery.retryNow();
    await until("the report has been sent", () => relay.posts.length > 0);
    assert.equal(sessionStorage.length, 1);
    assert.match(sessionStorage.getItem(sessionStorage.key(0)!)!, /client_report/);
  }),
);

Deno.test(
  "lock of an ending page is still held → its envelope is sent once it is free",
  withRelay(async (relay) => {
    sessionStorage.clear();
    const bytes = event("a");
    const meta = { id: "a", createdAt: Date.now(), bytes: bytes.length, items: [], attempts: 0 };
    const { locks } = navigator;
    Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
    new Journal(sessionStorage).add("a", [], { meta, bytes });
    Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
    const [lock] = JSON.parse(Object.values(sessionStorage)[0]);
    const ended = Promise.withResolvers<void>();
    const released = locks.request(`envelope:${lock}`, () => ended.promise);

    const page = openPage(relay, createMemoryStore(), { journal: new Journal(sessionStorage) });
    await until("it has read the store", () => page.isLoaded);
    assert.deepEqual([relay.posts.length, sessionStorage.length], [0, 1]);
    ended.resolve();
    await released;
    await until("the envelope is sent", () => relay.posts.length === 1);
    await until("its entry is deleted", () => sessionStorage.length === 0);
  }),
);
