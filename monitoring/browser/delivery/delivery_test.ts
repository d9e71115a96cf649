/** Which envelopes are sent when, and what ends them. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { describeEnvelope } from "./envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, openPage, recover, segment, test, text } from "./testdata/page_with_relay.ts";

const bodies = (...ids: readonly string[]) => ids.map((id) => text(event(id)));

const FINAL = [
  ["accepted", 200, { "X-Relay-Outcome": "stored" }, "stored", undefined],
  [
    "refused",
    403,
    { "X-Relay-Outcome": "rejected", "X-Sentry-Error": "wrong key" },
    "rejected",
    "wrong key",
  ],
  [
    "429 for other categories",
    429,
    { "X-Sentry-Rate-Limits": "60:replay:key" },
    "rate_limited",
    undefined,
  ],
] as const;
for (const [what, status, headers, outcome, error] of FINAL) {
  test(`${what} → deleted, and the receipt has status, outcome, reason and times`, async (relay) => {
    const store = createMemoryStore();
    const page = openPage(relay, store);
    relay.answer(status, headers);
    const takenAt = await page.deliver(event("a"));
    await until("waiting is 0", () => page.waiting === 0);
    assert.deepEqual(await store.list(), []);
    const receipt = page.receiptOf("a")!;
    assert.deepEqual(
      [receipt.status, receipt.outcome, receipt.error, receipt.attempts],
      [status, outcome, error, 1],
    );
    const { storedMs = -1, sentMs = -1, tookMs } = receipt;
    assert.ok(0 <= storedMs && storedMs <= sentMs && sentMs <= tookMs, `${storedMs}, ${sentMs}`);
    assert.equal(takenAt, receipt.at);
  });
}

test("all requests fail → stored, one request at a time; then all arrive, byte for byte", async (relay) => {
  const page = openPage(relay, createMemoryStore());
  relay.answer(500, { "X-Sentry-Error": "down" });
  const ids = Array.from({ length: 50 }, (_, i) => `e${i}`);
  for (const id of ids) page.delivery.deliver(event(id));
  await until("requests have failed", () => page.receipts.some(({ status }) => status === 500));
  assert.equal(page.waiting, 50);
  assert.ok(relay.posts.length <= 8, `${relay.posts.length} posts`);
  assert.ok(page.receipts.some(({ status, error }) => status === 500 && error === "down"));
  await recover(relay, page);
  assert.deepEqual(relay.accepted.toSorted(), bodies(...ids).toSorted());
});

test("first segment of a recording fails → segments arrive in order", async (relay) => {
  const page = openPage(relay, createMemoryStore());
  const first = Promise.withResolvers<Response>();
  relay.respond = () => first.promise;
  for (const n of [0, 1, 2, 3]) page.delivery.deliver(segment(n));
  await until("the first is being sent", () => relay.posts.length === 1);
  relay.answer(200);
  first.resolve(new Response("{}", { status: 500 }));
  await until("all arrived", () => {
    // Again, because the lock of the failed request may not be free yet.
    page.delivery.retryNow();
    return relay.accepted.length === 4;
  });
  assert.deepEqual(relay.accepted, [0, 1, 2, 3].map((n) => text(segment(n))));
});

test("segment or page hidden → uncompressed; else gzip, also after a failure", async (relay) => {
  const page = openPage(relay, createMemoryStore());
  await page.deliver(segment(1));
  await page.deliver(event("a"));
  relay.answer(500);
  await page.deliver(event("b"));
  await recover(relay, page);
  const sent = page.deliver(event("c"));
  page.delivery.flush();
  await sent;
  assert.deepEqual(relay.compressed, bodies("a", "b", "b"));
  assert.deepEqual(relay.accepted, [text(segment(1)), ...bodies("a", "b", "c")]);
});

test("page hidden, store does not respond → sent", async (relay) => {
  const never: EnvelopeStore = { ...createMemoryStore(), put: () => new Promise(() => {}) };
  const page = openPage(relay, never);
  page.delivery.flush();
  page.delivery.deliver(event("a"));
  await until("it was sent", () => relay.accepted.length === 1);
});

test("too old and cannot be deleted → others are delivered", async (relay) => {
  const store = createMemoryStore();
  const meta = { id: "x", createdAt: 1, bytes: 3, items: [], attempts: 0 };
  await store.put({ meta, bytes: event("a") });
  const page = openPage(relay, { ...store, drop: () => Promise.reject(new Error("closed")) });
  await page.deliver(event("b"));
  assert.deepEqual(relay.accepted, bodies("b"));
});

test("store is read while an envelope is deleted → the others are loaded", async (relay) => {
  const store = createMemoryStore();
  const listed = Promise.withResolvers<void>();
  let lists = 0;
  const page = openPage(relay, {
    ...store,
    async list() {
      // The second time another tab has added an envelope, and the result takes a while.
      if (++lists !== 2) return await store.list();
      const bytes = event("left");
      await store.put({ meta: describeEnvelope(bytes, "left", Date.now()), bytes });
      const metas = await store.list();
      await listed.promise;
      return metas;
    },
  });
  await until("it reads the store again", () => lists === 2);
  await page.deliver(event("a"));
  await until("one is deleted meanwhile", () => page.waiting === 0);
  listed.resolve();
  await until("the other arrived", () => relay.accepted.includes(text(event("left"))));
});

test("clock set back → segments arrive in order", async (relay) => {
  const clock = { now: 1_000_000_000_000 };
  const now = () => clock.now;
  const store = createMemoryStore();
  relay.answer(503);
  const page = openPage(relay, store, { now });
  await page.deliver(segment(0));
  clock.now -= 3600_000;
  page.delivery.deliver(segment(1));
  page.delivery.deliver(segment(2));
  relay.answer(200);
  openPage(relay, store, { now });
  await until("all arrived", () => relay.accepted.length === 3);
  assert.deepEqual(relay.accepted, [0, 1, 2].map((number) => text(segment(number))));
});
