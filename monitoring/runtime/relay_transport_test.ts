import assert from "node:assert/strict";
import type { Envelope } from "@sentry/core";
import { INTERNAL_RELAY_URL } from "../protocol/relay_api.ts";
import { MAX_ENVELOPES } from "./outbox.ts";
import { createRelayTransport, type RelayTransport } from "./relay_transport.ts";

const HEADER = { dsn: "https://key@example.invalid/1" };
const spans = (count: number) =>
  [HEADER, [[{ type: "span", item_count: count }, { items: [] }]]] as unknown as Envelope;
const event = () => [HEADER, [[{ type: "event" }, { message: "é" }]]] as unknown as Envelope;
const clientReport = () =>
  [HEADER, [[{ type: "client_report" }, { discarded_events: [] }]]] as unknown as Envelope;

/** A transport to a relay that answers as the test wants. */
function setUp(answer: () => Response) {
  const bodies: string[] = [];
  const counted: string[] = [];
  const transport: RelayTransport = createRelayTransport({
    url: INTERNAL_RELAY_URL,
    headers: { "user-agent": "test/1" },
    async deliver(request) {
      assert.equal(request.method, "POST");
      assert.equal(request.headers.get("user-agent"), "test/1");
      bodies.push(await request.text());
      return answer();
    },
    recordDroppedEvent: (reason, category, quantity) =>
      void counted.push(`${reason}:${category}:${quantity}`),
  });
  return { transport, bodies, counted };
}

Deno.test("envelope → serialized bytes, header first", async () => {
  const { transport, bodies, counted } = setUp(() => new Response("{}"));
  await transport.send(event());
  assert.equal(await transport.flush(1000), true);
  assert.deepEqual(bodies, [
    `${JSON.stringify({ ...HEADER, sightglass: 1 })}\n{"type":"event"}\n{"message":"é"}`,
  ]);
  assert.deepEqual(counted, []);
});

Deno.test("refused envelope → dropped counts by category, a container by its items", async () => {
  const { transport, counted } = setUp(() => new Response(null, { status: 403 }));
  await transport.send(spans(7));
  await transport.send(event());
  await transport.send(clientReport());
  await transport.flush(1000);
  assert.deepEqual(counted, ["send_error:span:7", "send_error:error:1"]);
});

Deno.test("rate limit → its categories are dropped, others are sent", async () => {
  const headers = { "x-sentry-rate-limits": "60:span:organization" };
  const { transport, bodies, counted } = setUp(() => new Response(null, { status: 429, headers }));
  await transport.send(spans(2));
  await transport.flush(1000);
  await transport.send(spans(3));
  await transport.send(event());
  await transport.flush(1000);
  assert.equal(bodies.length, 2);
  assert.ok(bodies[1]?.includes('"type":"event"'));
  assert.deepEqual(counted, ["ratelimit_backoff:span:3"]);
});

Deno.test("rate limit on a 200, without categories → all categories limited", async () => {
  const headers = { "x-sentry-rate-limits": "60::organization" };
  const { transport, bodies, counted } = setUp(() => new Response("{}", { headers }));
  await transport.send(event());
  await transport.flush(1000);
  await transport.send(event());
  await transport.send(spans(2));
  assert.equal(bodies.length, 1);
  assert.deepEqual(counted, ["ratelimit_backoff:error:1", "ratelimit_backoff:span:2"]);
});

Deno.test("relay throws → the envelope is kept", async () => {
  const { transport, counted } = setUp(() => {
    throw new Error("not ready");
  });
  await transport.send(event());
  // The transport's timers do not keep the process running.
  const keeps = setTimeout(() => {}, 60_000);
  assert.equal(await transport.flush(50), false);
  clearTimeout(keeps);
  assert.equal(transport.waiting, 1);
  transport.abandon();
  assert.deepEqual([transport.waiting, counted], [0, []]);
});

Deno.test("queue overflow → counted by category, client reports are not", async () => {
  const { transport, counted } = setUp(() => new Response(null, { status: 503 }));
  for (let n = 0; n < MAX_ENVELOPES + 3; n++) await transport.send(spans(2));
  assert.equal(transport.waiting, MAX_ENVELOPES);
  assert.deepEqual(counted, Array(3).fill("queue_overflow:span:2"));
  await transport.send(clientReport());
  assert.deepEqual(counted, Array(4).fill("queue_overflow:span:2"));
  transport.abandon();
});
