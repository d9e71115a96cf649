/** Attacks with many open connections: the limit on connections, and running out of file descriptors. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { DSN, fresh } from "../relay/_start_relay.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { stopInTime } from "../harness/stop_in_time.ts";
import { until } from "../harness/until.ts";
import { startServer } from "../harness/server_process.ts";
import { TcpClient } from "../harness/tcp_client.ts";

const HEALTH = "GET /monitoring HTTP/1.1\r\nHost: localhost\r\n\r\n";
/**
 * A pending request: its body is incomplete. The server sends `100 Continue` when it reads the body (RFC
 * 9110, section 10.1.1).
 */
const HALF_BODY =
  "POST /monitoring HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{";

/** The start of an envelope of a megabyte. */
const UPLOAD_START = '{"dsn":"https://inbox@sightglass.invalid/1"}\n{"type":"attachment"}\n';
const SLOW_UPLOAD =
  "POST /monitoring HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + UPLOAD_START;

/** What the client sends on each connection before leaving it open. */
const ATTACKS = {
  "without data": "",
  "with an incomplete head": "GET / HTTP/1.1\r\nHost: local",
  "idle after a response": HEALTH,
};

/** Connections of one attack: many times the file descriptors of the server. */
const ATTACK_CONNECTIONS = 2_000;
/** Far longer than a response takes on a busy machine. */
const RESPONSE_TIMEOUT_MS = 30_000;
/** Shell command that limits the file descriptors of the server. */
const limitDescriptors = (count: number) => `ulimit -n ${count}`;

const windows = Deno.build.os === "windows";

for (const [kind, data] of Object.entries(ATTACKS)) {
  Deno.test({
    // Windows has no `ulimit`.
    ignore: windows,
    name: `connections ${kind}, more than file descriptors → other clients are answered`,
    async fn() {
      await using server = await startServer({ before: limitDescriptors(256) });
      const health = async () => {
        const response = await fetch(`http://127.0.0.1:${server.port}/monitoring`, {
          headers: { connection: "close" },
          signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
        });
        return (await response.json()).is_healthy;
      };
      using clients = new DisposableStack();
      const connect = async () => {
        const client = clients.use(await TcpClient.connect(server.port));
        await client.send(data);
      };
      for (let arrived = 0; arrived < ATTACK_CONNECTIONS; arrived += 100) {
        await Promise.all(Array.from({ length: 100 }, connect));
        if (arrived % 1_000 === 0) assert.equal(await health(), true, `after ${arrived}`);
      }
      assert.equal(await health(), true, "while all are open");
      clients.dispose();
      assert.equal(await health(), true, "after all are closed");
      assert.equal(server.output().match(/No descriptor is left/g)?.length, 1, "reported once");
    },
  });
}

Deno.test({
  ignore: windows,
  name: "no file descriptors left → each envelope is delivered, or answered with 503",
  async fn() {
    await using ingest = startStandInIngest();
    const env = { SENTRY_DSN: DSN, RELAY_UPSTREAM: ingest.origin };
    await using server = await startServer({ before: limitDescriptors(128), env });
    using clients = new DisposableStack();
    const acknowledged: string[] = [];
    for (let n = 0; n < 40; n++) {
      const connect = async () => void clients.use(await TcpClient.connect(server.port));
      await Promise.all(Array.from({ length: 25 }, connect));
      const body = new TextDecoder().decode(fresh());
      const response = await fetch(`http://127.0.0.1:${server.port}/monitoring`, {
        method: "POST",
        headers: { connection: "close" },
        body,
      });
      if (response.ok) acknowledged.push(body);
      else assert.equal(response.status, 503);
      await response.body?.cancel();
    }
    assert.match(server.output(), /No descriptor is left/);
    assert.ok(acknowledged.length > 0);
    await ingest.waitFor((all) =>
      acknowledged.every((body) => all.some(({ text }) => text === body))
    );
  },
});

/** Opens connections in parts, so that none is refused by the system's queue. */
async function openMany(
  clients: DisposableStack,
  port: number,
  count: number,
  data: string,
): Promise<TcpClient[]> {
  const opened: TcpClient[] = [];
  while (opened.length < count) {
    const hundred = await Promise.all(Array.from({ length: 100 }, () => TcpClient.connect(port)));
    await Promise.all(hundred.map((client) => client.send(data)));
    for (const client of hundred) opened.push(clients.use(client));
  }
  return opened;
}

