/** Connections that are opened and left: a cap on them, and a process that runs out of descriptors. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { DSN, fresh } from "../relay/_start_relay.ts";
import { startStandInIngest } from "../stand_in_ingest.ts";
import { startServer } from "../../tools/server_process.ts";
import { startLimitedServer, Visitor } from "./_crowd.ts";

const HEALTH = "GET /monitoring HTTP/1.1\r\nHost: localhost\r\n\r\n";
/**
 * A request under way for as long as a test likes: its body is not all there. That the server reads
 * it is seen by `100 Continue` (RFC 9110, section 10.1.1).
 */
const HALF_BODY =
  "POST /monitoring HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{";

/** What the attacker sends on each connection before he leaves it open. */
const LEFT = {
  "that say nothing": "",
  "that stop in the middle of a request's head": "GET / HTTP/1.1\r\nHost: local",
  "that stay after one answer": HEALTH,
};

/** Connections that this process can open itself, up to ten thousand. */
async function crowdSize(): Promise<number> {
  if (Deno.build.os !== "linux") return 2_000;
  const limits = await Deno.readTextFile("/proc/self/limits");
  const descriptors = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 1_024);
  return Math.min(10_000, descriptors - 200);
}

const windows = Deno.build.os === "windows";

for (const [kind, said] of Object.entries(LEFT)) {
  Deno.test({
    // There is no `ulimit` there.
    ignore: windows,
    name:
      `thousands of connections ${kind}, more than there are descriptors: the server lives, and answers others throughout`,
    async fn() {
      await using server = await startLimitedServer(256);
      const health = async () => {
        const response = await fetch(`http://127.0.0.1:${server.port}/monitoring`, {
          headers: { connection: "close" },
          signal: AbortSignal.timeout(10_000),
        });
        return (await response.json()).is_healthy;
      };
      const crowd = await crowdSize();
      using visitors = new DisposableStack();
      const come = async () => {
        const visitor = visitors.use(await Visitor.come(server.port));
        await visitor.say(said);
      };
      for (let arrived = 0; arrived < crowd; arrived += 100) {
        await Promise.all(Array.from({ length: 100 }, come));
        if (arrived % 2_000 === 0) assert.equal(await health(), true, `after ${arrived}`);
      }
      assert.equal(await health(), true, "while they are all there");
      visitors.dispose();
      assert.equal(await health(), true, "once they are gone");
      assert.equal(server.isRunning(), true);
      assert.equal(server.output().match(/No descriptor is left/g)?.length, 1, "told once");
    },
  });
}

