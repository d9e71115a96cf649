/** The spool in the real server. */
import assert from "node:assert/strict";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { DSN, envelope } from "../relay/_start_relay.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { healthOf, untilDrained } from "../harness/server_health.ts";
import { findStablePort } from "../harness/stable_port.ts";
import { statusOf } from "../harness/status_of.ts";
import { until } from "../harness/until.ts";
import {
  answers,
  closes,
  closesInTheHead,
  hangs,
  type IngestBehaviour,
  redirects,
  type StandInIngest,
  startStandInIngest,
  takes,
} from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

let made = 0;

/** A new envelope and its event id. */
function fresh(payload = "{}", dsn = DSN, marks = {}) {
  const id = (++made).toString(16).padStart(32, "0");
  return { id, body: envelope({ event_id: id, dsn, ...marks }, [[{ type: "event" }, payload]]) };
}

/** Ends each attempt of a server soon. Not for a server that delivers: on a busy machine it would deliver twice. */
const SHORT_TIMEOUT = { RELAY_TIMEOUT_MS: "300" };

async function expectSpooled(
  server: ServerProcess,
  { id, body }: ReturnType<typeof fresh>,
  when?: string,
) {
  const response = await postTo(server, body);
  assert.equal(response.status, 202, when ?? await response.clone().text());
  assert.equal(response.headers.get("x-relay-outcome"), "spooled", when);
  assert.deepEqual(await response.json(), { id });
}

/** Event ids of the test's envelopes in order of arrival, without the server's own envelopes. */
function arrivedIds(ingest: StandInIngest): string[] {
  return ingest.requests.flatMap(({ text }) => {
    const { event_id } = JSON.parse(text.split("\n", 1)[0] ?? "{}");
    return typeof event_id === "string" && event_id.startsWith("00000000") ? [event_id] : [];
  });
}

const untilArrived = (ingest: StandInIngest, ids: readonly string[]) =>
  ingest.waitFor(() => ids.every((id) => arrivedIds(ingest).includes(id)));

/** Answers of an ingest that leave open whether it took the envelope. */
const UNDECIDED: Record<string, IngestBehaviour> = {
  "times out": hangs,
  "closes without an answer": closes,
  "closes in the middle of its status line": closesInTheHead,
  "closes in the middle of a 500's body": { kind: "close half way", status: 500 },
  "redirects": redirects("http://127.0.0.1:9/"),
  "answers 408": answers(408),
  "answers 425": answers(425),
  "answers 500": answers(500),
  "answers 503": answers(503, { headers: { "retry-after": "60" } }),
};
Deno.test("ingests that do not decide → 202 spooled, delivered when they work again", async () => {
  await using stack = new AsyncDisposableStack();
  const cases = Object.entries(UNDECIDED).map(([name, behaviour]) => {
    const ingest = stack.use(startStandInIngest());
    ingest.behave(behaviour);
    return { name, ingest, dsn: `http://key@${ingest.host}/1` };
  });
  const [SENTRY_DSN = "", ...others] = cases.map(({ dsn }) => dsn);
  await using server = await startServer({
    env: { SENTRY_DSN, SENTRY_ALLOWED_DSNS: others.join(","), ...SHORT_TIMEOUT },
  });
  await Promise.all(cases.map(async ({ name, ingest, dsn }) => {
    const sent = [fresh("{}", dsn), fresh("{}", dsn), fresh("{}", dsn)];
    for (const each of sent) await expectSpooled(server, each, name);
    ingest.behave(takes());
    await untilArrived(ingest, sent.map(({ id }) => id));
  }));
  const { spool, outcomes } = await untilDrained(server);
  assert.equal(spool.bytes, 0);
  for (const outcome of ["spooled", "delivered"]) {
    assert.ok((outcomes[outcome] ?? 0) >= 3 * cases.length, outcome);
  }
});

