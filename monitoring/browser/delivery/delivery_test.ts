import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type { Receipt } from "../telemetry_state.ts";
import { Delivery, type DeliveryOptions } from "./delivery.ts";
import { describeEnvelope } from "./envelope.ts";
import { type EnvelopeStore, openEnvelopeStore } from "./envelope_store.ts";
import { Journal } from "./journal.ts";
import type { Loss } from "./journal_entry.ts";
import { createSender } from "./send_envelope.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const event = (id: string) =>
  new TextEncoder().encode(`{"event_id":"${id}"}\n{"type":"event"}\n{"message":"${id}"}`);
const segment = (number: number) =>
  new TextEncoder().encode(
    `{"event_id":"replay"}\n{"type":"replay_recording","length":1}\n${number}`,
  );

/** A stand-in relay. */
interface Relay {
  respond: () => Response | Promise<Response>;
  /** Bodies of all requests with a 2xx, decompressed. */
  readonly accepted: string[];
  /** Bodies of all requests, decompressed. */
  readonly posts: string[];
  /** Bodies of all requests that came compressed. */
  readonly compressed: string[];
  readonly url: string;
}

/** A page: a delivery and the state that it has published. */
interface Page {
  waiting: number;
  /** Whether it has read the store. */
  isLoaded: boolean;
  dropped: number;
  isStored: boolean | undefined;
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly delivery: Delivery;
}

function open(
  relay: Relay,
  store: EnvelopeStore,
  more: Partial<Pick<DeliveryOptions, "quota" | "now" | "journal">> = {},
) {
  const receipts = new Map<string, Receipt>();
  const page: Page = {
    waiting: 0,
    isLoaded: false,
    dropped: 0,
    isStored: undefined,
    receipts,
    delivery: new Delivery({
      store: Promise.resolve(store),
      journal: new Journal(undefined),
      dsn: "",
      send: createSender({ fetch, url: relay.url, sameOrigin: true }),
      onReceipt: (receipt) => receipts.set(`${receipt.id}/${receipt.items[0]?.bytes}`, receipt),
      onWaiting(count) {
        page.waiting = count;
        page.isLoaded = true;
      },
      onDropped() {
        page.dropped += 1;
      },
      allows: () => true,
      onWithdrawn() {},
      onStored(isStored) {
        page.isStored = isStored;
      },
      random: () => 1,
      ...more,
    }),
  };
  return page;
}

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

