/** Several tabs, or a page and its successor, with one store. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, openPage, text, withRelay } from "./testdata/page_with_relay.ts";

/** Web Locks that the pages of a test share. */
function sharedLocks(): Disposable {
  const held = new Set<string>();
  const locks = {
    async request(name: string, _options: unknown, work: (lock: object | null) => unknown) {
      if (held.has(name)) return work(null);
      held.add(name);
      return await Promise.resolve(work({})).finally(() => held.delete(name));
    },
  };
  const before = Object.getOwnPropertyDescriptor(navigator, "locks");
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  return {
    [Symbol.dispose]() {
      if (before) Object.defineProperty(navigator, "locks", before);
      else Reflect.deleteProperty(navigator, "locks");
    },
  };
}

Deno.test(
  "page ended before delivery → the next page delivers",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    relay.respond = () => new Response("{}", { status: 500 });
    const before = openPage(relay, store);
    await before.delivery.deliver(event("a"));
    await until("the first page has sent it", () => relay.posts.length > 0);
    // The first page's timer will find nothing.
    relay.respond = () => new Response("{}");
    const after = openPage(relay, store);
    await until(
      "the second page has delivered",
      () => relay.accepted.length > 0 && after.waiting === 0,
    );
    assert.deepEqual(await store.list(), []);
    before.delivery.retryNow();
    await until("the first page has noticed", () => before.waiting === 0);
  }),
);

Deno.test(
  "flush while the page is hidden → the next tab does not send the same envelope",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    const left = openPage(relay, store);
    const answered = Promise.withResolvers<Response>();
    relay.respond = () => answered.promise;
    using _locks = sharedLocks();
    left.delivery.flush();
    void left.delivery.deliver(event("a"));
    await until("it was sent", () => relay.posts.length === 1);
    const shown = openPage(relay, store);
    await until("the other tab has loaded it", () => shown.waiting === 1);
    shown.delivery.retryNow();
    // A turn in which the other tab could send.
    await new Promise((resolve) => setTimeout(resolve));
    answered.resolve(new Response("{}"));
    await until("it arrived", () => left.waiting === 0);
    assert.deepEqual(relay.posts, [text(event("a"))]);
  }),
);

Deno.test(
  "another tab is sending → not dropped",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    const answered = Promise.withResolvers<Response>();
    relay.respond = () => answered.promise;
    using _locks = sharedLocks();
    const sending = openPage(relay, store);
    void sending.delivery.deliver(event("a"));
    await until("it is being sent", () => relay.posts.length === 1);
    const other = openPage(relay, store, { quota: { count: 0, bytes: 0 } });
    await until("the other page has read the store", () => other.isLoaded && other.waiting === 0);
    answered.resolve(new Response("{}"));
    await until("it arrived", () => sending.waiting === 0);
    assert.equal(other.dropped, 0);
    assert.deepEqual(relay.accepted, [text(event("a"))]);
  }),
);

Deno.test(
  "accepted → deleted before its lock is released",
  withRelay(async (relay) => {
    const store = createMemoryStore();
    const deleting = Promise.withResolvers<void>();
    const slow: EnvelopeStore = {
      ...store,
      delete: (id) => deleting.promise.then(() => store.delete(id)),
    };
    using _locks = sharedLocks();
    const one = openPage(relay, slow);
    void one.delivery.deliver(event("a"));
    await until("it arrived", () => relay.accepted.length === 1);
    const other = openPage(relay, slow);
    await until("the other tab has loaded it", () => other.waiting === 1);
    other.delivery.retryNow();
    // A turn in which the other tab could send.
    await new Promise((resolve) => setTimeout(resolve));
    deleting.resolve();
    await until("it is deleted", () => one.waiting === 0);
    assert.deepEqual(relay.posts, [text(event("a"))]);
  }),
);