Deno.test("own page's envelopes spooled → its page learns by their keys what became of each", async () => {
  await using ingest = startStandInIngest();
  ingest.behave(answers(503));
  const other = "http://localhost:3000";
  await using server = await startRelaying(ingest, { env: { ALLOWED_ORIGINS: other } });
  const ids: string[] = [];
  const spool = async (origin: string) => {
    const { id } = fresh();
    ids.push(id);
    const body = envelope({ event_id: id, dsn: DSN, sightglass: 1 }, [[{ type: "event" }, id]]);
    const answer = await postTo(server, body, { Origin: origin });
    await answer.body?.cancel();
    return answer.headers.get("x-relay-outcome") ?? "";
  };
  const keys: string[] = [];
  for (let n = 0; n < 2; n++) {
    const [, key = ""] = /^spooled; key=([\da-f]{64})$/.exec(await spool(server.origin)) ?? [];
    keys.push(key);
  }
  assert.equal(await spool(other), "spooled", "page of another application");

  const follow = async (asked: readonly string[]) => {
    const answer = await fetch(`${server.origin}/monitoring?spooled=${asked}`);
    return (await answer.json()).spooled;
  };
  const [first = "", second = ""] = keys;
  const unknown = "0".repeat(64);
  assert.deepEqual(await follow([first, second, unknown, "no key"]), {
    [first]: "spooled",
    [second]: "spooled",
    [unknown]: null,
  });
  assert.equal((await healthOf(server) as { spooled?: unknown }).spooled, undefined);
  const many = Array.from({ length: 60 }, (_, n) => `${n}`.padStart(64, "0"));
  assert.equal(Object.keys(await follow(many)).length, 50);

  ingest.behave(({ text }) => text.includes(ids[1]!) ? answers(400) : takes());
  await untilDrained(server);
  assert.deepEqual(await follow(keys), { [first]: "delivered", [second]: "rejected" });
});

Deno.test("ingest is down → 202 spooled, and another process delivers it after a restart", async () => {
  using folder = temporaryFolder();
  const port = findStablePort();
  const ingest = startStandInIngest({ port });
  await ingest.close();
  const sent = [fresh(), fresh("x".repeat(100_000))];
  {
    await using server = await startRelaying(ingest, { dataDir: folder.path });
    for (const each of sent) await expectSpooled(server, each);
    const { spool } = await healthOf(server);
    assert.ok(spool.pending >= 2 && spool.bytes > 100_000);
  }
  await using back = startStandInIngest({ port });
  await using _server = await startRelaying(back, { dataDir: folder.path });
  await untilArrived(back, sent.map(({ id }) => id));
  for (const { id, body } of sent) {
    const request = back.requests.find(({ text }) => text.includes(id));
    assert.equal(request?.text, new TextDecoder().decode(body));
    assert.equal(
      request?.headers["x-sentry-auth"],
      "Sentry sentry_version=7, sentry_key=publickey",
    );
  }
});

Deno.test("DSN no longer allowed after a restart → spooled envelope is rejected as dsn_not_allowed", async () => {
  using folder = temporaryFolder();
  await using ingest = startStandInIngest();
  ingest.behave(answers(503));
  {
    await using server = await startRelaying(ingest, { dataDir: folder.path });
    await expectSpooled(server, fresh());
  }
  const before = ingest.requests.length;
  const env = { SENTRY_DSN: DSN.replace("/42", "/43") };
  await using server = await startRelaying(ingest, { dataDir: folder.path, env });
  await until("the envelope is rejected", async () => {
    const metrics = await (await fetch(`${server.origin}/monitoring/metrics`)).text();
    return /outcome="rejected",reason="dsn_not_allowed"\} [1-9]/.test(metrics);
  });
  assert.ok(!ingest.requests.slice(before).some(({ text }) => text.includes(DSN)));
});

Deno.test("spool full → 503 spool_full without Retry-After, until it has drained", async () => {
  await using ingest = startStandInIngest();
  await using server = await startRelaying(ingest, { env: { SPOOL_MAX_BYTES: "50000" } });
  ingest.behave(answers(500));
  const large = () => fresh("x".repeat(20_000));
  const kept = [large(), large()];
  for (const each of kept) await expectSpooled(server, each);
  const over = large();
  const refused = await postTo(server, over.body);
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("retry-after"), null);
  assert.equal((await refused.json()).error, "spool_full");
  assert.equal((await healthOf(server)).is_healthy, false);

  ingest.behave(takes());
  await untilArrived(ingest, kept.map(({ id }) => id));
  await until("the spool has room", async () => await statusOf(postTo(server, over.body)) < 300);
  assert.ok((await healthOf(server)).is_healthy);
});

Deno.test("400 while draining → deleted; 429 → delivered after the limit", async () => {
  await using ingest = startStandInIngest();
  await using server = await startRelaying(ingest);
  ingest.behave(answers(500));
  const [bad, good, own] = [fresh(), fresh(), fresh("{}", DSN, { sightglass: 1 })];
  for (const each of [bad, good, own]) await expectSpooled(server, each);
  let limited = 0;
  ingest.behave(({ text }) => {
    if (text.includes(bad.id) || text.includes(own.id)) {
      return answers(400, { headers: { "x-sentry-error": "no" } });
    }
    if (text.includes(good.id) && ++limited === 1) {
      return answers(429, { headers: { "x-sentry-rate-limits": "1:error:key" } });
    }
    return takes();
  });
  await ingest.waitFor(() => limited === 2);
  const { outcomes, refused } = await untilDrained(server);
  assert.ok((outcomes.rejected ?? 0) >= 1);
  assert.deepEqual(refused, { applications: 1, sightglass: 1 });
});
