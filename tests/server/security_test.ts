/** `POST /monitoring/security` of the real server. */
import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { sendRaw } from "../harness/send_raw.ts";

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
