import assert from "node:assert/strict";
import type { Loss } from "../journal_entry.ts";
import type { Receipt } from "../receipt.ts";
import { createMemoryStore } from "./_memory_store.ts";
import { Delivery, type DeliveryOptions } from "./delivery.ts";
import { describeEnvelope } from "./describe_envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { openEnvelopeStore } from "./indexed_db_store.ts";
import { Journal } from "./journal.ts";
import { createSender } from "./send_envelope.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const event = (id: string) =>
  new TextEncoder().encode(`{"event_id":"${id}"}\n{"type":"event"}\n{"message":"${id}"}`);
const segment = (number: number) =>
  new TextEncoder().encode(
    `{"event_id":"replay"}\n{"type":"replay_recording","length":1}\n${number}`,
  );

/** A relay that answers as it is told, and remembers what it took. */
interface Relay {
  answer: () => Response | Promise<Response>;
  readonly taken: string[];
  readonly posts: string[];
  readonly url: string;
}

/** A page: a delivery with what it told. */
interface Page {
  waiting: number;
  /** Whether it has looked into the store. */
  adopted: boolean;
  givenUp: number;
  lasts: boolean | undefined;
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly delivery: Delivery;
}

/** Opens a page of its own. */
function open(
  relay: Relay,
  store: EnvelopeStore,
  more: Partial<Pick<DeliveryOptions, "room" | "now" | "journal">> = {},
) {
  const receipts = new Map<string, Receipt>();
  const page: Page = {
    waiting: 0,
    adopted: false,
    givenUp: 0,
    lasts: undefined,
    receipts,
    delivery: new Delivery({
      store: Promise.resolve(store),
      send: createSender({ fetch, url: relay.url, sameOrigin: true }),
      onReceipt: (receipt) => receipts.set(`${receipt.id}/${receipt.items[0]?.bytes}`, receipt),
      onWaiting(count) {
        page.waiting = count;
        page.adopted = true;
      },
      onGivenUp() {
        page.givenUp += 1;
      },
      onLasting(lasts) {
        page.lasts = lasts;
      },
      random: () => 1,
      ...more,
    }),
  };
  return page;
}

/** The locks that tabs share: what Deno lacks of a browser. */
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

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    assert.ok(Date.now() < deadline, `waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function withRelay(name: string, test: (relay: Relay) => Promise<void>): void {
  Deno.test(name, async () => {
    const posts: string[] = [];
    const taken: string[] = [];
    const relay = { answer: () => new Response("{}"), posts, taken, url: "" };
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        const body = text(new Uint8Array(await request.arrayBuffer()));
        posts.push(body);
        const answer = await relay.answer();
        if (answer.ok) taken.push(body);
        return answer;
      },
    );
    relay.url = `http://127.0.0.1:${server.addr.port}/monitoring`;
    try {
      await test(relay);
    } finally {
      await server.shutdown();
    }
  });
}

withRelay("an envelope is deleted once it is acknowledged", async (relay) => {
  const store = createMemoryStore();
  const page = open(relay, store);
  relay.answer = () => new Response("{}", { headers: { "X-Relay-Outcome": "stored" } });
  const answer = await page.delivery.deliver(event("a"));
  assert.equal(answer.statusCode, 200);
  await until(() => page.waiting === 0, "nothing waits");
  assert.deepEqual(await store.list(), []);
  const receipt = page.receipts.get("a/15");
  assert.deepEqual([receipt?.status, receipt?.outcome, receipt?.attempts], [200, "stored", 1]);
});

withRelay("what the relay did not take arrives when it does, byte for byte", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.answer = () => new Response("{}", { status: 500, headers: { "X-Sentry-Error": "down" } });
  const answers = await Promise.all(["a", "b", "c"].map((id) => page.delivery.deliver(event(id))));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode), [202, 202, 202]);
  assert.equal(page.waiting, 3);
  assert.ok(
    [...page.receipts.values()].some(({ status, error }) => status === 500 && error === "down"),
  );
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  await until(() => page.waiting === 0, "all have arrived");
  assert.deepEqual(relay.taken.toSorted(), ["a", "b", "c"].map((id) => text(event(id))));
});

