import assert from "node:assert/strict";
import { createEnvelope, type Envelope } from "@sentry/core/browser";
import type { Loss } from "../journal_entry.ts";
import type { Receipt } from "../receipt.ts";
import { Delivery } from "./delivery.ts";
import { describeEnvelope } from "./describe_envelope.ts";
import { createMemoryStore } from "./_memory_store.ts";
import type { Answer, SendEnvelope } from "./send_envelope.ts";
import { createDeliveryTransport } from "./transport.ts";

const REPORT = new TextEncoder().encode("{}\n");
const TAKEN: Answer = { status: 200, retryAfter: null, rateLimits: null };
const envelope = (...types: string[]) =>
  createEnvelope(
    { event_id: "e" } as never,
    types.map((type) => [{ type }, {}]) as never,
  ) as Envelope;

function open(send: SendEnvelope) {
  const receipts: Receipt[] = [];
  const store = createMemoryStore();
  const delivery = new Delivery({
    store: Promise.resolve(store),
    send,
    onReceipt: () => {},
    onWaiting: () => {},
  });
  const transport = createDeliveryTransport(delivery, (receipt) => receipts.push(receipt))({
    url: "/monitoring",
    recordDroppedEvent: () => assert.fail("the delivery keeps count itself"),
  });
  return { transport, receipts, store };
}

Deno.test("while a limit holds, new items of its category are dropped and accounted for", async () => {
  const sent: string[] = [];
  const { transport, receipts, store } = open((bytes) => {
    sent.push(new TextDecoder().decode(bytes));
    return Promise.resolve({ ...TAKEN, rateLimits: "60:error:key" });
  });
  await transport.send(envelope("event"));
  assert.deepEqual(await transport.send(envelope("event")), {});
  await transport.send(envelope("event", "log"));
  assert.deepEqual(sent.map((body) => body.includes('"event"')), [true, false]);
  let counted: readonly Loss[] = [];
  await store.report((losses) => {
    counted = losses;
    return { meta: describeEnvelope(REPORT, "report", 0), bytes: REPORT };
  }, () => false);
  assert.deepEqual(counted, [{ reason: "ratelimit_backoff", category: "error", quantity: 2 }]);
  assert.deepEqual(receipts.map(({ outcome, attempts }) => [outcome, attempts]), [
    ["rate_limited", 0],
    ["rate_limited", 0],
  ]);
});
