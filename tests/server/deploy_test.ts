/** Simulated Deno Deploy: a deployment id, and all permissions except writing to disk. */
import assert from "node:assert/strict";
import { type ServerProcess, startServer } from "../../tools/run/server_process.ts";
import { startStandInIngest, takes } from "../stand_in_ingest.ts";

const DEPLOYMENT = "dply-7f3a";
const EVENT_ID = "0123456789abcdef0123456789abcdef";

function deploy(env: Record<string, string> = {}): Promise<ServerProcess> {
  return startServer({
    // Empty counts as not set.
    env: { DENO_DEPLOYMENT_ID: DEPLOYMENT, DATA_DIR: "", ...env },
    permissions: ["--no-prompt", "--allow-all", "--deny-write"],
  });
}

function post(server: ServerProcess, dsn: string, eventId = EVENT_ID): Promise<Response> {
  const header = JSON.stringify({ event_id: eventId, dsn });
  const body = `${header}\n{"type":"event"}\n{"message":"on deploy"}\n`;
  return fetch(`${server.origin}/monitoring`, { method: "POST", body });
}

/** The visible text of the page. */
async function pageText(server: ServerProcess): Promise<string> {
  const html = await (await fetch(server.origin)).text();
  return html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

Deno.test("Deploy, inbox mode → serves, stores in memory, and the page states that", async () => {
  await using server = await deploy({ INBOX_TOKEN: "secret" });
  const page = await fetch(server.origin);
  assert.equal(page.status, 200);
  assert.match(page.headers.get("strict-transport-security") ?? "", /max-age=\d+/);
  const html = await page.text();
  const client = /<script type="application\/json" id="client">(.*?)<\/script>/.exec(html)?.[1];
  const { release, environment } = JSON.parse(client ?? "{}");
  assert.deepEqual({ release, environment }, { release: DEPLOYMENT, environment: "production" });
  assert.match(await pageText(server), /Stored here .*memory of this instance/);

  const stored = await post(server, "https://inbox@sightglass.invalid/1");
  assert.equal(stored.status, 200);
  assert.equal(stored.headers.get("x-relay-outcome"), "stored");
  await stored.body?.cancel();

  const inbox = `${server.origin}/monitoring/inbox?type=event`;
  const withToken = (token: string) =>
    fetch(inbox, { headers: { Authorization: `Bearer ${token}` } });
  const rows = await (await withToken("secret")).json();
  assert.deepEqual(rows.envelopes.map((row: { event_id: string }) => row.event_id), [EVENT_ID]);
  // On Deploy a loopback peer has no access.
  for (const refused of [await fetch(inbox), await withToken("guess")]) {
    assert.equal(refused.status, 403);
    await refused.body?.cancel();
  }
});

Deno.test("Deploy, another instance → its cursors are larger, so readers start again", async () => {
  const cursors: number[] = [];
  for (let instance = 0; instance < 2; instance++) {
    await using server = await deploy({ INBOX_TOKEN: "secret" });
    const response = await fetch(`${server.origin}/monitoring/inbox`, {
      headers: { Authorization: "Bearer secret" },
    });
    cursors.push((await response.json()).cursor);
  }
  // Ids of a later instance are larger than all of an earlier one.
  assert.ok(cursors[1]! > cursors[0]!, String(cursors));
});

Deno.test("Deploy, relay mode → relays, 503 for what it cannot keep", async () => {
  await using ingest = startStandInIngest();
  const dsn = "https://key@o1.ingest.sentry.io/1";
  await using server = await deploy({ SENTRY_DSN: dsn, RELAY_UPSTREAM: ingest.origin });
  assert.match(
    await pageText(server),
    /Stored here nothing, because this platform has no persistent disk/,
  );

  ingest.behave(takes());
  const delivered = await post(server, dsn);
  assert.equal(delivered.headers.get("x-relay-outcome"), "delivered");
  await delivered.body?.cancel();

  await ingest.close();
  const kept = await post(server, dsn, EVENT_ID.replace("0", "f"));
  assert.equal(kept.status, 503);
  assert.equal(kept.headers.get("retry-after"), null);
  assert.equal((await kept.json()).error, "spool_unavailable");
});

Deno.test("Deploy, SIGINT → stops cleanly before the platform kills it", async () => {
  const server = await deploy();
  const start = performance.now();
  const { code } = await server.stop("SIGINT");
  assert.equal(code, 0);
  // Deploy sends SIGKILL five seconds after SIGINT: https://docs.deno.com/deploy/reference/runtime/
  assert.ok(performance.now() - start < 5_000);
});