withRelay("it comes back by itself", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.answer = () => new Response("{}", { status: 503 });
  await page.delivery.deliver(event("a"));
  relay.answer = () => new Response("{}");
  await until(() => page.waiting === 0, "it has arrived");
  assert.equal(page.receipts.get("a/15")?.attempts, 2);
});

withRelay("a later page delivers what an earlier one could not", async (relay) => {
  const store = createMemoryStore();
  relay.answer = () => new Response("{}", { status: 500 });
  const before = open(relay, store);
  await before.delivery.deliver(event("a"));
  await until(() => relay.posts.length > 0, "the first page has tried");
  // The first page is gone; its timer finds nothing when it comes.
  relay.answer = () => new Response("{}");
  const after = open(relay, store);
  await until(() => relay.taken.length > 0 && after.waiting === 0, "the second page has delivered");
  assert.deepEqual(await store.list(), []);
  before.delivery.wake();
  await until(() => before.waiting === 0, "the first page knows");
});

withRelay("while nothing gets through, one feels the way for all", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.answer = () => new Response("{}", { status: 500 });
  await Promise.all(Array.from({ length: 50 }, (_, i) => page.delivery.deliver(event(`e${i}`))));
  assert.ok(relay.posts.length <= 8, `${relay.posts.length} posts`);
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  await until(() => page.waiting === 0, "all have arrived");
  assert.equal(new Set(relay.taken).size, 50);
});

withRelay("a definite refusal ends it, and its receipt says why", async (relay) => {
  const store = createMemoryStore();
  const page = open(relay, store);
  relay.answer = () =>
    new Response("{}", {
      status: 403,
      headers: { "X-Relay-Outcome": "rejected", "X-Sentry-Error": "wrong key" },
    });
  assert.equal((await page.delivery.deliver(event("a"))).statusCode, 403);
  await until(() => page.waiting === 0, "nothing waits");
  assert.deepEqual(await store.list(), []);
  const receipt = page.receipts.get("a/15");
  assert.deepEqual([receipt?.status, receipt?.outcome, receipt?.error], [
    403,
    "rejected",
    "wrong key",
  ]);
});

withRelay("a limited envelope waits until the limit ends", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.answer = () =>
    new Response("{}", { status: 429, headers: { "X-Sentry-Rate-Limits": "1:error:key" } });
  const answer = await page.delivery.deliver(event("a"));
  assert.equal(answer.statusCode, 429);
  assert.equal(answer.headers?.["x-sentry-rate-limits"], "1:error:key");
  assert.ok((page.delivery.limits.error ?? 0) > Date.now());
  assert.match(page.receipts.get("a/15")?.error ?? "", /^limited, sent again/);
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  assert.equal(relay.posts.length, 1);
  await until(() => page.waiting === 0, "the limit has ended");
  assert.equal(relay.taken.length, 1);
});

withRelay("what came with other things in a 429 is not sent again", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.answer = () =>
    new Response("{}", { status: 429, headers: { "X-Sentry-Rate-Limits": "60:replay:key" } });
  await page.delivery.deliver(event("a"));
  await until(() => page.waiting === 0, "it has ended");
  assert.equal(page.receipts.get("a/15")?.outcome, "rate_limited");
});

withRelay("the segments of a recording arrive in the order they were made", async (relay) => {
  const page = open(relay, createMemoryStore());
  let count = 0;
  relay.answer = async () => {
    // The first is slow and then fails.
    if (count++ > 0) return new Response("{}");
    await new Promise((resolve) => setTimeout(resolve, 30));
    return new Response("{}", { status: 500 });
  };
  await Promise.all([0, 1, 2, 3].map((number) => page.delivery.deliver(segment(number))));
  page.delivery.wake();
  await until(() => relay.taken.length === 4, "all have arrived");
  assert.deepEqual(relay.taken, [0, 1, 2, 3].map((number) => text(segment(number))));
});

