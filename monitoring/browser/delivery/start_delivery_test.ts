import assert from "node:assert/strict";
import { createEnvelope, type Envelope } from "@sentry/core/browser";
import type { Receipt } from "../telemetry_state.ts";
import type { Allows } from "./consented.ts";
import { Delivery } from "./delivery.ts";
import { Journal } from "./journal.ts";
import type { Loss } from "./journal_entry.ts";
import { sumLosses } from "./loss_counter.ts";
import { createSharedRateLimits } from "./rate_limits.ts";
import type { SendEnvelope, SendResult } from "./send_envelope.ts";
import { createTransport } from "./start_delivery.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";

const ACCEPTED: SendResult = { status: 200, retryAfter: null, rateLimits: null, sentBytes: 1 };
const envelope = (...types: string[]) =>
  createEnvelope(
    { event_id: "e" } as never,
    types.map((type) => [{ type }, {}]) as never,
  ) as Envelope;

function createTestTransport(send: SendEnvelope, allows: Allows = () => true) {
  const receipts: Receipt[] = [];
  const store = createMemoryStore();
  const delivery = new Delivery({
    store: Promise.resolve(store),
    send,
    journal: new Journal(undefined),
    limits: createSharedRateLimits(undefined),
    dsn: "",
    onReceipt: () => {},
    onWaiting: () => {},
    onStored: () => {},
    onDropped: () => {},
    allows,
    onWithdrawn: () => {},
  });
  const transport = createTransport(
    delivery,
    allows,
    (receipt) => receipts.push(receipt),
    () => {},
  )({
    url: "/monitoring",
    recordDroppedEvent: () => assert.fail("the delivery counts losses itself"),
  });
  return { transport, receipts, store };
}

Deno.test("rate limit → new items of its category are dropped and counted", async () => {
  const sent: string[] = [];
  const { transport, receipts, store } = createTestTransport((bytes) => {
    sent.push(new TextDecoder().decode(bytes));
    return Promise.resolve({ ...ACCEPTED, rateLimits: "60:error:key" });
  });
  await transport.send(envelope("event"));
  assert.deepEqual(await transport.send(envelope("event")), {});
  await transport.send(envelope("event", "log"));
  assert.deepEqual(sent.map((body) => body.includes('"event"')), [true, false]);
  let counted: readonly Loss[] = [];
  await store.report((losses) => void (counted = sumLosses(losses)), () => false);
  assert.deepEqual(counted, [{ reason: "ratelimit_backoff", category: "error", quantity: 2 }]);
  assert.deepEqual(receipts.map(({ outcome, attempts }) => [outcome, attempts]), [
    ["rate_limited", 0],
    ["rate_limited", 0],
  ]);
});

Deno.test("item of a kind that is not granted → not sent, not counted, no receipt", async () => {
  const sent: string[] = [];
  const { transport, receipts, store } = createTestTransport((bytes) => {
    sent.push(new TextDecoder().decode(bytes));
    return Promise.resolve(ACCEPTED);
  }, (kind) => kind === "logs");
  assert.deepEqual(await transport.send(envelope("event")), {});
  await transport.send(envelope("span", "log", "replay_recording", "feedback", "session"));
  assert.equal(sent.length, 1);
  assert.deepEqual(sent[0]!.match(/"type":"\w+"/g), ['"type":"log"']);
  await store.report(() => assert.fail("nothing is counted"), () => false);
  assert.deepEqual(receipts, []);
});