Deno.test({
  ignore: windows,
  name:
    "no descriptor left while envelopes come: each is acknowledged and arrives, or is asked for again",
  async fn() {
    await using ingest = startStandInIngest();
    const env = { SENTRY_DSN: DSN, RELAY_UPSTREAM: ingest.origin };
    await using server = await startLimitedServer(128, undefined, 0, env);
    using visitors = new DisposableStack();
    const acknowledged: string[] = [];
    for (let n = 0; n < 40; n++) {
      const come = async () => void visitors.use(await Visitor.come(server.port));
      await Promise.all(Array.from({ length: 25 }, come));
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

Deno.test({
  ignore: windows,
  name:
    "a runtime that counts no connections, and more of them than there are descriptors: it listens again, and answers",
  async fn() {
    const main = fileURLToPath(new URL("testdata/reopening.ts", import.meta.url));
    // Deno permits to listen again only at a port that was named before.
    const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    free.close();
    await using server = await startLimitedServer(128, main, free.addr.port);
    using visitors = new DisposableStack();
    for (let arrived = 0; arrived < 500; arrived++) {
      // Between two listeners nothing listens.
      await Visitor.come(server.port).then((visitor) => visitors.use(visitor), () => {});
    }
    const deadline = Date.now() + 20_000;
    const ask = async (): Promise<Response> => {
      try {
        return await fetch(`http://127.0.0.1:${server.port}/`);
      } catch (error) {
        if (Date.now() > deadline) throw error;
        return await ask();
      }
    };
    assert.deepEqual(await (await ask()).json(), { is_healthy: true });
    assert.match(server.output(), /Lost/);
    assert.equal(server.isRunning(), true);
  },
});

Deno.test("MAX_CONNECTIONS: one more closes the one that has been idle for the longest, and no other", async () => {
  await using server = await startServer({ env: { MAX_CONNECTIONS: "4" } });
  using stack = new DisposableStack();
  const visitors: Visitor[] = [];
  for (let i = 0; i < 4; i++) visitors.push(stack.use(await Visitor.come(server.port)));
  for (const visitor of visitors) {
    await visitor.say(HEALTH);
    await visitor.until(({ text }) => text.includes("is_healthy"));
  }
  // The first is now the one that was served last.
  await visitors[0]!.say(HEALTH);
  await visitors[0]!.until(({ text }) => text.split("is_healthy").length === 3);

  const fifth = stack.use(await Visitor.come(server.port));
  await fifth.say(HEALTH);
  await fifth.until(({ text }) => text.includes("is_healthy"));
  await visitors[1]!.until(({ isClosed }) => isClosed);
  // The others still are answered.
  for (const visitor of [visitors[0]!, visitors[2]!, visitors[3]!]) {
    const before = visitor.text.length;
    await visitor.say(HEALTH);
    await visitor.until(({ text }) => text.length > before);
    assert.equal(visitor.isClosed, false);
  }
});

Deno.test("MAX_CONNECTIONS: a request under way is broken off for nobody, further connections wait for their turn", async () => {
  await using server = await startServer({ env: { MAX_CONNECTIONS: "2" } });
  using stack = new DisposableStack();
  const begin = async () => {
    const visitor = stack.use(await Visitor.come(server.port));
    await visitor.say(HALF_BODY);
    await visitor.until(({ text }) => text.includes("100 Continue"));
    return visitor;
  };
  const [one, two] = [await begin(), await begin()];
  const three = stack.use(await Visitor.come(server.port));
  await three.say(HEALTH);
  await one.say("}");
  await one.until(({ text }) => text.includes("200 OK"));
  await three.until(({ text }) => text.includes("is_healthy"));
  assert.equal(two.isClosed, false);
  await two.say("}");
  await two.until(({ text }) => text.includes("200 OK"));
});

Deno.test("MAX_CONNECTIONS: bodies that never come keep nobody out: they are let go, and their connections with them", async () => {
  await using server = await startServer({ env: { MAX_CONNECTIONS: "4" } });
  using stack = new DisposableStack();
  const held: Visitor[] = [];
  for (let i = 0; i < 4; i++) {
    const visitor = stack.use(await Visitor.come(server.port));
    await visitor.say(HALF_BODY);
    await visitor.until(({ text }) => text.includes("100 Continue"));
    held.push(visitor);
  }
  const honest = stack.use(await Visitor.come(server.port));
  await honest.say(HEALTH);
  await honest.until(({ text }) => text.includes("is_healthy"));
  await held[0]!.until(({ isClosed }) => isClosed);
  assert.match(held[0]!.text, /503 [^]*"error":"overloaded"/);
});

Deno.test("MAX_CONNECTIONS: refused before their body has come, connections keep nobody out", async () => {
  await using server = await startServer({ env: { MAX_CONNECTIONS: "4" } });
  using stack = new DisposableStack();
  for (let i = 0; i < 4; i++) {
    const visitor = stack.use(await Visitor.come(server.port));
    const head = "POST /monitoring HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n";
    await visitor.say(`${head}Origin: https://evil.example\r\n\r\n`);
    await visitor.until(({ text }) => text.includes("origin_not_allowed"));
  }
  const honest = stack.use(await Visitor.come(server.port));
  await honest.say(HEALTH);
  await honest.until(({ text }) => text.includes("is_healthy"));
});

Deno.test("connections that are reset as soon as they are open: the server answers the next one", async () => {
  await using server = await startServer();
  const reset = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(server.port, "127.0.0.1", () => socket.resetAndDestroy());
    socket.on("error", () => {}).on("close", () => resolve());
    return promise;
  };
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 50 }, reset));
  const health = await fetch(`${server.origin}/monitoring`, {
    signal: AbortSignal.timeout(10_000),
  });
  assert.equal((await health.json()).is_healthy, true);
});

Deno.test("a server with connections that were opened and left stops in time", async () => {
  await using server = await startServer();
  using stack = new DisposableStack();
  for (const said of ["", ...Object.values(LEFT), HALF_BODY]) {
    const visitor = stack.use(await Visitor.come(server.port));
    await visitor.say(said);
  }
  const before = performance.now();
  const { code } = await server.stop();
  assert.equal(code, 0);
  assert.ok(performance.now() - before < 5_000);
});
