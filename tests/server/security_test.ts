/** `POST /monitoring/security` of the real server. */
import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { sendRaw } from "../inbox/_send_raw.ts";
import { relayEnv } from "../runtime/_reporting_server.ts";
import { answers, startStandInIngest } from "../harness/stand_in_ingest.ts";

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

Deno.test("inbox mode: own page, page of this machine → stored by source; foreign page → 403, listed", async () => {
  await using server = await startServer();
  const own = `http://127.0.0.1:${server.port}`;
  const status = async (headers: Record<string, string>, n: number) =>
    (await sendRaw(server.port, "POST", ADDRESS, { ...CSP, ...headers }, violation(n))).status;
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
    envelopes.map(({ source }: { source: string }) => source === "sightglass"),
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

Deno.test("relay mode, ingest down, 200 different reports → spooled, some 20 arrive, one warning", async () => {
  await using ingest = startStandInIngest();
  const env = { ...relayEnv(ingest), MONITORING_PATH: "/glass-7", SENTRY_ENVIRONMENT: "staging" };
  await using server = await startServer({ env });
  const own = { ...CSP, Origin: `http://127.0.0.1:${server.port}` };
  const post = async (n: number) => {
    const { status } = await sendRaw(server.port, "POST", "/glass-7/security", own, violation(n));
    assert.equal(status, 204);
  };
  ingest.behave(answers(503));
  await post(0);
  ingest.behave(answers(200));
  for (let n = 1; n < 200; n++) await post(n);
  const arrived = () => ingest.requests.filter(({ text }) => text.includes('"raw_security"'));
  await ingest.waitFor(() => new Set(arrived().map(({ text }) => text)).size >= 20);
  const first = await ingest.waitFor(() =>
    arrived().find(({ text }) => /evil.example\/0"/.test(text))
  );
  const [, item] = first.text.split("\n").map((line) => JSON.parse(line));
  assert.equal(item.sentry_environment, "staging");
  // On a slow machine some tokens are refilled: one in 3 s.
  assert.ok(new Set(arrived().map(({ text }) => text)).size <= 40);
  assert.equal(server.output().match(/More reports of browsers arrive than are kept/g)?.length, 1);
  const page = await fetch(`http://127.0.0.1:${server.port}/`);
  assert.match(page.headers.get("content-security-policy")!, /; report-uri \/glass-7\/security$/);
  await page.body?.cancel();
});
