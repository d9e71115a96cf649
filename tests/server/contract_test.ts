/** Contract of the server as a whole, tested with the real server. */
import assert from "node:assert/strict";
import { get } from "node:http";
import { archiveHeader, archiveItem } from "../../monitoring/protocol/inbox_archive.ts";
import { startServer } from "../harness/server_process.ts";
import { sendRaw } from "../harness/send_raw.ts";

/** Nothing listens at this port: the server's own telemetry must not leave the test. */
const NOWHERE = "http://127.0.0.1:9";

/** For tests that only read: with the default configuration, with another, and in relay mode. */
const [server, configured, relay] = await Promise.all([
  startServer(),
  startServer({ env: { PUBLIC_ORIGIN: "https://glass.example", MONITORING_PATH: "/glass/in" } }),
  startServer({
    env: {
      SENTRY_DSN: "https://abc@o1.ingest.us.sentry.io/1",
      RELAY_UPSTREAM: NOWHERE,
      SENTRY_RELEASE: `<b>"&'`,
      SENTRY_ENVIRONMENT: "<!--<script>",
    },
  }),
]);

Deno.test.afterAll(async () => {
  await Promise.all([server, configured, relay].map((each) => each.stop()));
});

Deno.test("GET / → the page with CSP and security headers", async () => {
  const page = await sendRaw(server.port, "GET", "/");
  assert.equal(page.status, 200);
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  assert.match(page.text, /<h1>Sightglass<\/h1>/);
  assert.match(
    page.headers.get("content-security-policy") ?? "",
    /^default-src 'none'; script-src 'self' 'sha256-[^;]+; style-src 'self' 'sha256-[^;]+; connect-src 'self'; .*require-trusted-types-for 'script'; trusted-types default; report-uri \/monitoring\/security$/,
  );
  for (
    const [name, value] of [
      ["x-content-type-options", "nosniff"],
      ["referrer-policy", "same-origin"],
      ["cross-origin-opener-policy", "same-origin"],
    ] as const
  ) assert.equal(page.headers.get(name), value);
  assert.match(page.headers.get("permissions-policy") ?? "", /camera=\(\)/);
  assert.equal(page.headers.get("strict-transport-security"), null, "plain http");
});

Deno.test("GET / → mode, DSN, release and environment of the start, escaped", async () => {
  const page = (await sendRaw(relay.port, "GET", "/")).text;
  assert.ok(page.includes("&lt;b&gt;&quot;&amp;&#x27;"));
  assert.ok(page.includes("o1.ingest.us.sentry.io"));
  const client = /<script type="application\/json" id="client">(.*?)<\/script>/.exec(page)?.[1];
  assert.ok(client !== undefined && !client.includes("<"));
  const { dsn, tunnel, release, environment, mode } = JSON.parse(client);
  assert.deepEqual({ dsn, tunnel, release, environment, mode }, {
    dsn: "https://abc@o1.ingest.us.sentry.io/1",
    tunnel: "/monitoring",
    release: `<b>"&'`,
    environment: "<!--<script>",
    mode: "relay",
  });
});

Deno.test("PUBLIC_ORIGIN with https → Strict-Transport-Security", async () => {
  const page = await sendRaw(configured.port, "GET", "/");
  assert.match(page.headers.get("strict-transport-security") ?? "", /^max-age=\d+/);
});

Deno.test("unknown path, no text/html in Accept → JSON; in it, as browsers open pages → page", async () => {
  for (const { port } of [server, relay]) {
    for (const accept of [undefined, "*/*", "application/json", "image/*,*/*;q=0.8"]) {
      const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
      for (
        const [method, path] of [["GET", "/assets/%2e%2e/manifest.json"], ["DELETE", "/x"], [
          "POST",
          "/v1/profiles",
        ]]
      ) {
        const answer = await sendRaw(port, method!, path!, headers);
        assert.equal(answer.status, 404, `${method} ${path} ${accept}`);
        assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
        assert.equal(JSON.parse(answer.text).error, "not_found");
      }
      const wrong = await sendRaw(port, "PUT", "/", headers);
      assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"]);
      assert.equal(JSON.parse(wrong.text).error, "method_not_allowed");
    }
    const page = await sendRaw(port, "GET", "/nowhere", { Accept: "text/html,*/*;q=0.8" });
    assert.deepEqual([page.status, page.text.includes("Page not found")], [404, true]);
  }
});

