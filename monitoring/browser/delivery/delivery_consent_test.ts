import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import type { SignalKind } from "../consent.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { Journal } from "./journal.ts";
import type { DiscardedEvents } from "./journal_writer.ts";
import type { SendResult } from "./send_envelope.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { event, log, openPage, text } from "./testdata/page_with_relay.ts";

const EVENT = event("secret");
/** An event and two logs. */
const MIXED = new Uint8Array([...EVENT, ...log(2).slice(2)]);
const OFFLINE: SendResult = { retryAfter: null, rateLimits: null, sentBytes: 0, error: "offline" };
const ACCEPTED: SendResult = { ...OFFLINE, status: 200, error: undefined };

/** A page whose requests are answered by `respond`. */
function open(store: EnvelopeStore, journal = new Journal(undefined)) {
  const denied = new Set<SignalKind>();
  const sent: string[] = [];
  const answers = { respond: () => Promise.resolve(OFFLINE) };
  const page = openPage({ url: "" }, store, {
    journal,
    send(bytes) {
      sent.push(text(bytes));
      return answers.respond();
    },
    allows: (kind) => !denied.has(kind),
    onDropped: () => assert.fail("nothing is dropped"),
  });
  return {
    page,
    answers,
    sent,
    denied,
    async withdraw(kind: SignalKind) {
      denied.add(kind);
      await page.delivery.applyConsent();
    },
  };
}

async function isEmpty(store: EnvelopeStore): Promise<boolean> {
  let counted = 0;
  await store.report((discarded) => void (counted = discarded.length), () => false);
  return counted === 0 && (await store.list()).length === 0;
}

const discardedOf = (
  quantity: number,
  ...categories: DiscardedEvents["category"][]
): DiscardedEvents[] =>
  categories.map((category) => ({ reason: "queue_overflow", category, quantity }));

Deno.test("withdrawn, then its request fails with a 503 → deleted", async () => {
  const store = createMemoryStore();
  const { page, answers, sent, withdraw } = open(store);
  const { promise, resolve } = Promise.withResolvers<SendResult>();
  answers.respond = () => promise;
  page.delivery.deliver(EVENT);
  await until("it is being sent", () => sent.length === 1);
  await withdraw("errors");
  resolve({ ...OFFLINE, status: 503 });
  await until("the store is empty", () => isEmpty(store));
  assert.equal(page.receiptOf("secret")?.outcome, "withdrawn");
});

for (
  const [what, store] of [
    ["stored", createMemoryStore()],
    ["in memory only", { ...createMemoryStore(), put: () => Promise.reject(new Error("full")) }],
  ] as const
) {
  Deno.test(`envelope of two kinds, ${what}, one withdrawn → deleted, the other is counted`, async () => {
    const { page, answers, sent, withdraw } = open(store);
    await page.deliver(MIXED);
    sent.length = 0;
    answers.respond = () => Promise.resolve(ACCEPTED);
    await withdraw("errors");
    // A success after the failures above reports what was lost.
    page.delivery.deliver(log());
    page.delivery.retryNow();
    const reports = () => sent.filter((body) => body.includes('"client_report"'));
    await until("the other is reported", () => reports().length > 0 && page.waiting === 0);
    assert.deepEqual(
      reports().map((body) => JSON.parse(body.split("\n")[2]!).discarded_events),
      [[{ reason: "event_processor", category: "log_item", quantity: 2 }]],
    );
    assert.equal(page.withdrawn, 1);
    await until("the store is empty", () => isEmpty(store));
  });
}

Deno.test("page ended during the withdrawal → the next deletes it from store and journal", async () => {
  sessionStorage.clear();
  const store = createMemoryStore();
  await open(store, new Journal(sessionStorage)).page.deliver(EVENT);
  const lost = [...discardedOf(7, "error"), ...discardedOf(8, "log_item")];
  await store.count("counted", lost);
  sessionStorage.setItem("envelope:ended", JSON.stringify(["", lost]));
  const { denied, answers, sent } = open(store, new Journal(sessionStorage));
  denied.add("errors");
  answers.respond = () => Promise.resolve(ACCEPTED);
  await until(
    "the discarded events are reported",
    async () => sent.length > 0 && await isEmpty(store),
  );
  assert.deepEqual(
    sent.map((body) => JSON.parse(body.split("\n")[2]!).discarded_events),
    [discardedOf(16, "log_item")],
  );
  assert.equal(sessionStorage.length, 0);
});

Deno.test("withdrawn → journal entries of all pages and counted discarded events are deleted at once", async () => {
  sessionStorage.clear();
  const store = { ...createMemoryStore(), put: () => new Promise<void>(() => {}) };
  const { page, denied } = open(store, new Journal(sessionStorage));
  await until("nothing is waiting", () => page.isLoaded && page.waiting === 0);
  page.delivery.deliver(EVENT);
  page.delivery.deliver(MIXED);
  page.delivery.countDiscarded(discardedOf(3, "error"));
  denied.add("errors");
  void page.delivery.applyConsent();
  const entries = Object.values(sessionStorage).map((entry) =>
    JSON.parse(entry)[1] as DiscardedEvents[]
  );
  assert.deepEqual(entries.map((discarded) => discarded.map(({ category }) => category)), [[
    "log_item",
  ]]);
  page.delivery.countDiscarded(discardedOf(3, "error"));
  assert.equal(sessionStorage.length, 1);
  sessionStorage.clear();
});
