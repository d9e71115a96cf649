/** Attacks on `GET /signal`: connections are held briefly, and little quota is used. */
import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { relayEnv } from "../runtime/_reporting_server.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { TcpClient } from "../harness/tcp_client.ts";

const PIPELINED = 8;

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const HEALTH = get("/monitoring");

const ATTACKS = [
  // More connections than the limit, which sheds load.
  { connections: 2, limit: 2 },
  { connections: 60, limit: 50 },
];

for (const { connections, limit } of ATTACKS) {
  Deno.test(`${connections} connections with pipelined delays, MAX_CONNECTIONS=${limit} → a client is answered`, async () => {
    await using server = await startServer({ env: { MAX_CONNECTIONS: `${limit}` } });
    using clients = new DisposableStack();
    const attack = HEALTH + get("/signal?delay_ms=5000").repeat(PIPELINED);
    for (let n = 0; n < connections; n++) {
      const client = clients.use(await TcpClient.connect(server.port));
      await client.send(attack);
      // Its delays have started then. Connections beyond the limit may have to wait.
      if (n < limit) await client.until(({ text }) => text.includes("is_healthy"));
    }
    // Unbounded, the connections are held for 8 times 5 s: 40 s. `until` waits for 20 s.
    using client = await TcpClient.connect(server.port);
    await client.send(HEALTH);
    await client.until(({ text }) => text.includes("is_healthy"));
  });
}

Deno.test("client requests 100 server errors → 10 errors a minute", async () => {
  await using server = await startServer();
  const statuses: number[] = [];
  for (let n = 0; n < 100; n++) {
    const headers = { "X-Forwarded-For": `192.0.2.${n}`, "Sec-Fetch-Site": "same-origin" };
    statuses.push(await statusOf(fetch(`${server.origin}/signal?throw=true`, { headers })));
  }
  // On a slow machine some tokens are refilled: one in 6 s.
  const thrown = server.output().match(/^Error: Server error, made on purpose/gm)?.length ?? 0;
  assert.ok(thrown >= 10 && thrown <= 20, `${thrown}`);
  assert.equal(statuses.filter((status) => status === 500).length, thrown);
  assert.equal(statuses.filter((status) => status === 429).length, 100 - thrown);
});

Deno.test("relay mode in production, failing signals → answered, no event or log reaches the ingest", async () => {
  await using ingest = startStandInIngest();
  const env = { ...relayEnv(ingest), SENTRY_ENVIRONMENT: "production" };
  const server = await startServer({ env });
  try {
    for (const [query, status] of [["throw=true", 500], ["status=503", 503]] as const) {
      const response = await fetch(`${server.origin}/signal?${query}`);
      assert.equal(response.status, status);
      assert.match((await response.json()).detail, /not reported to Sentry/);
    }
  } finally {
    // It delivers its own telemetry before it ends.
    await server.stop();
  }
  const arrived = ingest.requests.map(({ text }) => text);
  assert.ok(
    arrived.some((text) => text.includes("The server is stopping")),
    "its own log is delivered",
  );
  for (const text of arrived) {
    assert.doesNotMatch(text, /^\{[^\n]*"type":"event"/m);
    assert.doesNotMatch(text, /answered with a failure|made on purpose/);
  }
});
