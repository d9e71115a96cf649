import assert from "node:assert/strict";
import { startClient } from "./runtime_client.ts";
import { Scrubber } from "./scrubber.ts";

function startTestClient(dsn: string) {
  const sent: string[] = [];
  const { client } = startClient({
    dsn,
    environment: "test",
    async deliver(request) {
      sent.push(await request.text());
      return new Response();
    },
    scrubber: new Scrubber("file:///srv/"),
  });
  return { client, sent };
}

Deno.test("drops of several reasons → one client report with their sums, then none", async () => {
  const { client, sent } = startTestClient("https://key@example.invalid/1");
  client.recordDroppedEvent("queue_overflow", "span", 2);
  client.recordDroppedEvent("queue_overflow", "span");
  client.recordDroppedEvent("ratelimit_backoff", "error");
  client.reportDropped();
  client.reportDropped();
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

Deno.test("invalid DSN → TypeError", () => {
  assert.throws(() => startTestClient("not a DSN"), /Cannot start telemetry: the DSN is not valid/);
});