async function until(condition: () => boolean, expectation: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    assert.ok(Date.now() < deadline, `not reached: ${expectation}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function withRelay(name: string, test: (relay: Relay) => Promise<void>): void {
  Deno.test(name, async () => {
    const posts: string[] = [];
    const accepted: string[] = [];
    const compressed: string[] = [];
    const relay = { respond: () => new Response("{}"), posts, accepted, compressed, url: "" };
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        const bytes = new Uint8Array(await request.arrayBuffer());
        const isCompressed = request.headers.has("Content-Encoding");
        const body = text(isCompressed ? gunzipSync(bytes) : bytes);
        posts.push(body);
        if (isCompressed) compressed.push(body);
        const response = await relay.respond();
        if (response.ok) accepted.push(body);
        return response;
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

withRelay("accepted → deleted, and the receipt has status and outcome", async (relay) => {
  const store = createMemoryStore();
  const page = open(relay, store);
  relay.respond = () => new Response("{}", { headers: { "X-Relay-Outcome": "stored" } });
  const answer = await page.delivery.deliver(event("a"));
  assert.equal(answer.statusCode, 200);
  await until(() => page.waiting === 0, "waiting is 0");
  assert.deepEqual(await store.list(), []);
  const receipt = page.receipts.get("a/15");
  assert.deepEqual([receipt?.status, receipt?.outcome, receipt?.attempts], [200, "stored", 1]);
  const { storedMs = -1, sentMs = -1, tookMs = -1 } = receipt ?? {};
  assert.ok(0 <= storedMs && storedMs <= sentMs && sentMs <= tookMs, `${storedMs}, ${sentMs}`);
  assert.equal(page.delivery.lastCreatedAt, receipt?.at);
});

withRelay("500, then 200 → all arrive, byte for byte", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.respond = () => new Response("{}", { status: 500, headers: { "X-Sentry-Error": "down" } });
  const answers = await Promise.all(["a", "b", "c"].map((id) => page.delivery.deliver(event(id))));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode), [202, 202, 202]);
  assert.equal(page.waiting, 3);
  assert.ok(
    [...page.receipts.values()].some(({ status, error }) => status === 500 && error === "down"),
  );
  relay.respond = () => new Response("{}");
  page.delivery.retryNow();
  await until(() => page.waiting === 0, "all arrived");
  assert.deepEqual(relay.accepted.toSorted(), ["a", "b", "c"].map((id) => text(event(id))));
});

withRelay("503 → sent again after a wait", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.respond = () => new Response("{}", { status: 503 });
  await page.delivery.deliver(event("a"));
  relay.respond = () => new Response("{}");
  await until(() => page.waiting === 0, "it arrived");
  assert.equal(page.receipts.get("a/15")?.attempts, 2);
});

withRelay("page ended before delivery → the next page delivers", async (relay) => {
  const store = createMemoryStore();
  relay.respond = () => new Response("{}", { status: 500 });
  const before = open(relay, store);
  await before.delivery.deliver(event("a"));
  await until(() => relay.posts.length > 0, "the first page has sent it");
  // The first page's timer will find nothing.
  relay.respond = () => new Response("{}");
  const after = open(relay, store);
  await until(
    () => relay.accepted.length > 0 && after.waiting === 0,
    "the second page has delivered",
  );
  assert.deepEqual(await store.list(), []);
  before.delivery.retryNow();
  await until(() => before.waiting === 0, "the first page has noticed");
});

withRelay("all requests fail → one request at a time", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.respond = () => new Response("{}", { status: 500 });
  await Promise.all(Array.from({ length: 50 }, (_, i) => page.delivery.deliver(event(`e${i}`))));
  assert.ok(relay.posts.length <= 8, `${relay.posts.length} posts`);
  relay.respond = () => new Response("{}");
  page.delivery.retryNow();
  await until(() => page.waiting === 0, "all arrived");
  assert.equal(new Set(relay.accepted).size, 50);
});

withRelay("final refusal → deleted, and the receipt has the reason", async (relay) => {
  const store = createMemoryStore();
  const page = open(relay, store);
  relay.respond = () =>
    new Response("{}", {
      status: 403,
      headers: { "X-Relay-Outcome": "rejected", "X-Sentry-Error": "wrong key" },
    });
  assert.equal((await page.delivery.deliver(event("a"))).statusCode, 403);
  await until(() => page.waiting === 0, "waiting is 0");
  assert.deepEqual(await store.list(), []);
  const receipt = page.receipts.get("a/15");
  assert.deepEqual([receipt?.status, receipt?.outcome, receipt?.error], [
    403,
    "rejected",
    "wrong key",
  ]);
});

withRelay("429 for all its categories → sent again when the limit ends", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.respond = () =>
    new Response("{}", { status: 429, headers: { "X-Sentry-Rate-Limits": "1:error:key" } });
  const answer = await page.delivery.deliver(event("a"));
  assert.equal(answer.statusCode, 429);
  assert.equal(answer.headers?.["x-sentry-rate-limits"], "1:error:key");
  assert.ok((page.delivery.limits.error ?? 0) > Date.now());
  const receipt = page.receipts.get("a/15");
  assert.match(receipt?.error ?? "", /^rate limited, sent again/);
  // Without an outcome, because it is not final.
  assert.deepEqual([receipt?.status, receipt?.outcome], [429, undefined]);
  relay.respond = () => new Response("{}");
  page.delivery.retryNow();
  assert.equal(relay.posts.length, 1);
  await until(() => page.waiting === 0, "the limit has ended");
  assert.equal(relay.accepted.length, 1);
});

withRelay("429 for other categories → not sent again", async (relay) => {
  const page = open(relay, createMemoryStore());
  relay.respond = () =>
    new Response("{}", { status: 429, headers: { "X-Sentry-Rate-Limits": "60:replay:key" } });
  await page.delivery.deliver(event("a"));
  await until(() => page.waiting === 0, "it has ended");
  assert.equal(page.receipts.get("a/15")?.outcome, "rate_limited");
});

withRelay("first segment of a recording fails → segments arrive in order", async (relay) => {
  const page = open(relay, createMemoryStore());
  let count = 0;
  relay.respond = async () => {
    // The first is slow and then fails.
    if (count++ > 0) return new Response("{}");
    await new Promise((resolve) => setTimeout(resolve, 30));
    return new Response("{}", { status: 500 });
  };
  await Promise.all([0, 1, 2, 3].map((number) => page.delivery.deliver(segment(number))));
  page.delivery.retryNow();
  await until(() => relay.accepted.length === 4, "all arrived");
  assert.deepEqual(relay.accepted, [0, 1, 2, 3].map((number) => text(segment(number))));
});

withRelay(
  "storage quota reached → a recording is dropped, and its receipt says so",
  async (relay) => {
    const store = createMemoryStore();
    const page = open(relay, store, { quota: { count: 2, bytes: 1_000_000 } });
    relay.respond = () => new Response("{}", { status: 500 });
    await page.delivery.deliver(event("a"));
    void page.delivery.deliver(segment(1));
    await page.delivery.deliver(event("b"));
    await until(() => page.receipts.get("replay/1")?.outcome === "dropped", "it is dropped");
    assert.equal(page.waiting, 2);
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until(() => page.waiting === 0, "the rest has arrived");
  },
);

withRelay("burst of 500 → each arrives once", async (relay) => {
  const page = open(relay, createMemoryStore());
  await Promise.all(Array.from({ length: 500 }, (_, i) => page.delivery.deliver(event(`e${i}`))));
  assert.equal(relay.posts.length, 500);
  assert.equal(new Set(relay.accepted).size, 500);
});

withRelay("store full → delivered from memory", async (relay) => {
  const full: EnvelopeStore = {
    ...createMemoryStore(),
    put: () => Promise.reject(new DOMException("full", "QuotaExceededError")),
  };
  const page = open(relay, full);
  relay.respond = () => new Response("{}", { status: 500 });
  await page.delivery.deliver(event("a"));
  relay.respond = () => new Response("{}");
  page.delivery.retryNow();
  await until(() => page.waiting === 0, "it arrived");
  assert.deepEqual(relay.accepted, [text(event("a"))]);
  assert.equal(page.receipts.get("a/15")?.storedMs, undefined);
});

withRelay(
  "segment or page hidden → uncompressed; else gzip, also after a failure",
  async (relay) => {
    const page = open(relay, createMemoryStore());
    await page.delivery.deliver(segment(1));
    await page.delivery.deliver(event("a"));
    relay.respond = () => new Response("{}", { status: 500 });
    await page.delivery.deliver(event("b"));
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until(() => page.waiting === 0, "all arrived");
    const sent = page.delivery.deliver(event("c"));
    page.delivery.flush();
    await sent;
    assert.deepEqual(relay.compressed, ["a", "b", "b"].map((id) => text(event(id))));
    assert.deepEqual(relay.accepted, [
      text(segment(1)),
      ...["a", "b", "c"].map((id) => text(event(id))),
    ]);
  },
);

withRelay("page hidden, store does not respond → sent", async (relay) => {
  const never: EnvelopeStore = { ...createMemoryStore(), put: () => new Promise(() => {}) };
  const page = open(relay, never);
  page.delivery.flush();
  void page.delivery.deliver(event("a"));
  await until(() => relay.accepted.length === 1, "it was sent");
});

withRelay(
  "flush while the page is hidden → the next tab does not send the same envelope",
  async (relay) => {
    const store = createMemoryStore();
    const left = open(relay, store);
    const answered = Promise.withResolvers<Response>();
    relay.respond = () => answered.promise;
    using _locks = sharedLocks();
    left.delivery.flush();
    void left.delivery.deliver(event("a"));
    await until(() => relay.posts.length === 1, "it was sent");
    const shown = open(relay, store);
    await until(() => shown.waiting === 1, "the other tab has loaded it");
    shown.delivery.retryNow();
    await new Promise((resolve) => setTimeout(resolve));
    answered.resolve(new Response("{}"));
    await until(() => left.waiting === 0, "it arrived");
    assert.deepEqual(relay.posts, [text(event("a"))]);
  },
);

withRelay("too old and cannot be deleted → others are delivered", async (relay) => {
  const store = createMemoryStore();
  const meta = { id: "x", createdAt: 1, bytes: 3, items: [], attempts: 0 };
  await store.put({ meta, bytes: event("a") });
  const page = open(relay, { ...store, drop: () => Promise.reject(new Error("closed")) });
  await page.delivery.deliver(event("b"));
  assert.deepEqual(relay.accepted, [text(event("b"))]);
});

/** Quantities by reason and category, summed over all client reports that arrived. */
function reported({ accepted }: Relay): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const body of accepted.filter((body) => body.includes('"client_report"'))) {
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

withRelay("too old → dropped, with a receipt and a client report", async (relay) => {
  const store = createMemoryStore();
  const meta = {
    id: "x",
    createdAt: 1,
    bytes: 3,
    items: [{ type: "event", bytes: 2 }],
    attempts: 0,
  };
  await store.put({ meta, bytes: event("a") });
  const page = open(relay, store);
  await until(() => relay.accepted.length === 1, "the report arrived");
  assert.equal(page.receipts.get("x/2")?.outcome, "dropped");
  assert.deepEqual(reported(relay), { "network_error:error": 1 });
  await until(() => page.waiting === 0, "waiting is 0");
  assert.deepEqual(await store.list(), []);
});

withRelay("too old while the tab stays open → dropped", async (relay) => {
  const clock = { now: Date.now() };
  const page = open(relay, createMemoryStore(), { now: () => clock.now });
  relay.respond = () => new Response("{}", { status: 503 });
  await page.delivery.deliver(event("a"));
  clock.now += 8 * 24 * 3600_000;
  relay.respond = () => new Response("{}");
  page.delivery.retryNow();
  await until(() => page.receipts.get("a/15")?.outcome === "dropped", "it is dropped");
});

withRelay(
  "dropped for the storage quota → reported after the outage, each log counted",
  async (relay) => {
    const page = open(relay, createMemoryStore(), {
      quota: { count: 2, bytes: 1_000_000 },
    });
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    for (const bytes of [segment(1), logs(7), event("b")]) void page.delivery.deliver(bytes);
    await until(() => page.waiting === 2 && page.dropped === 2, "two are dropped");
    assert.deepEqual(reported(relay), {});
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until(() => Object.keys(reported(relay)).length > 0, "the report arrived");
    await until(() => page.waiting === 0, "all arrived");
    assert.deepEqual(reported(relay), { "queue_overflow:replay": 1, "queue_overflow:log_item": 7 });
    assert.deepEqual(
      relay.accepted.filter((body) => !body.includes("client_report")).toSorted(),
      [text(event("a")), text(event("b"))],
    );
  },
);

withRelay(
  "stored envelopes over the limit of the next page → in its first report",
  async (relay) => {
    const store = createMemoryStore();
    relay.respond = () => new Response("{}", { status: 503 });
    const before = open(relay, store);
    for (const id of ["a", "b", "c"]) await before.delivery.deliver(event(id));
    relay.respond = () => new Response("{}");
    open(relay, store, { quota: { count: 1, bytes: 1_000_000 } });
    await until(() => Object.keys(reported(relay)).length > 0, "the report arrived");
    assert.deepEqual(reported(relay), { "queue_overflow:error": 2 });
  },
);

withRelay("store is read while an envelope is deleted → the others are loaded", async (relay) => {
  const store = createMemoryStore();
  const listed = Promise.withResolvers<void>();
  let lists = 0;
  const page = open(relay, {
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
  await until(() => lists === 2, "it reads the store again");
  await page.delivery.deliver(event("a"));
  await until(() => page.waiting === 0, "one is deleted meanwhile");
  listed.resolve();
  await until(() => relay.accepted.includes(text(event("left"))), "the other arrived");
});

withRelay(
  "dropped without an outage → reported by the same page",
  async (relay) => {
    const page = open(relay, createMemoryStore(), {
      quota: { count: 1, bytes: 1_000_000 },
    });
    const answered = Promise.withResolvers<void>();
    relay.respond = () => answered.promise.then(() => new Response("{}"));
    void page.delivery.deliver(segment(1));
    await until(() => relay.posts.length === 1, "the first is being sent");
    void page.delivery.deliver(segment(2));
    await until(() => page.dropped === 1, "the second is given up");
    answered.resolve();
    await until(() => Object.keys(reported(relay)).length > 0, "the report arrived");
    assert.deepEqual(reported(relay), { "queue_overflow:replay": 1 });
  },
);

withRelay(
  "envelope refused → counted as lost; client report refused → not counted",
  async (relay) => {
    const page = open(relay, createMemoryStore());
    relay.respond = () => new Response("{}", { status: 413 });
    await page.delivery.deliver(event("a"));
    page.delivery.flush();
    await until(() => relay.posts.length === 2 && page.waiting === 0, "the report is refused too");
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await page.delivery.deliver(event("b"));
    page.delivery.flush();
    await page.delivery.deliver(event("c"));
    assert.deepEqual(relay.accepted, [text(event("b")), text(event("c"))]);
    assert.match(relay.posts[1] ?? "", /"reason":"send_error","category":"error","quantity":1/);
  },
);

withRelay("page ended before its report → the next page reports its losses", async (relay) => {
  const store = createMemoryStore();
  relay.respond = () => new Response("{}", { status: 503 });
  const before = open(relay, store, { quota: { count: 1, bytes: 1_000_000 } });
  await before.delivery.deliver(event("a"));
  void before.delivery.deliver(event("b"));
  await until(() => before.dropped === 1, "one is dropped");
  relay.respond = () => new Response("{}");
  const after = open(relay, store);
  await until(() => Object.keys(reported(relay)).length > 0, "the next page has reported it");
  assert.deepEqual(reported(relay), { "queue_overflow:error": 1 });
  await until(() => after.waiting === 0, "and delivered the rest");
});

withRelay("another tab is sending → not dropped", async (relay) => {
  const store = createMemoryStore();
  const answered = Promise.withResolvers<Response>();
  relay.respond = () => answered.promise;
  using _locks = sharedLocks();
  const sending = open(relay, store);
  void sending.delivery.deliver(event("a"));
  await until(() => relay.posts.length === 1, "it is being sent");
  const other = open(relay, store, { quota: { count: 0, bytes: 0 } });
  await until(() => other.isLoaded && other.waiting === 0, "the other page has read the store");
  answered.resolve(new Response("{}"));
  await until(() => sending.waiting === 0, "it arrived");
  assert.equal(other.dropped, 0);
  assert.deepEqual(relay.accepted, [text(event("a"))]);
});

withRelay("accepted → deleted before its lock is released", async (relay) => {
  const store = createMemoryStore();
  const deleting = Promise.withResolvers<void>();
  const slow: EnvelopeStore = {
    ...store,
    delete: (id) => deleting.promise.then(() => store.delete(id)),
  };
  using _locks = sharedLocks();
  const one = open(relay, slow);
  void one.delivery.deliver(event("a"));
  await until(() => relay.accepted.length === 1, "it arrived");
  const other = open(relay, slow);
  await until(() => other.waiting === 1, "the other tab has loaded it");
  other.delivery.retryNow();
  await new Promise((resolve) => setTimeout(resolve));
  deleting.resolve();
  await until(() => one.waiting === 0, "it is deleted");
  assert.deepEqual(relay.posts, [text(event("a"))]);
});

withRelay("clock set back → segments arrive in order", async (relay) => {
  const clock = { now: 1_000_000_000_000 };
  const now = () => clock.now;
  const store = createMemoryStore();
  relay.respond = () => new Response("{}", { status: 503 });
  const page = open(relay, store, { now });
  await page.delivery.deliver(segment(0));
  clock.now -= 3600_000;
  await page.delivery.deliver(segment(1));
  await page.delivery.deliver(segment(2));
  relay.respond = () => new Response("{}");
  open(relay, store, { now });
  await until(() => relay.accepted.length === 3, "all arrived");
  assert.deepEqual(relay.accepted, [0, 1, 2].map((number) => text(segment(number))));
});

withRelay("store opened or refused → onStored reports which", async (relay) => {
  const lasting = open(relay, createMemoryStore());
  await lasting.delivery.deliver(event("a"));
  assert.equal(lasting.isStored, true);
  const refused = open(relay, await openEnvelopeStore());
  await refused.delivery.deliver(event("b"));
  assert.equal(refused.isStored, false);
});

withRelay(
  "disk full → losses are counted in memory and reported",
  async (relay) => {
    const full = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
    const store = { ...createMemoryStore(), put: full, count: full, drop: full, report: full };
    const page = open(relay, store, { quota: { count: 1, bytes: 1_000_000 } });
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    void page.delivery.deliver(event("b"));
    await until(() => page.dropped === 1, "one is dropped");
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until(() => Object.keys(reported(relay)).length > 0, "the report arrived");
    assert.deepEqual(reported(relay), { "queue_overflow:error": 1 });
  },
);

/** Opens a page with a store that accepts counts, but no envelopes. */
function openOnFullDisk(relay: Relay, journal: Journal) {
  const full = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
  const store = { ...createMemoryStore(), put: full };
  return { store, page: open(relay, store, { journal }) };
}

/** How many errors the journal's entries would count. */
const journaled = () =>
  Object.values(sessionStorage).flatMap((entry) => JSON.parse(entry)[1] as Loss[])
    .reduce((sum, { quantity }) => sum + quantity, 0);

withRelay("store refuses an envelope → journal entry until it is accepted", async (relay) => {
  sessionStorage.clear();
  const { page } = openOnFullDisk(relay, new Journal(sessionStorage));
  relay.respond = () => new Response("{}", { status: 503 });
  await page.delivery.deliver(event("a"));
  // It was sent, so it may have arrived: the next page sends it again.
  assert.deepEqual([sessionStorage.length, journaled()], [1, 0]);
  void page.delivery.deliver(event("b"));
  await until(() => page.waiting === 2, "both wait");
  // Not sent yet: the next page counts it.
  assert.deepEqual([sessionStorage.length, journaled()], [2, 1]);
  relay.respond = () => new Response("{}");
  page.delivery.retryNow();
  await until(() => page.waiting === 0, "both are accepted");
  assert.equal(sessionStorage.length, 0);
});

withRelay(
  "store refuses an envelope that is dropped → journal entry of one loss",
  async (relay) => {
    sessionStorage.clear();
    const journal = new Journal(sessionStorage);
    const counting = Promise.withResolvers<void>();
    const { store } = openOnFullDisk(relay, journal);
    const page = open(relay, { ...store, count: () => counting.promise }, {
      journal,
      quota: { count: 1, bytes: 1_000_000 },
    });
    relay.respond = () => new Response("{}", { status: 503 });
    await page.delivery.deliver(event("a"));
    void page.delivery.deliver(event("b"));
    await until(() => page.dropped === 1, "one is dropped");
    // One as the loss, one as not sent yet.
    assert.deepEqual([sessionStorage.length, journaled()], [2, 2]);
    counting.resolve();
    relay.respond = () => new Response("{}");
    page.delivery.retryNow();
    await until(() => page.waiting === 0 && sessionStorage.length === 0, "the journal is empty");
  },
);

withRelay(
  "store refuses a client report → journal entry with its bytes",
  async (relay) => {
    sessionStorage.clear();
    const full = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
    const store = createMemoryStore();
    const fullStore = { ...store, put: full, count: full, report: full };
    const page = open(relay, fullStore, { journal: new Journal(sessionStorage) });
    relay.respond = () => new Response("{}", { status: 503 });
    await until(() => page.isLoaded, "it has read the store");
    page.delivery.countLosses([{ reason: "queue_overflow", category: "error", quantity: 3 }]);
    page.delivery.retryNow();
    await until(() => relay.posts.length > 0, "the report has been sent");
    assert.equal(sessionStorage.length, 1);
    assert.match(sessionStorage.getItem(sessionStorage.key(0)!)!, /client_report/);
  },
);

withRelay(
  "lock of an ending page is still held → its envelope is sent once it is free",
  async (relay) => {
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

    const page = open(relay, createMemoryStore(), { journal: new Journal(sessionStorage) });
    await until(() => page.isLoaded, "it has read the store");
    assert.deepEqual([relay.posts.length, sessionStorage.length], [0, 1]);
    ended.resolve();
    await released;
    await until(() => relay.posts.length === 1, "the envelope is sent");
    await until(() => sessionStorage.length === 0, "its entry is deleted");
  },
);
