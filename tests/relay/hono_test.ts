/** The relay mounted in a Hono application: docs/examples/hono.ts. */
import { createRelay, type RelayOptions } from "@sightglass/server/relay";
import assert from "node:assert/strict";
import { createApp } from "../../docs/examples/hono.ts";
import { logsJson, tracesJson } from "../harness/otlp_bodies.ts";
import { hangs, type StandInIngest, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { expectError } from "./_expect.ts";
import { envelope } from "./_start_relay.ts";
import { sendRaw } from "../harness/send_raw.ts";
import { findStablePort } from "../harness/stable_port.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const root = new URL("../../", import.meta.url);
const dsnAt = (ingest: StandInIngest) => `http://key@${ingest.host}/1`;

/** A relay in the application of the example, served on a free port. */
interface ServedApp extends AsyncDisposable {
  readonly origin: string;
  post(body: Uint8Array<ArrayBuffer>): Promise<Response>;
  /** `GET /monitoring` */
  health(): Promise<Response>;
  closeRelay(): Promise<void>;
}

async function serveApp(
  ingest: StandInIngest,
  options: Partial<RelayOptions> = {},
): Promise<ServedApp> {
  const relay = await createRelay({ dsns: [dsnAt(ingest)], log() {}, ...options });
  const { fetch: serve } = createApp(relay);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, serve);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    origin,
    post: (body) => fetch(`${origin}/monitoring`, { method: "POST", body }),
    health: () => fetch(`${origin}/monitoring`),
    closeRelay: () => relay.close(),
    async [Symbol.asyncDispose]() {
      await Promise.all([relay.close(), server.shutdown()]);
    },
  };
}