withRelay("without room recordings are given up first, and a receipt says so", async (relay) => {
  const store = createMemoryStore();
  const page = open(relay, store, { room: { count: 2, bytes: 1_000_000 } });
  relay.answer = () => new Response("{}", { status: 500 });
  await page.delivery.deliver(event("a"));
  void page.delivery.deliver(segment(1));
  await page.delivery.deliver(event("b"));
  await until(() => page.receipts.get("replay/1")?.outcome === "dropped", "it is given up");
  assert.equal(page.waiting, 2);
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  await until(() => page.waiting === 0, "the rest has arrived");
});

withRelay("a burst of 500 arrives whole and once", async (relay) => {
  const page = open(relay, createMemoryStore());
  await Promise.all(Array.from({ length: 500 }, (_, i) => page.delivery.deliver(event(`e${i}`))));
  assert.equal(relay.posts.length, 500);
  assert.equal(new Set(relay.taken).size, 500);
});

withRelay("a store that refuses loses nothing while the page lives", async (relay) => {
  const full: EnvelopeStore = {
    ...createMemoryStore(),
    put: () => Promise.reject(new DOMException("full", "QuotaExceededError")),
  };
  const page = open(relay, full);
  relay.answer = () => new Response("{}", { status: 500 });
  await page.delivery.deliver(event("a"));
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  await until(() => page.waiting === 0, "it has arrived");
  assert.deepEqual(relay.taken, [text(event("a"))]);
});

withRelay("when the page is hidden everything leaves before anything is awaited", async (relay) => {
  const never: EnvelopeStore = { ...createMemoryStore(), put: () => new Promise(() => {}) };
  const page = open(relay, never);
  page.delivery.hide();
  void page.delivery.deliver(event("a"));
  await until(() => relay.taken.length === 1, "it has left without the store");
});

withRelay(
  "what leaves in a rush is locked, so that the tab shown next leaves it alone",
  async (relay) => {
    const store = createMemoryStore();
    const left = open(relay, store);
    const answered = Promise.withResolvers<Response>();
    relay.answer = () => answered.promise;
    using _locks = sharedLocks();
    left.delivery.hide();
    void left.delivery.deliver(event("a"));
    await until(() => relay.posts.length === 1, "it has left");
    const shown = open(relay, store);
    await until(() => shown.waiting === 1, "the other tab has found it");
    shown.delivery.wake();
    await new Promise((resolve) => setTimeout(resolve));
    answered.resolve(new Response("{}"));
    await until(() => left.waiting === 0, "it has arrived");
    assert.deepEqual(relay.posts, [text(event("a"))]);
  },
);

withRelay("what is too old and cannot be deleted holds nothing up", async (relay) => {
  const store = createMemoryStore();
  const meta = { id: "x", createdAt: 1, bytes: 3, items: [], attempts: 0 };
  await store.put(meta, event("a"));
  const page = open(relay, { ...store, giveUp: () => Promise.reject(new Error("closed")) });
  await page.delivery.deliver(event("b"));
  assert.deepEqual(relay.taken, [text(event("b"))]);
});

/** The rows of all client reports that arrived, sums of their quantities by reason and category. */
function reported({ taken }: Relay): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const body of taken.filter((body) => body.includes('"client_report"'))) {
    const { discarded_events } = JSON.parse(body.split("\n")[2] ?? "");
    for (const { reason, category, quantity } of discarded_events) {
      const key = `${reason}:${category}`;
      sums[key] = (sums[key] ?? 0) + quantity;
    }
  }
  return sums;
}

const logs = (count: number) =>
  new TextEncoder().encode(`{}\n{"type":"log","item_count":${count}}\n{"items":[]}`);

