/** Envelopes that are given up: in the receipts, and in a client report to the ingest. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import {
  event,
  openPage,
  rejectFull,
  reportedLosses,
  segment,
  text,
  withRelay,
} from "./testdata/page_with_relay.ts";

const logs = (count: number) =>
  new TextEncoder().encode(`{}\n{"type":"log","item_count":${count}}\n{"items":[]}`);

const LIMIT_OF_ONE = { count: 1, bytes: 1_000_000 };

Deno.test(
  "storage quota reached → a recording is dropped, and its receipt says so",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    const page = openPage(relay, store, { quota: { count: 2, bytes: 1_000_000 } });
    relay.respond = () => new Response("{}", { status: 500 });
    await page.delivery.deliver(event("a"));
    void page.delivery.deliver(segment(1));
    await page.delivery.deliver(event("b"));
    await until("it is dropped", () => page.receiptOf("replay")?.outcome === "dropped");
    assert.equal(page.waiting, 2);
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("the rest has arrived", () => page.waiting === 0);
  }),
);

Deno.test(
  "too old → dropped, with a receipt and a client report",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    const meta = {
      id: "x",
      createdAt: 1,
      bytes: 3,
      items: [{ type: "event", bytes: 2 }],
      attempts: 0,
    };
    await store.put({ meta, bytes: event("a") });
    const page = openPage(relay, store);
    await until("the report arrived", () => relay.accepted.length === 1);
    assert.equal(page.receiptOf("x")?.outcome, "dropped");
    assert.deepEqual(reportedLosses(relay), { "network_error:error": 1 });
    await until("waiting is 0", () => page.waiting === 0);
    assert.deepEqual(await store.list(), []);
  }),
);

Deno.test(
  "too old while the tab stays open → dropped",
  withRelay(async (relay) => {
    const clock = { now: Date.now() };
    const page = openPage(relay, createMemoryStore(), { now: () => clock.now });
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    clock.now += 8 * 24 * 3600_000;
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("it is dropped", () => page.receiptOf("a")?.outcome === "dropped");
  }),
);

Deno.test(
  "dropped for the storage quota → reported after the outage, each log counted",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore(), {
      quota: { count: 2, bytes: 1_000_000 },
    });
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    for (const bytes of [segment(1), logs(7), event("b")]) void page.delivery.deliver(bytes);
    await until("two are dropped", () => page.waiting === 2 && page.dropped === 2);
    assert.deepEqual(reportedLosses(relay), {});
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("the report arrived", () => Object.keys(reportedLosses(relay)).length > 0);
    await until("all arrived", () => page.waiting === 0);
    assert.deepEqual(reportedLosses(relay), {
      "queue_overflow:replay": 1,
      "queue_overflow:log_item": 7,
    });
    assert.deepEqual(
      relay.accepted.filter((body) => !body.includes("client_report")).toSorted(),
      [text(event("a")), text(event("b"))],
    );
  }),
);

Deno.test(
  "stored envelopes over the limit of the next page → in its first report",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    relay.respond = () => new Response("{}", { status: 503 });
    const before = openPage(relay, store);
    for (const id of ["a", "b", "c"]) await before.delivery.deliver(event(id));
    relay.respond = () => new Response("{}");
    openPage(relay, store, { quota: LIMIT_OF_ONE });
    await until("the report arrived", () => Object.keys(reportedLosses(relay)).length > 0);
    assert.deepEqual(reportedLosses(relay), { "queue_overflow:error": 2 });
  }),
);

Deno.test(
  "dropped without an outage → reported by the same page",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore(), {
      quota: LIMIT_OF_ONE,
    });
    const answered = Promise.withResolvers<void>();
    relay.respond = () => answered.promise.then(() => new Response("{}"));
    void page.delivery.deliver(segment(1));
    await until("the first is being sent", () => relay.posts.length === 1);
    void page.delivery.deliver(segment(2));
    await until("the second is given up", () => page.dropped === 1);
    answered.resolve();
    await until("the report arrived", () => Object.keys(reportedLosses(relay)).length > 0);
    assert.deepEqual(reportedLosses(relay), { "queue_overflow:replay": 1 });
  }),
);

Deno.test(
  "envelope refused → counted as lost; client report refused → not counted",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    relay.respond = () => new Response("{}", { status: 413 });
    await page.delivery.deliver(event("a"));
    page.delivery.flush();
    await until("the report is refused too", () => relay.posts.length === 2 && page.waiting === 0);
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await page.delivery.deliver(event("b"));
    page.delivery.flush();
    await page.delivery.deliver(event("c"));
    assert.deepEqual(relay.accepted, [text(event("b")), text(event("c"))]);
    assert.match(relay.posts[1] ?? "", /"reason":"send_error","category":"error","quantity":1/);
  }),
);

Deno.test(
  "page ended before its report → the next page reports its losses",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    relay.respond = () => new Response("{}", { status: 503 });
    const before = openPage(relay, store, { quota: LIMIT_OF_ONE });
    await before.delivery.deliver(event("a"));
    void before.delivery.deliver(event("b"));
    await until("one is dropped", () => before.dropped === 1);
    relay.respond = () => new Response("{}");
    const after = openPage(relay, store);
    await until(
      "the next page has reported it",
      () => Object.keys(reportedLosses(relay)).length > 0,
    );
    assert.deepEqual(reportedLosses(relay), { "queue_overflow:error": 1 });
    await until("and delivered the rest", () => after.waiting === 0);
  }),
);

Deno.test(
  "disk full → losses are counted in memory and reported",
  withRelay(async (relay) => {
    const full = { put: rejectFull, count: rejectFull, drop: rejectFull, report: rejectFull };
    const store = { ...createMemoryStore(), ...full };
    const page = openPage(relay, store, { quota: LIMIT_OF_ONE });
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    void page.delivery.deliver(event("b"));
    await until("one is dropped", () => page.dropped === 1);
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("the report arrived", () => Object.keys(reportedLosses(relay)).length > 0);
    assert.deepEqual(reportedLosses(relay), { "queue_overflow:error": 1 });
  }),
);
