import assert from "node:assert/strict";
import type { Envelope } from "@sentry/core";
import { MAX_PARCELS } from "./outbox.ts";
import { createRelayTransport, type RelayTransport } from "./relay_transport.ts";

const HEADER = { dsn: "https://key@example.invalid/1" };
const spans = (count: number) =>
  [HEADER, [[{ type: "span", item_count: count }, { items: [] }]]] as unknown as Envelope;
const event = () => [HEADER, [[{ type: "event" }, { message: "é" }]]] as unknown as Envelope;
const clientReport = () =>
  [HEADER, [[{ type: "client_report" }, { discarded_events: [] }]]] as unknown as Envelope;

/** A transport before a relay that answers as the test says. */
function setUp(answer: () => Response) {
  const bodies: string[] = [];
  const counted: string[] = [];
  const transport: RelayTransport = createRelayTransport({
    url: "http://relay.invalid/monitoring",
    headers: { "user-agent": "test/1" },
    async deliver(request) {
      assert.equal(request.method, "POST");
      assert.equal(request.headers.get("user-agent"), "test/1");
      bodies.push(await request.text());
      return answer();
    },
    recordDroppedEvent: (reason, category, quantity) =>
      void counted.push(`${reason}:${category}:${quantity}`),
    onLimited: ({ category, quantity }) => void counted.push(`limited:${category}:${quantity}`),
    onAbandoned: ({ category, quantity }) => void counted.push(`shutdown:${category}:${quantity}`),
  });
  return { transport, bodies, counted };
}

Deno.test("an envelope is handed over as bytes, its header first", async () => {
  const { transport, bodies, counted } = setUp(() => new Response("{}"));
  await transport.send(event());
  assert.equal(await transport.flush(1000), true);
  assert.deepEqual(bodies, [`${JSON.stringify(HEADER)}\n{"type":"event"}\n{"message":"é"}`]);
  assert.deepEqual(counted, []);
});

Deno.test("a refusal is counted by what was in the envelope: a container by its number of spans", async () => {
  const { transport, counted } = setUp(() => new Response(null, { status: 403 }));
  await transport.send(spans(7));
  await transport.send(event());
  await transport.send(clientReport());
  await transport.flush(1000);
  assert.deepEqual(counted, ["send_error:span:7", "send_error:error:1"]);
});

Deno.test("a limit of the ingest holds what it names back, and lets the rest go", async () => {
  const headers = { "x-sentry-rate-limits": "60:span:organization" };
  const { transport, bodies, counted } = setUp(() => new Response(null, { status: 429, headers }));
  await transport.send(spans(2));
  await transport.flush(1000);
  await transport.send(spans(3));
  await transport.send(event());
  await transport.flush(1000);
  assert.equal(bodies.length, 2);
  assert.ok(bodies[1]?.includes('"type":"event"'));
  assert.deepEqual(counted, ["limited:span:2", "ratelimit_backoff:span:3", "limited:error:1"]);
});

Deno.test("a limit on a success counts too, and all categories where it names none", async () => {
  const headers = { "x-sentry-rate-limits": "60::organization" };
  const { transport, bodies, counted } = setUp(() => new Response("{}", { headers }));
  await transport.send(event());
  await transport.flush(1000);
  await transport.send(event());
  await transport.send(spans(2));
  assert.equal(bodies.length, 1);
  assert.deepEqual(counted, ["ratelimit_backoff:error:1", "ratelimit_backoff:span:2"]);
});

Deno.test("a relay that throws has not answered: the envelope is kept", async () => {
  const { transport, counted } = setUp(() => {
    throw new Error("not ready");
  });
  await transport.send(event());
  // None of the transport's timers keeps a process.
  const keeps = setTimeout(() => {}, 60_000);
  assert.equal(await transport.flush(50), false);
  clearTimeout(keeps);
  assert.equal(transport.waiting, 1);
  transport.abandon();
  assert.deepEqual(counted, ["shutdown:error:1"]);
});

Deno.test("what finds no room is counted by category, and never the reports of what was dropped", async () => {
  const { transport, counted } = setUp(() => new Response(null, { status: 503 }));
  for (let n = 0; n < MAX_PARCELS + 3; n++) await transport.send(spans(2));
  assert.equal(transport.waiting, MAX_PARCELS);
  assert.deepEqual(counted, Array(3).fill("queue_overflow:span:2"));
  await transport.send(clientReport());
  assert.deepEqual(counted, Array(4).fill("queue_overflow:span:2"));
  transport.abandon();
});