withRelay("what is too old is given up, and a receipt and a report say so", async (relay) => {
  const store = createMemoryStore();
  const meta = {
    id: "x",
    createdAt: 1,
    bytes: 3,
    items: [{ type: "event", bytes: 2 }],
    attempts: 0,
  };
  await store.put(meta, event("a"));
  const page = open(relay, store);
  await until(() => relay.taken.length === 1, "the report has arrived");
  assert.equal(page.receipts.get("x/2")?.outcome, "dropped");
  assert.deepEqual(reported(relay), { "network_error:error": 1 });
  await until(() => page.waiting === 0, "nothing waits");
  assert.deepEqual(await store.list(), []);
});

withRelay("a tab that stays open gives up what has become too old", async (relay) => {
  const clock = { now: Date.now() };
  const page = open(relay, createMemoryStore(), { now: () => clock.now });
  relay.answer = () => new Response("{}", { status: 503 });
  await page.delivery.deliver(event("a"));
  clock.now += 8 * 24 * 3600_000;
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  await until(() => page.receipts.get("a/15")?.outcome === "dropped", "it is given up");
});

withRelay(
  "what found no room is reported once something gets through, each log counted",
  async (relay) => {
    const page = open(relay, createMemoryStore(), { room: { count: 2, bytes: 1_000_000 } });
    relay.answer = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    for (const bytes of [segment(1), logs(7), event("b")]) void page.delivery.deliver(bytes);
    await until(() => page.waiting === 2 && page.givenUp === 2, "two are given up");
    assert.deepEqual(reported(relay), {});
    relay.answer = () => new Response("{}");
    page.delivery.wake();
    await until(() => Object.keys(reported(relay)).length > 0, "the report has arrived");
    assert.deepEqual(reported(relay), { "queue_overflow:replay": 1, "queue_overflow:log_item": 7 });
    assert.deepEqual(
      relay.taken.filter((body) => !body.includes("client_report")).toSorted(),
      [text(event("a")), text(event("b"))],
    );
  },
);

withRelay("what a page finds and has no room for is in its first report", async (relay) => {
  const store = createMemoryStore();
  relay.answer = () => new Response("{}", { status: 503 });
  const before = open(relay, store);
  for (const id of ["a", "b", "c"]) await before.delivery.deliver(event(id));
  relay.answer = () => new Response("{}");
  open(relay, store, { room: { count: 1, bytes: 1_000_000 } });
  await until(() => Object.keys(reported(relay)).length > 0, "the report has arrived");
  assert.deepEqual(reported(relay), { "queue_overflow:error": 2 });
});

withRelay("what is found in the store while something else ends is sent too", async (relay) => {
  const store = createMemoryStore();
  const listed = Promise.withResolvers<void>();
  let lists = 0;
  const page = open(relay, {
    ...store,
    async list() {
      // The second time another tab has put something there, and the answer takes its time.
      if (++lists !== 2) return await store.list();
      await store.put(describeEnvelope(event("left"), "left", Date.now()), event("left"));
      const metas = await store.list();
      await listed.promise;
      return metas;
    },
  });
  await until(() => lists === 2, "it looks into the store once more");
  await page.delivery.deliver(event("a"));
  await until(() => page.waiting === 0, "one has ended meanwhile");
  listed.resolve();
  await until(() => relay.taken.includes(text(event("left"))), "what was left has arrived");
});

withRelay(
  "what found no room while all gets through is reported by the same page",
  async (relay) => {
    const page = open(relay, createMemoryStore(), { room: { count: 1, bytes: 1_000_000 } });
    const answered = Promise.withResolvers<void>();
    relay.answer = () => answered.promise.then(() => new Response("{}"));
    void page.delivery.deliver(segment(1));
    await until(() => relay.posts.length === 1, "the first is under way");
    void page.delivery.deliver(segment(2));
    await until(() => page.givenUp === 1, "the second is given up");
    answered.resolve();
    await until(() => Object.keys(reported(relay)).length > 0, "the report has arrived");
    assert.deepEqual(reported(relay), { "queue_overflow:replay": 1 });
  },
);

