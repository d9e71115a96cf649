import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import type { SignalKind } from "../consent.ts";
import type { Receipt } from "../telemetry_state.ts";
import { Delivery } from "./delivery.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { Journal } from "./journal.ts";
import type { Loss } from "./journal_entry.ts";
import { createSharedRateLimits } from "./rate_limits.ts";
import type { SendResult } from "./send_envelope.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";

const encode = (lines: readonly string[]) => new TextEncoder().encode(lines.join("\n"));
const event = encode([`{"event_id":"e"}`, `{"type":"event"}`, `{"message":"secret"}`]);
const log = encode([`{}`, `{"type":"log","item_count":2}`, `{"items":["a line"]}`]);
const mixed = encode([
  `{"event_id":"m"}`,
  `{"type":"event"}`,
  `{"message":"secret"}`,
  `{"type":"log","item_count":2}`,
  `{"items":["a line"]}`,
]);

const OFFLINE: SendResult = { retryAfter: null, rateLimits: null, sentBytes: 0, error: "offline" };
const ACCEPTED: SendResult = { ...OFFLINE, status: 200, error: undefined };

/** A page whose requests are answered by `respond`. */
function open(store: EnvelopeStore, journal = new Journal(undefined)) {
  const withdrawn = new Set<SignalKind>();
  const receipts = new Map<string, Receipt>();
  const page = {
    sent: [] as string[],
    receipts,
    deleted: 0,
    waiting: -1,
    withdrawn,
    respond: (_signal: AbortSignal): Promise<SendResult> => Promise.resolve(OFFLINE),
  };
  const delivery = new Delivery({
    store: Promise.resolve(store),
    journal,
    limits: createSharedRateLimits(undefined),
    send(bytes, _compress, signal) {
      page.sent.push(new TextDecoder().decode(bytes));
      return page.respond(signal!);
    },
    dsn: "",
    allows: (kind) => !withdrawn.has(kind),
    onReceipt: (receipt) => receipts.set(receipt.id, receipt),
    onWaiting: (count) => page.waiting = count,
    onStored() {},
    onDropped: () => assert.fail("nothing is dropped"),
    onWithdrawn: (_kind, items) => page.deleted += items,
    random: () => 1,
  });
  return Object.assign(page, {
    delivery,
    async withdraw(kind: SignalKind) {
      withdrawn.add(kind);
      await delivery.applyConsent();
    },
  });
}

async function isEmpty(store: EnvelopeStore): Promise<boolean> {
  let counted = 0;
  await store.report((losses) => void (counted = losses.length), () => false);
  return counted === 0 && (await store.list()).length === 0;
}

Deno.test("withdrawn while it is sent → aborted, deleted, not sent again", async () => {
  const store = createMemoryStore();
  const page = open(store);
  page.respond = (signal) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(OFFLINE)));
  const answer = page.delivery.deliver(event);
  await until("it is being sent", () => page.sent.length === 1);
  await page.withdraw("errors");
  assert.deepEqual(await answer, {});
  await until("the store is empty", () => isEmpty(store));
  assert.deepEqual([page.waiting, page.deleted], [0, 1]);
  assert.equal(page.receipts.get("e")?.outcome, "withdrawn");
  page.respond = () => Promise.resolve(ACCEPTED);
  await page.delivery.deliver(log);
  assert.deepEqual(page.sent.slice(1), [new TextDecoder().decode(log)]);
});

Deno.test("withdrawn, then its request fails with a 503 → deleted", async () => {
  const store = createMemoryStore();
  const page = open(store);
  const { promise, resolve } = Promise.withResolvers<SendResult>();
  page.respond = () => promise;
  void page.delivery.deliver(event);
  await until("it is being sent", () => page.sent.length === 1);
  await page.withdraw("errors");
  resolve({ ...OFFLINE, status: 503 });
  await until("the store is empty", () => isEmpty(store));
  assert.equal(page.receipts.get("e")?.outcome, "withdrawn");
});

for (
  const [what, store] of [
    ["stored", createMemoryStore()],
    ["in memory only", { ...createMemoryStore(), put: () => Promise.reject(new Error("full")) }],
  ] as const
) {
  Deno.test(`envelope of two kinds, ${what}, one withdrawn → only the other is sent`, async () => {
    const page = open(store);
    await page.delivery.deliver(mixed);
    await page.withdraw("errors");
    page.sent.length = 0;
    page.respond = () => Promise.resolve(ACCEPTED);
    page.delivery.retryNow();
    await until("nothing is waiting", () => page.waiting === 0);
    assert.equal(page.sent.length, 1);
    assert.match(page.sent[0]!, /a line/);
    assert.doesNotMatch(page.sent[0]!, /secret/);
    assert.equal(page.deleted, 1);
    await until("the store is empty", () => isEmpty(store));
  });
}

Deno.test("page ended during the withdrawal → the next deletes it from store and journal", async () => {
  sessionStorage.clear();
  const store = createMemoryStore();
  const page = open(store, new Journal(sessionStorage));
  await page.delivery.deliver(event);
  const lost: Loss[] = [
    { reason: "queue_overflow", category: "error", quantity: 7 },
    { reason: "queue_overflow", category: "log_item", quantity: 8 },
  ];
  await store.count("counted", lost);
  sessionStorage.setItem("envelope:ended", JSON.stringify(["", lost]));
  const next = open(store, new Journal(sessionStorage));
  next.withdrawn.add("errors");
  next.respond = () => Promise.resolve(ACCEPTED);
  await until("the losses are reported", async () => next.sent.length > 0 && await isEmpty(store));
  assert.deepEqual(
    next.sent.map((body) => JSON.parse(body.split("\n")[2]!).discarded_events),
    [[{ reason: "queue_overflow", category: "log_item", quantity: 16 }]],
  );
  assert.equal(sessionStorage.length, 0);
});

Deno.test("withdrawn → journal entries of all pages and counted losses are deleted at once", async () => {
  sessionStorage.clear();
  const store = createMemoryStore();
  const journal = new Journal(sessionStorage);
  const page = open({ ...store, put: () => new Promise(() => {}) }, journal);
  await until("nothing is waiting", () => page.waiting === 0);
  void page.delivery.deliver(event);
  void page.delivery.deliver(mixed);
  page.delivery.countLosses([{ reason: "queue_overflow", category: "error", quantity: 3 }]);
  page.withdrawn.add("errors");
  void page.delivery.applyConsent();
  const entries = Object.values(sessionStorage).map((entry) => JSON.parse(entry)[1] as Loss[]);
  assert.deepEqual(entries.map((losses) => losses.map(({ category }) => category)), [["log_item"]]);
  page.delivery.countLosses([{ reason: "queue_overflow", category: "error", quantity: 3 }]);
  assert.equal(sessionStorage.length, 1);
  sessionStorage.clear();
});
