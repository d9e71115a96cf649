/** `POST /monitoring/security` of the real server. */
import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { sendRaw } from "../harness/send_raw.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { until } from "../harness/until.ts";

const ADDRESS = "/monitoring/security";
const CSP = { "Content-Type": "application/csp-report" };

const violation = (n: number, directive = "img-src") =>
  JSON.stringify({
    "csp-report": {
      "document-uri": "http://shop.example/",
      "effective-directive": directive,
      "blocked-uri": `https://evil.example/${n}`,
    },
  });

Deno.test("inbox mode: own page, page of this machine → stored by application; foreign page → 403, listed", async () => {
  await using server = await startServer();
  const own = `http://127.0.0.1:${server.port}`;
  const status = async (headers: Record<string, string>, n: number) =>
    (await sendRaw(server.port, "POST", ADDRESS, { ...CSP, ...headers }, { body: violation(n) }))
      .status;
  assert.equal(await status({ Origin: own }, 1), 204);
  assert.equal(await status({ Origin: "http://localhost:3000" }, 2), 204);
  assert.equal(await status({ Origin: "https://evil.example" }, 3), 403);
  assert.equal(await status({ Host: "evil.example", Origin: "http://evil.example" }, 3), 403);
  assert.equal(await status({}, 3), 403);

  const rows = async (view: string) =>
    (await (await fetch(`${own}/monitoring/inbox?view=${view}`)).json()).rows;
  const envelopes = (await rows("envelopes")).filter(({ items }: { items: { type: string }[] }) =>
    items.some(({ type }) => type === "raw_security")
  );
  assert.deepEqual(
    envelopes.map(({ application }: { application: string }) => application === "sightglass"),
    [false, true],
  );
  const [error] = await rows("errors");
  assert.deepEqual(
    [error.type, error.value, error.count],
    ["Blocked by the page's policy", "img-src https://evil.example", 2],
  );

  const { error: code, origin, address } = (await rows("refusals")).at(-1);
  assert.deepEqual(
    [code, origin, address],
    ["origin_not_allowed", "https://evil.example", ADDRESS],
  );
  const metrics = await (await fetch(`${own}/monitoring/metrics`)).text();
  assert.match(metrics, /^sightglass_refused_reports_total\{reason="origin_not_allowed"\} 3$/m);

  const preflight = {
    Origin: "http://localhost:3000",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
  };
  const answer = await sendRaw(server.port, "OPTIONS", ADDRESS, preflight);
  assert.deepEqual(
    [answer.status, answer.headers.get("access-control-allow-origin")],
    [204, preflight.Origin],
  );
  const get = await sendRaw(server.port, "GET", ADDRESS);
  assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST, OPTIONS"]);
});

Deno.test("/api/PROJECT/security/ with the DSN's key → taken in both modes; other keys → 403", async () => {
  const report = {
    "document-uri": "http://localhost:3000/cart",
    referrer: "",
    "violated-directive": "script-src-elem",
    "effective-directive": "script-src-elem",
    "original-policy": "script-src 'self'",
    disposition: "report",
    "blocked-uri": "https://cdn.example/x.js",
    "status-code": 200,
  };
  const body = JSON.stringify({ "csp-report": report });
  const reported = JSON.stringify([{
    type: "csp-violation",
    url: "http://localhost:3000/cart",
    body: {
      documentURL: "http://localhost:3000/cart",
      effectiveDirective: "script-src-elem",
      blockedURL: "https://cdn.example/y.js",
    },
  }]);
  const page = { Origin: "http://localhost:3000" };
  await using server = await startServer();
  const own = `http://127.0.0.1:${server.port}`;
  const send = async (port: number, path: string, headers: Record<string, string>, body: string) =>
    (await sendRaw(port, "POST", path, { ...CSP, ...headers }, { body })).status;
  const address = "/api/1/security/?sentry_key=dev";
  assert.equal(await send(server.port, address, {}, body), 204);
  assert.equal(await send(server.port, address, page, body), 204);
  const reports = { ...page, "Content-Type": "application/reports+json" };
  assert.equal(await send(server.port, "/api/1/security", reports, reported), 204);
  const evil = { Origin: "https://evil.example" };
  assert.equal(await send(server.port, address, evil, violation(5)), 403);
  const proxied = { "X-Forwarded-For": "203.0.113.9" };
  assert.equal(await send(server.port, address, proxied, violation(5)), 403);
  assert.equal(await send(server.port, address.replace("dev", "inbox"), proxied, body), 204);
  const { rows } = await (await fetch(`${own}/monitoring/inbox?view=errors`)).json();
  assert.deepEqual(
    rows.map(({ value, count }: { value: string; count: number }) => [value, count]),
    // A repetition within a project is left out.
    [["script-src-elem https://cdn.example", 3]],
  );

  await using ingest = startStandInIngest();
  await using relay = await startServer({
    env: {
      SENTRY_DSN: `http://key@${ingest.host}/7`,
      SENTRY_ALLOWED_DSNS: `http://other@${ingest.host}/8`,
    },
  });
  assert.equal(await send(relay.port, "/api/8/security/?sentry_key=other", {}, body), 204);
  await until(
    "it is forwarded",
    () =>
      ingest.requests.some(({ path, text }) =>
        path === "/api/8/envelope/" && text.includes("cdn.example/x.js")
      ),
  );
  assert.equal(await send(relay.port, "/api/8/security/?sentry_key=key", {}, violation(9)), 403);
  assert.equal(await send(relay.port, "/api/8/security/", {}, violation(9)), 403);
  assert.equal(await send(relay.port, "/api/8/security/?sentry_key=other", page, body), 403);
});