withRelay("a refused envelope is counted as lost, a refused report is not", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.answer = () => new Response("{}", { status: 413 });
  await page.delivery.deliver(event("a"));
  page.delivery.hide();
  await until(() => relay.posts.length === 2 && page.waiting === 0, "the report is refused too");
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  await page.delivery.deliver(event("b"));
  page.delivery.hide();
  await page.delivery.deliver(event("c"));
  assert.deepEqual(relay.taken, [text(event("b")), text(event("c"))]);
  assert.match(relay.posts[1] ?? "", /"reason":"send_error","category":"error","quantity":1/);
});

withRelay("a count outlives the page that made it", async (relay) => {
  const store = createMemoryStore();
  relay.answer = () => new Response("{}", { status: 503 });
  const before = open(relay, store, { room: { count: 1, bytes: 1_000_000 } });
  await before.delivery.deliver(event("a"));
  void before.delivery.deliver(event("b"));
  await until(() => before.givenUp === 1, "one is given up");
  relay.answer = () => new Response("{}");
  const after = open(relay, store);
  await until(() => Object.keys(reported(relay)).length > 0, "the next page has reported it");
  assert.deepEqual(reported(relay), { "queue_overflow:error": 1 });
  await until(() => after.waiting === 0, "and delivered the rest");
});

withRelay("what one tab is sending another does not give up", async (relay) => {
  const store = createMemoryStore();
  const answered = Promise.withResolvers<Response>();
  relay.answer = () => answered.promise;
  using _locks = sharedLocks();
  const sending = open(relay, store);
  void sending.delivery.deliver(event("a"));
  await until(() => relay.posts.length === 1, "it is under way");
  const other = open(relay, store, { room: { count: 0, bytes: 0 } });
  await until(() => other.adopted && other.waiting === 0, "the other has no room for it");
  answered.resolve(new Response("{}"));
  await until(() => sending.waiting === 0, "it has arrived");
  assert.equal(other.givenUp, 0);
  assert.deepEqual(relay.taken, [text(event("a"))]);
});

withRelay("an acknowledged envelope is gone before its lock is", async (relay) => {
  const store = createMemoryStore();
  const deleting = Promise.withResolvers<void>();
  const slow: EnvelopeStore = {
    ...store,
    delete: (id) => deleting.promise.then(() => store.delete(id)),
  };
  using _locks = sharedLocks();
  const one = open(relay, slow);
  void one.delivery.deliver(event("a"));
  await until(() => relay.taken.length === 1, "it has arrived");
  const other = open(relay, slow);
  await until(() => other.waiting === 1, "the other tab has found it");
  other.delivery.wake();
  await new Promise((resolve) => setTimeout(resolve));
  deleting.resolve();
  await until(() => one.waiting === 0, "it is deleted");
  assert.deepEqual(relay.posts, [text(event("a"))]);
});

withRelay("a clock that is set back does not turn a recording's order around", async (relay) => {
  const clock = { now: 1_000_000_000_000 };
  const now = () => clock.now;
  const store = createMemoryStore();
  relay.answer = () => new Response("{}", { status: 503 });
  const page = open(relay, store, { now });
  await page.delivery.deliver(segment(0));
  clock.now -= 3600_000;
  await page.delivery.deliver(segment(1));
  await page.delivery.deliver(segment(2));
  relay.answer = () => new Response("{}");
  open(relay, store, { now });
  await until(() => relay.taken.length === 3, "all have arrived");
  assert.deepEqual(relay.taken, [0, 1, 2].map((number) => text(segment(number))));
});

