import assert from "node:assert/strict";
import type { Envelope } from "@sentry/core";
import { INTERNAL_RELAY_URL } from "../protocol/relay_api.ts";
import { createRelayTransport, startClient } from "./runtime_client.ts";
import { Scrubber } from "./scrubber.ts";

Deno.test("drops of several reasons → one client report with their sums, then none", async () => {
  const sent: string[] = [];
  const client = startClient({
    dsn: "https://key@example.invalid/1",
    environment: "test",
    async deliver(request) {
      sent.push(await request.text());
      return new Response();
    },
  }, new Scrubber("file:///srv/"));
  client.recordDroppedEvent("queue_overflow", "span", 2);
  client.recordDroppedEvent("queue_overflow", "span");
  client.recordDroppedEvent("ratelimit_backoff", "error");
  client["_flushOutcomes"]();
  client["_flushOutcomes"]();
  await client.flush(1_000);

  assert.equal(sent.length, 1);
  const [header = "", item = "", payload = ""] = sent[0]!.split("\n");
  assert.equal(JSON.parse(header).dsn, "https://key@example.invalid/1");
  assert.equal(JSON.parse(item).type, "client_report");
  assert.deepEqual(JSON.parse(payload).discarded_events, [
    { reason: "queue_overflow", category: "span", quantity: 3 },
    { reason: "ratelimit_backoff", category: "error", quantity: 1 },
  ]);
});

const HEADER = { dsn: "https://key@example.invalid/1" };
const SPANS = [HEADER, [[{ type: "span", item_count: 2 }, { items: [] }]]] as unknown as Envelope;
const EVENT = [HEADER, [[{ type: "event" }, { message: "é" }]]] as unknown as Envelope;
const EVENT_TEXT = `${JSON.stringify(HEADER)}\n{"type":"event"}\n{"message":"é"}`;

/** A transport to a relay that always answers so. */
function transportTo(status: number, headers: HeadersInit = {}) {
  const bodies: string[] = [];
  const counted: string[] = [];
  const transport = createRelayTransport({
    url: INTERNAL_RELAY_URL,
    headers: { "user-agent": "test/1" },
    recordDroppedEvent: (reason, category) => void counted.push(`${reason}:${category}`),
  }, async (request) => {
    assert.deepEqual([request.method, request.headers.get("user-agent")], ["POST", "test/1"]);
    bodies.push(await request.text());
    return new Response("{}", { status, headers });
  });
  return { transport, bodies, counted };
}

for (const status of [200, 403, 413, 500, 503]) {
  const result = status === 200 ? "delivered" : "the loss is counted";
  Deno.test(`relay answers ${status} → ${result}, its bytes are sent once`, async () => {
    const { transport, bodies, counted } = transportTo(status);
    const sending = Promise.resolve(transport.send(EVENT));
    if (status === 200) await sending;
    else await assert.rejects(sending, /The relay answered/);
    assert.deepEqual(bodies, [EVENT_TEXT]);
    assert.deepEqual(counted, status === 200 ? [] : ["network_error:error"]);
  });
}

for (const status of [429, 200]) {
  Deno.test(`rate limit on ${status} → its categories are dropped, others are sent`, async () => {
    const limits = { "x-sentry-rate-limits": "60:span:organization" };
    const { transport, bodies, counted } = transportTo(status, limits);
    for (const envelope of [SPANS, SPANS, EVENT]) await transport.send(envelope);
    assert.deepEqual([bodies.length, bodies[1]], [2, EVENT_TEXT]);
    assert.deepEqual(counted, ["ratelimit_backoff:span"]);
  });
}
