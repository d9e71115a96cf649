import assert from "node:assert/strict";
import type { Envelope } from "@sentry/core";
import { INTERNAL_RELAY_URL } from "../protocol/relay_api.ts";
import { createRelayTransport } from "./relay_transport.ts";

const HEADER = { dsn: "https://key@example.invalid/1" };
const spans = () =>
  [HEADER, [[{ type: "span", item_count: 2 }, { items: [] }]]] as unknown as Envelope;
const event = () => [HEADER, [[{ type: "event" }, { message: "é" }]]] as unknown as Envelope;

/** A transport to a relay that answers as the test wants. */
function setUp(answer: () => Response) {
  const bodies: string[] = [];
  const counted: string[] = [];
  const transport = createRelayTransport({
    url: INTERNAL_RELAY_URL,
    headers: { "user-agent": "test/1" },
    async deliver(request) {
      assert.equal(request.method, "POST");
      assert.equal(request.headers.get("user-agent"), "test/1");
      bodies.push(await request.text());
      return answer();
    },
    recordDroppedEvent: (reason, category) => void counted.push(`${reason}:${category}`),
  });
  return { transport, bodies, counted };
}

Deno.test("envelope → serialized bytes in a POST", async () => {
  const { transport, bodies, counted } = setUp(() => new Response("{}"));
  await transport.send(event());
  assert.deepEqual(bodies, [`${JSON.stringify(HEADER)}\n{"type":"event"}\n{"message":"é"}`]);
  assert.deepEqual([transport.undelivered, counted], [0, []]);
});

for (const status of [403, 413, 500, 503]) {
  Deno.test(`relay answers ${status} → the loss is counted, nothing is sent again`, async () => {
    const { transport, bodies, counted } = setUp(() => new Response(null, { status }));
    await assert.rejects(async () => await transport.send(event()), /The relay answered/);
    assert.deepEqual([bodies.length, transport.undelivered], [1, 1]);
    assert.deepEqual(counted, ["network_error:error"]);
  });
}

for (const [status, answered] of [[429, "429"], [200, "a 200"]] as const) {
  Deno.test(`rate limit on ${answered} → its categories are dropped, others are sent`, async () => {
    const headers = { "x-sentry-rate-limits": "60:span:organization" };
    const { transport, bodies, counted } = setUp(() => new Response("{}", { status, headers }));
    for (const envelope of [spans(), spans(), event()]) await transport.send(envelope);
    assert.equal(bodies.length, 2);
    assert.ok(bodies[1]?.includes('"type":"event"'));
    assert.deepEqual([transport.undelivered, counted], [0, ["ratelimit_backoff:span"]]);
  });
}