/** A test that fails if connections, timers or the spool's thread are left. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: true, sanitizeResources: true });
}

test("Hono application with the relay → envelopes arrive byte for byte, its routes answer", async () => {
  await using ingest = startStandInIngest();
  await using app = await serveApp(ingest);
  const small = envelope({ dsn: dsnAt(ingest), event_id: "a".repeat(32) });
  const attachment = crypto.getRandomValues(new Uint8Array(60_000));
  const large = envelope({ dsn: dsnAt(ingest) }, [
    [{ type: "event" }, "{}"],
    ...Array.from({ length: 5 }, () => [{ type: "attachment" }, attachment] as const),
  ]);
  for (const body of [small, large]) {
    const response = await app.post(body);
    assert.equal(response.status, 200, await response.text());
    assert.equal(response.headers.get("x-relay-outcome"), "delivered");
  }
  assert.deepEqual(ingest.requests.map(({ body }) => body), [small, large]);
  assert.equal(ingest.requests[0]?.path, "/api/1/envelope/");
  assert.equal(await (await fetch(app.origin)).text(), "Hello");
});

test("GET → health, PUT → 405 with Allow", async () => {
  await using ingest = startStandInIngest();
  await using app = await serveApp(ingest);
  const health = await app.health();
  assert.equal(health.status, 200);
  const { is_healthy, mode } = await health.json();
  assert.deepEqual({ is_healthy, mode }, { is_healthy: true, mode: "relay" });
  const put = await fetch(`${app.origin}/monitoring`, { method: "PUT", body: "{}" });
  assert.equal(put.status, 405, await put.text());
  assert.equal(put.headers.get("allow"), "GET, HEAD, POST, OPTIONS");
});

test("POST of OTLP, at any path that ends as its address → to the ingest's", async () => {
  await using ingest = startStandInIngest();
  const relay = await createRelay({ dsns: [dsnAt(ingest)] });
  const post = async (path: string, body: Uint8Array<ArrayBuffer>) => {
    const headers = {
      "content-type": "application/json",
      "x-sentry-auth": "Sentry sentry_key=key",
    };
    const request = new Request(`http://app.example${path}`, { method: "POST", headers, body });
    const response = await relay.handler(request);
    return `${response.status} ${await response.text()}`;
  };
  assert.equal(await post("/v1/traces", tracesJson()), "200 {}");
  assert.equal(await post("/monitoring/v1/logs/", logsJson()), "200 {}");
  assert.equal(await post("/api/1/integration/otlp/v1/traces/", tracesJson()), "200 {}");
  assert.match(await post("/api/2/integration/otlp/v1/traces", tracesJson()), /^403 /);
  assert.match(await post("/v1/metrics", new TextEncoder().encode("{}")), /^501 /);
  await relay.close();
  assert.deepEqual(
    ingest.requests.map(({ path }) => path),
    ["traces", "logs", "traces"].map((signal) => `/api/1/integration/otlp/v1/${signal}`),
  );
});

test("ingest down, dataDir → 202, delivered by the next relay once the ingest is up", async () => {
  using folder = temporaryFolder();
  const port = findStablePort();
  const down = startStandInIngest({ port });
  await down.close();
  const sent = envelope({ dsn: dsnAt(down), event_id: "b".repeat(32) });
  {
    await using app = await serveApp(down, { dataDir: folder.path });
    const response = await app.post(sent);
    assert.equal(response.status, 202, await response.text());
    assert.equal(response.headers.get("x-relay-outcome"), "spooled");
  }
  await using ingest = startStandInIngest({ port });
  await using _app = await serveApp(ingest, { dataDir: folder.path });
  const arrived = await ingest.waitFor(([first]) => first);
  assert.deepEqual(arrived.body, sent);
});

test("close() while the ingest is silent → the envelope is spooled, later ones get 503", async () => {
  using folder = temporaryFolder();
  await using ingest = startStandInIngest();
  ingest.behave(hangs);
  await using app = await serveApp(ingest, { dataDir: folder.path });
  const posted = app.post(envelope({ dsn: dsnAt(ingest) }));
  await ingest.waitFor(([first]) => first);
  const closing = app.closeRelay();
  assert.equal(closing, app.closeRelay(), "repeated calls return the first promise");
  const response = await posted;
  assert.equal(response.status, 202, await response.text());
  await closing;
  const health = await app.health();
  assert.equal(health.status, 503, await health.text());
  await expectError(await app.post(envelope({ dsn: dsnAt(ingest) })), 503, "overloaded");
});

test("no remoteAddr → no address is forwarded; with it, that of the connection", async () => {
  await using ingest = startStandInIngest();
  const relay = await createRelay({ dsns: [dsnAt(ingest)], forwardClientIp: true });
  const post = (made: number) =>
    new Request("http://app.example/t", {
      method: "POST",
      body: envelope({ dsn: dsnAt(ingest), made }),
    });
  assert.equal((await relay.handler(post(1))).status, 200);
  const info = { remoteAddr: { hostname: "127.0.0.1" } };
  assert.equal((await relay.handler(post(2), info)).status, 200);
  await relay.close();
  const addresses = ingest.requests.map(({ headers }) => headers["x-forwarded-for"]);
  assert.deepEqual(addresses, [undefined, "127.0.0.1"]);
});

const INVALID: readonly [Partial<RelayOptions>, RegExp][] = [
  [{ dsns: [] }, /: dsns is \[\]\. It must be a list with at least one DSN\.$/],
  [{ dsns: ["", "x"] }, /: dsns\[0\] is ""\. It must be a Sentry DSN such as /],
  [{ upstream: "https://a.example/path" }, /: upstream is .* an origin such as /],
  [{ publicOrigin: "a.example" }, /: publicOrigin is "a.example"\. /],
  [{ allowedOrigins: ["*"] }, /: allowedOrigins\[0\] is "\*"\. /],
  [{ trustedProxyHeader: "x y" }, /: trustedProxyHeader is "x y"\. .* HTTP header/],
  [{ maxEnvelopeBytes: 0 }, /: maxEnvelopeBytes is 0\. .* from 1 to \d+\.$/],
  [{ relayTimeoutMs: 0.5 }, /: relayTimeoutMs is 0\.5\. It must be a whole number/],
  [{ spoolMaxAgeHours: Infinity }, /: spoolMaxAgeHours is Infinity\. .* hours from 1/],
];
test("POST with a Host that is none → answered by the relay", async () => {
  await using ingest = startStandInIngest();
  const relay = await createRelay({ dsns: [dsnAt(ingest)], log() {} });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, relay.handler);
  const { addr: { port } } = server;
  const { status } = await sendRaw(port, "POST", "/", { Host: "a b" }, { body: "{}" });
  await Promise.all([relay.close(), server.shutdown()]);
  assert.equal(status, 200);
});

Deno.test("an option is not valid → an error states which, and what would be right", async () => {
  for (const [options, message] of INVALID) {
    await assert.rejects(
      createRelay({ dsns: ["https://key@o1.ingest.sentry.io/1"], ...options }),
      (error) => {
        assert.ok(error instanceof TypeError, `${error}`);
        assert.match(error.message, /^Cannot create the relay: /);
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

Deno.test("example of docs/embedding.md → runs with the stated permissions", async () => {
  const text = await Deno.readTextFile(new URL("docs/embedding.md", root));
  const flags = /deno run ((?:--allow-\S+ )+)/.exec(text)?.[1]?.trim() ?? "";
  assert.ok(flags, "docs/embedding.md has no command");

  using folder = temporaryFolder();
  await using ingest = startStandInIngest();
  const path = (url: URL) => decodeURI(url.pathname);
  const server = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      `--config=${path(new URL("deno.json", root))}`,
      ...flags.replace("o1.ingest.sentry.io", ingest.host)
        .replaceAll("sightglass/", path(root)).split(" "),
      path(new URL("docs/examples/hono.ts", root)),
    ],
    cwd: folder.path,
    env: { SENTRY_DSN: dsnAt(ingest), PORT: "0", NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let output = "";
  let isPosted = false;
  for await (const chunk of server.stderr.pipeThrough(new TextDecoderStream())) {
    output += chunk;
    const port = /http:\/\/[^:]+:(\d+)/.exec(output)?.[1];
    if (port === undefined || isPosted) continue;
    isPosted = true;
    const response = await fetch(`http://127.0.0.1:${port}/monitoring`, {
      method: "POST",
      body: envelope({ dsn: dsnAt(ingest) }),
    });
    assert.equal(response.status, 200, await response.text());
    server.kill("SIGTERM");
  }
  assert.equal((await server.status).code, 0, output);
  assert.equal(ingest.requests.length, 1);
});