Deno.test("relay mode, inbox with any method, MCP → 404", async () => {
  for (const method of ["GET", "HEAD", "DELETE", "POST", "OPTIONS"]) {
    const answer = await sendRaw(relay.port, method, "/monitoring/inbox");
    assert.equal(answer.status, 404, method);
  }
  const headers = { "Content-Type": "application/json" };
  const mcp = await sendRaw(relay.port, "POST", "/monitoring/mcp", headers, { body: "{}" });
  assert.equal(mcp.status, 404);
  assert.match(JSON.parse(mcp.text).detail, /SENTRY_DSN/);
});

Deno.test("MONITORING_PATH → the relay answers there and at /monitoring", async () => {
  for (const path of ["/glass/in", "/monitoring"]) {
    const health = await sendRaw(configured.port, "GET", path);
    assert.equal(health.status, 200, path);
    assert.equal(JSON.parse(health.text).mode, "inbox");
  }
});

Deno.test("envelope over INBOX_MAX_BYTES → 413; imported, over INBOX_MAX_AGE_DAYS → refused", async () => {
  const env = { INBOX_MAX_BYTES: "1000", INBOX_MAX_AGE_DAYS: "2" };
  await using server = await startServer({ env });
  const item = JSON.stringify({ message: "x".repeat(2000) });
  const answer = await fetch(`${server.origin}/monitoring`, {
    method: "POST",
    body: `{"dsn":"https://inbox@sightglass.invalid/1"}\n{"type":"event"}\n${item}\n`,
  });
  assert.equal(answer.status, 413);
  assert.equal((await answer.json()).error, "envelope_too_large");

  const day = 24 * 3_600_000;
  const bytes = new TextEncoder().encode('{}\n{"type":"event"}\n{}\n');
  const archive = [1, 3].flatMap((days) =>
    archiveItem({ bytes, receivedAt: Date.now() - days * day, contentEncoding: null })
  );
  const result = await fetch(`${server.origin}/monitoring/inbox?import`, {
    method: "POST",
    body: await new Blob([archiveHeader(2), ...archive] as BlobPart[]).arrayBuffer(),
  });
  const { taken, refused, reasons } = await result.json();
  assert.deepEqual([taken, refused], [1, 1]);
  assert.match(reasons[0].reason, /INBOX_MAX_AGE_DAYS/);
});

/** Values that are refused at the start, with the complete output. */
const INVALID: readonly [name: string, value: string, output: RegExp][] = [
  ["PORT", String(server.port), /^Cannot listen on http:\/\/127\.0\.0\.1:\d+\/: [^\n]*PORT\.\n$/],
  ["HOST", "no-such-host.invalid", /^Cannot listen on [^\n]*HOST is a name that cannot[^\n]*\n$/],
  [
    "MONITORING_PATH",
    "/robots.txt",
    /^Cannot start: MONITORING_PATH is "\/robots\.txt"\. Use [^\n]*\n$/,
  ],
  [
    "DATA_DIR",
    `${import.meta.dirname}/contract_test.ts`,
    /^Cannot open the inbox: [^\n]*DATA_DIR[^\n]*\n$/,
  ],
];
for (const [name, value, output] of INVALID) {
  Deno.test(`${name} cannot be used → one line that names it, exit code 1`, async () => {
    await assert.rejects(startServer({ env: { [name]: value } }), (error: Error) => {
      const [ended = "", ...printed] = error.message.split(/(?<=ended with 1:\n)/);
      assert.match(ended, /ended with 1:\n$/);
      assert.match(printed.join(""), output);
      return true;
    });
  });
}

Deno.test("SIGTERM, once or twice, with an open live stream → stream ends, exit code 0", async () => {
  const server = await startServer();
  const { promise: open, resolve } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  get(
    `${server.origin}/monitoring/inbox`,
    { headers: { accept: "text/event-stream" } },
    (stream) => {
      stream.on("close", end);
      stream.once("data", () => resolve());
      stream.resume();
    },
  ).on("error", () => end());
  await open;
  Deno.kill(server.pid, "SIGTERM");
  const status = await server.stop("SIGTERM");
  assert.deepEqual([status.code, status.signal], [0, null]);
  await ended;
});
