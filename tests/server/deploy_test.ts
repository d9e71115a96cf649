/** Deno Deploy, imitated: all permissions but no disk to write to, a deployment's id, no launcher's help. */
import assert from "node:assert/strict";
import { type ServerProcess, startServer } from "../../tools/server_process.ts";
import { startStandInIngest, takes } from "../stand_in_ingest.ts";

const DEPLOYMENT = "dply-7f3a";
const EVENT_ID = "0123456789abcdef0123456789abcdef";

function deploy(env: Record<string, string> = {}): Promise<ServerProcess> {
  return startServer({
    // Empty counts as not set: there is no folder for data.
    env: { DENO_DEPLOYMENT_ID: DEPLOYMENT, DATA_DIR: "", ...env },
    permissions: ["--no-prompt", "--allow-all", "--deny-write"],
  });
}

function post(server: ServerProcess, dsn: string, eventId = EVENT_ID): Promise<Response> {
  const header = JSON.stringify({ event_id: eventId, dsn });
  const body = `${header}\n{"type":"event"}\n{"message":"on deploy"}\n`;
  return fetch(`${server.origin}/monitoring`, { method: "POST", body });
}

/** The page's text as a person reads it. */
async function pageText(server: ServerProcess): Promise<string> {
  const html = await (await fetch(server.origin)).text();
  return html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

Deno.test("imitated Deploy, inbox mode: it serves, stores in memory and says that this does not last", async () => {
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
  // No peer is this machine there, so being on the loopback opens nothing.
  for (const refused of [await fetch(inbox), await withToken("guess")]) {
    assert.equal(refused.status, 403);
    await refused.body?.cancel();
  }
});

Deno.test("imitated Deploy: a reader of another instance's inbox is told to begin again", async () => {
  const cursors: number[] = [];
  for (let instance = 0; instance < 2; instance++) {
    await using server = await deploy({ INBOX_TOKEN: "secret" });
    const response = await fetch(`${server.origin}/monitoring/inbox`, {
      headers: { Authorization: "Bearer secret" },
    });
    cursors.push((await response.json()).cursor);
  }
  // A later instance's ids begin beyond all that an earlier one may have given out.
  assert.ok(cursors[1]! > cursors[0]!, String(cursors));
});

Deno.test("imitated Deploy, relay mode: it relays, and answers 503 for what it cannot keep", async () => {
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

Deno.test("imitated Deploy: SIGINT ends it in good order before the platform would kill it", async () => {
  const server = await deploy();
  const askedAt = performance.now();
  const { code } = await server.stop("SIGINT");
  assert.equal(code, 0);
  // Five seconds after SIGINT comes SIGKILL: https://docs.deno.com/deploy/reference/runtime/
  assert.ok(performance.now() - askedAt < 5_000);
});
