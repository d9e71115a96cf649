import assert from "node:assert/strict";
import { createEnvelope, type Envelope } from "@sentry/core/browser";
import { until } from "../../../tests/harness/until.ts";
import type { Receipt } from "../telemetry_state.ts";
import type { Allows } from "./consented.ts";
import type { DiscardedEvents } from "./journal_writer.ts";
import { sumDiscarded } from "./discard_counter.ts";
import type { SendResult } from "./send_envelope.ts";
import { createTransport } from "./start_delivery.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { openPage, text } from "./testdata/page_with_relay.ts";

const envelope = (...types: string[]) =>
  createEnvelope(
    { event_id: "e" } as never,
    types.map((type) => [{ type }, {}]) as never,
  ) as Envelope;

/** A transport whose requests are accepted, with this header of rate limits. */
function createTestTransport(rateLimits: string | null, allows: Allows) {
  const receipts: Receipt[] = [];
  const buffered: (readonly [string, number])[] = [];
  const sent: string[] = [];
  const store = createMemoryStore();
  const answer: SendResult = { status: 200, retryAfter: null, rateLimits, sentBytes: 1 };
  const page = openPage({ url: "" }, store, {
    send: (bytes) => (sent.push(text(bytes)), Promise.resolve(answer)),
    allows,
  });
  const transport = createTransport(
    page.delivery,
    allows,
    (receipt) => receipts.push(receipt),
    (category, count) => buffered.push([category, count]),
    () => {},
  )({
    url: "/monitoring",
    recordDroppedEvent: () => assert.fail("the delivery counts discarded events itself"),
  });
  return { transport, receipts, buffered, sent, store, page };
}

Deno.test("rate limit → new items of its category are dropped and counted", async () => {
  const { transport, receipts, sent, store, page } = createTestTransport(
    "60:error:key",
    () => true,
  );
  assert.deepEqual(await transport.send(envelope("event")), { statusCode: 202 });
  await until("it was answered", () => page.waiting === 0);
  assert.deepEqual(await transport.send(envelope("event")), {});
  await transport.send(envelope("event", "log"));
  await until("the rest is sent", () => sent.length === 2);
  assert.deepEqual(sent.map((body) => body.includes('"event"')), [true, false]);
  let counted: readonly DiscardedEvents[] = [];
  await store.report((discarded) => void (counted = sumDiscarded(discarded)), () => false);
  assert.deepEqual(counted, [{ reason: "ratelimit_backoff", category: "error", quantity: 2 }]);
  assert.deepEqual(receipts.map(({ outcome, attempts }) => [outcome, attempts]), [
    ["rate_limited", 0],
    ["rate_limited", 0],
  ]);
});

Deno.test("item of a kind that is not granted → neither sent, counted nor buffered; no receipt", async () => {
  const { transport, receipts, buffered, sent, store } = createTestTransport(
    null,
    (kind) => kind === "logs",
  );
  assert.deepEqual(await transport.send(envelope("event")), {});
  await transport.send(envelope("span", "log", "replay_recording", "feedback", "session"));
  await until("the rest is sent", () => sent.length === 1);
  assert.deepEqual(sent[0]!.match(/"type":"\w+"/g), ['"type":"log"']);
  await store.report(() => assert.fail("nothing is counted"), () => false);
  assert.deepEqual(receipts, []);
  assert.deepEqual(buffered, [["span", -1], ["log_item", -1]]);
});