withRelay("it says whether what waits would survive the page", async (relay) => {
  const lasting = open(relay, createMemoryStore());
  await lasting.delivery.deliver(event("a"));
  assert.equal(lasting.lasts, true);
  const refused = open(relay, await openEnvelopeStore());
  await refused.delivery.deliver(event("b"));
  assert.equal(refused.lasts, false);
});

withRelay(
  "with a disk too full for a number the count is kept in memory and reported",
  async (relay) => {
    const full = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
    const store = { ...createMemoryStore(), put: full, count: full, giveUp: full, report: full };
    const page = open(relay, store, { room: { count: 1, bytes: 1_000_000 } });
    relay.answer = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    void page.delivery.deliver(event("b"));
    await until(() => page.givenUp === 1, "one is given up");
    relay.answer = () => new Response("{}");
    page.delivery.wake();
    await until(() => Object.keys(reported(relay)).length > 0, "the report has arrived");
    assert.deepEqual(reported(relay), { "queue_overflow:error": 1 });
  },
);

/** A page of its own on a disk that takes counts and no envelopes, whose entries are in `storage`. */
function openOnFullDisk(relay: Relay, journal: Journal) {
  const full = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
  const store = { ...createMemoryStore(), put: full };
  return { store, page: open(relay, store, { journal }) };
}

/** The errors that the entries of all pages would count. */
const listed = () =>
  Object.values(sessionStorage).flatMap((entry) => JSON.parse(entry)[1] as Loss[])
    .reduce((sum, { quantity }) => sum + quantity, 0);

withRelay("store refuses an envelope → listed until it is acknowledged", async (relay) => {
  sessionStorage.clear();
  const { page } = openOnFullDisk(relay, new Journal(sessionStorage));
  relay.answer = () => new Response("{}", { status: 503 });
  await page.delivery.deliver(event("a"));
  // It was sent, so it may have arrived: the next page sends it again.
  assert.deepEqual([sessionStorage.length, listed()], [1, 0]);
  void page.delivery.deliver(event("b"));
  await until(() => page.waiting === 2, "both wait");
  // Not sent yet: the next page counts it.
  assert.deepEqual([sessionStorage.length, listed()], [2, 1]);
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  await until(() => page.waiting === 0, "both are acknowledged");
  assert.equal(sessionStorage.length, 0);
});

withRelay("store refuses an envelope that is given up → listed as one loss", async (relay) => {
  sessionStorage.clear();
  const journal = new Journal(sessionStorage);
  const counting = Promise.withResolvers<void>();
  const { store } = openOnFullDisk(relay, journal);
  const page = open(relay, { ...store, count: () => counting.promise }, {
    journal,
    room: { count: 1, bytes: 1_000_000 },
  });
  relay.answer = () => new Response("{}", { status: 503 });
  await page.delivery.deliver(event("a"));
  void page.delivery.deliver(event("b"));
  await until(() => page.givenUp === 1, "one is given up");
  // One as the loss, one as not sent yet.
  assert.deepEqual([sessionStorage.length, listed()], [2, 2]);
  counting.resolve();
  relay.answer = () => new Response("{}");
  page.delivery.wake();
  await until(() => page.waiting === 0 && sessionStorage.length === 0, "nothing is listed");
});

withRelay(
  "store refuses a report → listed with its bytes, sent by the next page",
  async (relay) => {
    sessionStorage.clear();
    const full = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
    const store = createMemoryStore();
    const fullStore = { ...store, put: full, count: full, report: full };
    const page = open(relay, fullStore, { journal: new Journal(sessionStorage) });
    relay.answer = () => new Response("{}", { status: 503 });
    await until(() => page.adopted, "it has looked into the store");
    page.delivery.countLosses([{ reason: "queue_overflow", category: "error", quantity: 3 }]);
    page.delivery.wake();
    await until(() => relay.posts.length > 0, "the report has been sent");
    assert.equal(sessionStorage.length, 1);
    assert.match(sessionStorage.getItem(sessionStorage.key(0)!)!, /client_report/);
  },
);
