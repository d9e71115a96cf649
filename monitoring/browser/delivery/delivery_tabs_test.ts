/** Several tabs, or a page and its successor, with one store. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, openPage, test, text } from "./testdata/page_with_relay.ts";
import { sharedLocks } from "./testdata/web_locks.ts";

/** A turn in which another tab could send. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

for (
  const [title, isHidden, quota] of [
    ["page sends as it is hidden → the next tab does not send the same envelope", true, undefined],
    ["another tab is sending → not dropped by a tab over its quota", false, { count: 0, bytes: 0 }],
  ] as const
) {
  test(title, async (relay) => {
    const store = createMemoryStore();
    const answered = Promise.withResolvers<Response>();
    relay.respond = () => answered.promise;
    using _locks = sharedLocks();
    const sending = openPage(relay, store);
    if (isHidden) sending.delivery.flush();
    sending.delivery.deliver(event("a"));
    await until("it is being sent", () => relay.posts.length === 1);
    const other = openPage(relay, store, quota && { quota });
    const listed = quota ? 0 : 1;
    await until("the other has read it", () => other.isLoaded && other.waiting === listed);
    other.delivery.retryNow();
    await turn();
    answered.resolve(new Response("{}"));
    await until("it arrived", () => sending.waiting === 0);
    assert.equal(other.dropped, 0);
    assert.deepEqual([relay.posts, relay.accepted], [[text(event("a"))], [text(event("a"))]]);
  });
}

test("accepted → deleted before its lock is released", async (relay) => {
  const store = createMemoryStore();
  const deleting = Promise.withResolvers<void>();
  const slow: EnvelopeStore = {
    ...store,
    delete: (id) => deleting.promise.then(() => store.delete(id)),
  };
  using _locks = sharedLocks();
  const one = openPage(relay, slow);
  one.delivery.deliver(event("a"));
  await until("it arrived", () => relay.accepted.length === 1);
  const other = openPage(relay, slow);
  await until("the other tab has loaded it", () => other.waiting === 1);
  other.delivery.retryNow();
  await turn();
  deleting.resolve();
  await until("it is deleted", () => one.waiting === 0);
  assert.deepEqual(relay.posts, [text(event("a"))]);
});
