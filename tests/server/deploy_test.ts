/** Simulated Deno Deploy: a deployment id, and all permissions except writing to disk. */
import assert from "node:assert/strict";
import {
  type PrivatePostgres,
  startPostgresBeforeAll,
} from "../../monitoring/storage/testdata/private_postgres.ts";
import { STOP_MS } from "../../monitoring/protocol/stop_times.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { EventReader } from "../inbox/_event_reader.ts";
import { sendRaw } from "../harness/send_raw.ts";
import { mountSmallDisk, needsSmallDisk } from "../harness/small_disk.ts";
import { startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { stopInTime } from "../harness/stop_in_time.ts";
import { until } from "../harness/until.ts";

const DEPLOYMENT = "dply-7f3a";
const EVENT_ID = "0123456789abcdef0123456789abcdef";

function deploy(env: Record<string, string> = {}): Promise<ServerProcess> {
  return startServer({
    // Empty counts as not set.
    env: { DENO_DEPLOYMENT_ID: DEPLOYMENT, DATA_DIR: "", ...env },
    permissions: ["--no-prompt", "--allow-all", "--deny-write"],
  });
}

function envelope(dsn: string, eventId = EVENT_ID): string {
  const header = JSON.stringify({ event_id: eventId, dsn });
  return `${header}\n{"type":"event"}\n{"message":"on deploy"}\n`;
}

function post(server: ServerProcess, dsn: string, eventId?: string): Promise<Response> {
  return fetch(`${server.origin}/monitoring`, { method: "POST", body: envelope(dsn, eventId) });
}

/** The visible text of the page. */
async function pageText(server: ServerProcess): Promise<string> {
  const html = await (await fetch(server.origin)).text();
  return html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

Deno.test("Deploy, inbox mode → serves, stores in memory, and the page states that", async () => {
  await using server = await deploy({ INBOX_TOKEN: "secret-of-a-server" });
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
  const rows = await (await withToken("secret-of-a-server")).json();
  assert.deepEqual(rows.envelopes.map((row: { event_id: string }) => row.event_id), [EVENT_ID]);
  const dsn = "https://key@o1.ingest.sentry.io/1";
  // On Deploy a loopback peer has no access, and needs the token to send any DSN.
  for (const refused of [fetch(inbox), withToken("guess"), post(server, dsn)]) {
    assert.equal(await statusOf(refused), 403);
  }
  const ownPage = { Host: "glass.deno.dev", Origin: "https://glass.deno.dev" };
  for (const [to, headers] of [[dsn, TOKEN], [INBOX_DSN, ownPage]] as const) {
    const { status } = await sendRaw(server.port, "POST", "/monitoring", headers, {
      body: envelope(to),
    });
    assert.equal(status, 200, to);
  }
});

Deno.test("Deploy, another instance → its cursors are larger, so readers start again", async () => {
  const cursors: number[] = [];
  for (let instance = 0; instance < 2; instance++) {
    await using server = await deploy({ INBOX_TOKEN: "secret-of-a-server" });
    const response = await fetch(`${server.origin}/monitoring/inbox`, {
      headers: { Authorization: "Bearer secret-of-a-server" },
    });
    cursors.push((await response.json()).cursor);
  }
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
  const refused = await post(server, dsn, EVENT_ID.replace("0", "f"));
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("retry-after"), null);
  assert.equal((await refused.json()).error, "spool_unavailable");
});

Deno.test("Deploy, SIGINT → stops cleanly before the platform kills it", async () => {
  // Deploy sends SIGKILL five seconds after SIGINT: https://docs.deno.com/deploy/reference/runtime/
  assert.ok(STOP_MS < 5_000);
  await stopInTime(await deploy(), "SIGINT");
});

let postgres: PrivatePostgres;
/** Without server binaries the tests are listed as ignored. */
const ignore = startPostgresBeforeAll((started) => postgres = started);

const TOKEN = { Authorization: "Bearer secret-of-a-server" };
const INBOX_DSN = "https://inbox@sightglass.invalid/1";

/** Ids of the events in the inbox, oldest first. */
async function eventIds(server: ServerProcess): Promise<string[]> {
  const response = await fetch(`${server.origin}/monitoring/inbox?type=event`, { headers: TOKEN });
  const { envelopes } = await response.json();
  return envelopes.map((row: { event_id: string }) => row.event_id);
}

Deno.test({
  name: "Deploy, DATABASE_URL → instances share one inbox, which outlasts all of them",
  ignore,
  async fn() {
    const env = { INBOX_TOKEN: "secret-of-a-server", DATABASE_URL: postgres.url() };
    const sent = ["a", "b", "c"].map((digit) => digit.repeat(32)) as [string, string, string];
    {
      await using first = await deploy(env);
      // With only the permissions of its configuration, and a disk.
      await using second = await startServer({ env });
      assert.match(await pageText(first), /Stored here the newest 64.*in PostgreSQL/);
      await using events = await EventReader.open(`${second.origin}/monitoring/inbox`, TOKEN);
      for (const [n, id] of sent.entries()) {
        const answer = await post(n === 1 ? second : first, INBOX_DSN, id);
        assert.equal(answer.headers.get("x-relay-outcome"), "stored");
        await answer.body?.cancel();
      }
      const cursorAt = async ({ origin }: ServerProcess, query = "") =>
        (await (await fetch(`${origin}/monitoring/inbox${query}`, { headers: TOKEN })).json())
          .cursor;
      const cursor = await cursorAt(first);
      assert.ok(await cursorAt(second, `?since=${cursor}`) >= cursor, "known at once");
      for (const id of sent) {
        for (let text = ""; !text.includes(id);) {
          const event = await events.next();
          assert.ok(event, "the stream ended");
          text = event.data ?? "";
        }
      }
      await until(
        "both list all",
        async () =>
          (await Promise.all([first, second].map(eventIds))).every((ids) =>
            ids.join() === sent.join()
          ),
      );
      for (const server of [first, second]) await stopInTime(server, "SIGINT");
    }
    await using later = await deploy(env);
    assert.deepEqual(await eventIds(later), sent);
    const address = `${later.origin}/monitoring/inbox`;
    const emptied = await fetch(address, { method: "DELETE", headers: TOKEN });
    assert.equal(emptied.status, 204);
    assert.deepEqual(await eventIds(later), []);

    await postgres.stop("immediate");
    const refused = await post(later, INBOX_DSN, "d".repeat(32));
    assert.deepEqual([refused.status, (await refused.json()).error], [503, "spool_unavailable"]);
    const health = await fetch(`${later.origin}/monitoring`);
    assert.deepEqual([health.status, (await health.json()).is_healthy], [503, false]);
    assert.deepEqual(await eventIds(later), []);
    await postgres.start();
    await until("it stores again", async () => {
      const answer = await post(later, INBOX_DSN, "d".repeat(32));
      await answer.body?.cancel();
      return answer.status === 200;
    });
  },
});

const fullDiskTest = await needsSmallDisk(
  "full disk, all deleted by another server → this server's inbox is empty too",
);

Deno.test({
  ...fullDiskTest,
  ignore: fullDiskTest.ignore || ignore,
  async fn() {
    await using disk = (await mountSmallDisk(40))!;
    const env = {
      INBOX_TOKEN: "secret-of-a-server",
      DATABASE_URL: postgres.url({ parameters: "sslmode=no-verify" }),
    };
    await using full = await startServer({ env, dataDir: disk.path, before: disk.before });
    await using other = await startServer({ env });
    const sent: string[] = [];
    const send = async () => {
      const id = crypto.randomUUID().replaceAll("-", "");
      sent.push(id);
      const header = JSON.stringify({ event_id: id, dsn: INBOX_DSN });
      const event = JSON.stringify({ message: "x".repeat(500_000) });
      const body = `${header}\n{"type":"event"}\n${event}\n`;
      const answer = await fetch(`${other.origin}/monitoring`, { method: "POST", body });
      assert.equal(answer.status, 200, await answer.text());
    };
    for (let n = 0; n < 10; n++) await send();
    await until("the server has them", async () => {
      const ids = new Set(await eventIds(full));
      return sent.every((id) => ids.has(id));
    });
    {
      using _full = disk.keepFull();
      await until("its reserve is used up", async () => {
        await send();
        return await statusOf(fetch(`${full.origin}/monitoring`)) === 503;
      });
    }
    const inbox = `${other.origin}/monitoring/inbox`;
    assert.equal((await fetch(inbox, { method: "DELETE", headers: TOKEN })).status, 204);
    await until("it is empty, too", async () => (await eventIds(full)).length === 0);
  },
});