Deno.test("MAX_CONNECTIONS exceeded → the longest idle connection is closed, no other", async () => {
  await using server = await startServer({ env: { MAX_CONNECTIONS: "4" } });
  using stack = new DisposableStack();
  const clients: TcpClient[] = [];
  for (let i = 0; i < 4; i++) clients.push(stack.use(await TcpClient.connect(server.port)));
  for (const client of clients) {
    await client.send(HEALTH);
    await client.until(({ text }) => text.includes("is_healthy"));
  }
  // Now the first one is the most recently used.
  await clients[0]!.send(HEALTH);
  await clients[0]!.until(({ text }) => text.split("is_healthy").length === 3);

  const fifth = stack.use(await TcpClient.connect(server.port));
  await fifth.send(HEALTH);
  await fifth.until(({ text }) => text.includes("is_healthy"));
  await clients[1]!.until(({ isClosed }) => isClosed);
  // The others are still answered.
  for (const client of [clients[0]!, clients[2]!, clients[3]!]) {
    const before = client.text.length;
    await client.send(HEALTH);
    await client.until(({ text }) => text.length > before);
    assert.equal(client.isClosed, false);
  }
});

Deno.test("MAX_CONNECTIONS, all requests pending → none is aborted, new connections wait", async () => {
  await using server = await startServer({ env: { MAX_CONNECTIONS: "2" } });
  using stack = new DisposableStack();
  const begin = async () => {
    const client = stack.use(await TcpClient.connect(server.port));
    await client.send(HALF_BODY);
    await client.until(({ text }) => text.includes("100 Continue"));
    return client;
  };
  const [one, two] = [await begin(), await begin()];
  const three = stack.use(await TcpClient.connect(server.port));
  await three.send(HEALTH);
  await one.send("}");
  await one.until(({ text }) => text.includes("200 OK"));
  await three.until(({ text }) => text.includes("is_healthy"));
  assert.equal(two.isClosed, false);
  await two.send("}");
  await two.until(({ text }) => text.includes("200 OK"));
});

/** Requests that hold their connections, and how each is known to have begun. */
const HELD: Record<string, [request: string, begun: string, end: RegExp]> = {
  "bodies that never arrive": [HALF_BODY, "100 Continue", /503 [^]*"error":"overloaded"/],
  "refused requests without their bodies": [
    HALF_BODY.replace("Expect: 100-continue", "Origin: https://evil.example").replace("{", ""),
    "origin_not_allowed",
    /403 /,
  ],
};
for (const [what, [request, begun, end]] of Object.entries(HELD)) {
  Deno.test(`MAX_CONNECTIONS, ${what} → closed, others are served`, async () => {
    await using server = await startServer({ env: { MAX_CONNECTIONS: "4" } });
    using stack = new DisposableStack();
    const held: TcpClient[] = [];
    for (let i = 0; i < 4; i++) {
      const client = stack.use(await TcpClient.connect(server.port));
      await client.send(request);
      await client.until(({ text }) => text.includes(begun));
      held.push(client);
    }
    const honest = stack.use(await TcpClient.connect(server.port));
    await honest.send(HEALTH);
    await honest.until(({ text }) => text.includes("is_healthy"));
    await held[0]!.until(({ isClosed }) => isClosed);
    assert.match(held[0]!.text, end);
  });
}

Deno.test("2,200 slow uploads → some are refused with a reason, no other client waits", async () => {
  await using server = await startServer();
  using stack = new DisposableStack();
  const slow = await openMany(stack, server.port, 2_200, SLOW_UPLOAD);
  // Faster than the minimum rate, so that time ends none.
  const trickle = setInterval(() => {
    for (const client of slow) void client.send("x".repeat(1_000));
  }, 1_000);
  stack.defer(() => clearInterval(trickle));
  const refused = () => slow.filter(({ text }) => /^HTTP\/1\.1 503 .*"overloaded"/s.test(text));
  await until("slow uploads are refused", () => Promise.resolve(refused().length >= 200));
  const body = UPLOAD_START + "x".repeat(1_000_000);
  await until("a large envelope is taken", async () => {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    const answer = await fetch(`${server.origin}/monitoring`, { method: "POST", body, signal });
    const text = await answer.text();
    if (answer.status !== 200) assert.match(text, /"error":"overloaded"/);
    return answer.ok;
  });
  const { rows } = await (await fetch(`${server.origin}/monitoring/inbox?view=refusals`)).json();
  assert.match(rows.at(-1).detail, /too slowly|Too many envelopes/);
});

Deno.test("connections reset immediately → the next one is answered", async () => {
  await using server = await startServer();
  const reset = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(server.port, "127.0.0.1", () => socket.resetAndDestroy());
    socket.on("error", () => {}).on("close", () => resolve());
    return promise;
  };
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 50 }, reset));
  const health = await fetch(`${server.origin}/monitoring`, {
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  assert.equal((await health.json()).is_healthy, true);
});

Deno.test("SIGTERM with open idle connections → stops in time", async () => {
  await using server = await startServer();
  using stack = new DisposableStack();
  for (const data of ["", ...Object.values(ATTACKS), HALF_BODY]) {
    const client = stack.use(await TcpClient.connect(server.port));
    await client.send(data);
  }
  await stopInTime(server);
});
