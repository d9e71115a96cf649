/** Which envelopes are sent when, and what ends them. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import { describeEnvelope } from "./envelope.ts";
import { type EnvelopeStore, openEnvelopeStore } from "./envelope_store.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import {
  event,
  openPage,
  rejectFull,
  segment,
  text,
  withRelay,
} from "./testdata/page_with_relay.ts";

Deno.test(
  "accepted → deleted, and the receipt has status and outcome",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    const page = openPage(relay, store);
    relay.respond = () => new Response("{}", { headers: { "X-Relay-Outcome": "stored" } });
    const answer = await page.delivery.deliver(event("a"));
    assert.equal(answer.statusCode, 200);
    await until("waiting is 0", () => page.waiting === 0);
    assert.deepEqual(await store.list(), []);
    const receipt = page.receiptOf("a");
    assert.deepEqual([receipt?.status, receipt?.outcome, receipt?.attempts], [200, "stored", 1]);
    const { storedMs = -1, sentMs = -1, tookMs = -1 } = receipt ?? {};
    assert.ok(0 <= storedMs && storedMs <= sentMs && sentMs <= tookMs, `${storedMs}, ${sentMs}`);
    assert.equal(page.delivery.lastCreatedAt, receipt?.at);
  }),
);

Deno.test(
  "500, then 200 → all arrive, byte for byte",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    relay.respond = () =>
      new Response("{}", { status: 500, headers: { "X-Sentry-Error": "down" } });
    const answers = await Promise.all(
      ["a", "b", "c"].map((id) => page.delivery.deliver(event(id))),
    );
    assert.deepEqual(answers.map(({ statusCode }) => statusCode), [202, 202, 202]);
    assert.equal(page.waiting, 3);
    assert.ok(
      page.receipts.some(({ status, error }) => status === 500 && error === "down"),
    );
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("all arrived", () => page.waiting === 0);
    assert.deepEqual(relay.accepted.toSorted(), ["a", "b", "c"].map((id) => text(event(id))));
  }),
);

Deno.test(
  "503 → sent again after a wait",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    relay.respond = () => new Response("{}");
    await until("it arrived", () => page.waiting === 0);
    assert.equal(page.receiptOf("a")?.attempts, 2);
  }),
);

Deno.test(
  "all requests fail → one request at a time",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    relay.respond = () => new Response("{}", { status: 500 });
    await Promise.all(Array.from({ length: 50 }, (_, i) => page.delivery.deliver(event(`e${i}`))));
    assert.ok(relay.posts.length <= 8, `${relay.posts.length} posts`);
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("all arrived", () => page.waiting === 0);
    assert.equal(new Set(relay.accepted).size, 50);
  }),
);

Deno.test(
  "final refusal → deleted, and the receipt has the reason",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    const page = openPage(relay, store);
    relay.respond = () =>
      new Response("{}", {
        status: 403,
        headers: { "X-Relay-Outcome": "rejected", "X-Sentry-Error": "wrong key" },
      });
    assert.equal((await page.delivery.deliver(event("a"))).statusCode, 403);
    await until("waiting is 0", () => page.waiting === 0);
    assert.deepEqual(await store.list(), []);
    const receipt = page.receiptOf("a");
    assert.deepEqual([receipt?.status, receipt?.outcome, receipt?.error], [
      403,
      "rejected",
      "wrong key",
    ]);
  }),
);

Deno.test(
  "429 for all its categories → sent again when the limit ends",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    relay.respond = () =>
      new Response("{}", { status: 429, headers: { "X-Sentry-Rate-Limits": "1:error:key" } });
    const answer = await page.delivery.deliver(event("a"));
    assert.equal(answer.statusCode, 429);
    assert.equal(answer.headers?.["x-sentry-rate-limits"], "1:error:key");
    assert.ok((page.delivery.limits.error ?? 0) > Date.now());
    const receipt = page.receiptOf("a");
    assert.match(receipt?.error ?? "", /^rate limited, sent again/);
    // Without an outcome, because it is not final.
    assert.deepEqual([receipt?.status, receipt?.outcome], [429, undefined]);
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    assert.equal(relay.posts.length, 1);
    await until("the limit has ended", () => page.waiting === 0);
    assert.equal(relay.accepted.length, 1);
  }),
);

Deno.test(
  "429 for other categories → not sent again",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    relay.respond = () =>
      new Response("{}", { status: 429, headers: { "X-Sentry-Rate-Limits": "60:replay:key" } });
    await page.delivery.deliver(event("a"));
    await until("it has ended", () => page.waiting === 0);
    assert.equal(page.receiptOf("a")?.outcome, "rate_limited");
  }),
);

Deno.test(
  "first segment of a recording fails → segments arrive in order",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    let count = 0;
    relay.respond = async () => {
      // The first is slow and then fails.
      if (count++ > 0) return new Response("{}");
      await new Promise((resolve) => setTimeout(resolve, 30));
      return new Response("{}", { status: 500 });
    };
    await Promise.all([0, 1, 2, 3].map((number) => page.delivery.deliver(segment(number))));
    page.delivery.retryNow();
    await until("all arrived", () => relay.accepted.length === 4);
    assert.deepEqual(relay.accepted, [0, 1, 2, 3].map((number) => text(segment(number))));
  }),
);

Deno.test(
  "burst of 500 → each arrives once",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    await Promise.all(Array.from({ length: 500 }, (_, i) => page.delivery.deliver(event(`e${i}`))));
    assert.equal(relay.posts.length, 500);
    assert.equal(new Set(relay.accepted).size, 500);
  }),
);

Deno.test(
  "store full → delivered from memory",
  withRelay(async (relay) => {
    const full: EnvelopeStore = {
      ...createMemoryStore(),
      put: rejectFull,
    };
    const page = openPage(relay, full);
    relay.respond = () => new Response("{}", { status: 500 });
    await page.delivery.deliver(event("a"));
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("it arrived", () => page.waiting === 0);
    assert.deepEqual(relay.accepted, [text(event("a"))]);
    assert.equal(page.receiptOf("a")?.storedMs, undefined);
  }),
);

Deno.test(
  "segment or page hidden → uncompressed; else gzip, also after a failure",
  withRelay(async (relay) => {
    const page = openPage(relay, createMemoryStore());
    await page.delivery.deliver(segment(1));
    await page.delivery.deliver(event("a"));
    relay.respond = () => new Response("{}", { status: 500 });
    await page.delivery.deliver(event("b"));
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until("all arrived", () => page.waiting === 0);
    const sent = page.delivery.deliver(event("c"));
    page.delivery.flush();
    await sent;
    assert.deepEqual(relay.compressed, ["a", "b", "b"].map((id) => text(event(id))));
    assert.deepEqual(relay.accepted, [
      text(segment(1)),
      ...["a", "b", "c"].map((id) => text(event(id))),
    ]);
  }),
);

Deno.test(
  "page hidden, store does not respond → sent",
  withRelay(async (relay) => {
    const never: EnvelopeStore = { ...createMemoryStore(), put: () => new Promise(() => {}) };
    const page = openPage(relay, never);
    page.delivery.flush();
    void page.delivery.deliver(event("a"));
    await until("it was sent", () => relay.accepted.length === 1);
  }),
);

Deno.test(
  "too old and cannot be deleted → others are delivered",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    const meta = { id: "x", createdAt: 1, bytes: 3, items: [], attempts: 0 };
    await store.put({ meta, bytes: event("a") });
    const page = openPage(relay, { ...store, drop: () => Promise.reject(new Error("closed")) });
    await page.delivery.deliver(event("b"));
    assert.deepEqual(relay.accepted, [text(event("b"))]);
  }),
);

Deno.test(
  "store is read while an envelope is deleted → the others are loaded",
  withRelay(async (relay) => {
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
    await page.delivery.deliver(event("a"));
    await until("one is deleted meanwhile", () => page.waiting === 0);
    listed.resolve();
    await until("the other arrived", () => relay.accepted.includes(text(event("left"))));
  }),
);

Deno.test(
  "clock set back → segments arrive in order",
  withRelay(async (relay) => {
    const clock = { now: 1_000_000_000_000 };
    const now = () => clock.now;
    const store = createMemoryStore();
    relay.respond = () => new Response("{}", { status: 503 });
    const page = openPage(relay, store, { now });
    await page.delivery.deliver(segment(0));
    clock.now -= 3600_000;
    await page.delivery.deliver(segment(1));
    await page.delivery.deliver(segment(2));
    relay.respond = () => new Response("{}");
    openPage(relay, store, { now });
    await until("all arrived", () => relay.accepted.length === 3);
    assert.deepEqual(relay.accepted, [0, 1, 2].map((number) => text(segment(number))));
  }),
);

Deno.test(
  "store opened or refused → onStored reports which",
  withRelay(async (relay) => {
    const lasting = openPage(relay, createMemoryStore());
    await lasting.delivery.deliver(event("a"));
    assert.equal(lasting.isStored, true);
    const refused = openPage(relay, await openEnvelopeStore());
    await refused.delivery.deliver(event("b"));
    assert.equal(refused.isStored, false);
  }),
);
