import assert from "node:assert/strict";
import { DOWN_AFTER } from "../../monitoring/relay/send/circuit_breaker.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { healthOf } from "../harness/server_health.ts";
import { answers, closes, hangs, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { envelope } from "./_start_relay.ts";
import { CERTIFICATE, startProxy, TLS, twoAddresses } from "./_upstreams.ts";

/** The server with the permissions that are computed for it, and no spool: each failure is a 503. */
function startRelaying(
  dsn: string,
  env?: Record<string, string>,
  before?: string,
): Promise<ServerProcess> {
  return startServer({
    env: {
      SENTRY_DSN: dsn,
      SPOOL: "none",
      DENO_CERT: CERTIFICATE,
      // Otherwise Deno checks for updates through the same proxy.
      DENO_NO_UPDATE_CHECK: "1",
      ...env,
    },
    before,
  });
}

function post({ origin }: ServerProcess, dsn: string): Promise<number> {
  const body = envelope({ dsn, event_id: crypto.randomUUID() }, [[{ type: "event" }, "{}"]]);
  return statusOf(fetch(`${origin}/monitoring`, { method: "POST", body }));
}

async function failingIngests(server: ServerProcess) {
  return (await healthOf(server)).ingest?.failing ?? [];
}

for (const tls of [false, true]) {
  const protocol = tls ? "https" : "http";
  for (const alive of [0, 1] as const) {
    const which = alive === 0 ? "last" : "first";
    Deno.test(`${protocol} ingest with two addresses, the ${which} one dead → delivered`, async () => {
      await using name = await twoAddresses();
      await using ingest = startStandInIngest({
        hostname: name.addresses[alive],
        tls: tls ? TLS : undefined,
      });
      const dsn = `${protocol}://key@${name.name}:${ingest.port}/1`;
      await using server = await startRelaying(dsn, undefined, name.before);
      for (let round = 0; round < 3; round++) assert.equal(await post(server, dsn), 200);
      assert.equal(ingest.requests.filter(({ text }) => text.includes('"event"')).length, 3);
      assert.deepEqual(await failingIngests(server), []);
    });
  }
}

Deno.test("HTTPS_PROXY → the envelope goes to the ingest through its tunnel", async () => {
  await using ingest = startStandInIngest({ tls: TLS });
  await using proxy = startProxy(ingest.port);
  const dsn = "https://key@ingest.test/1";
  await using server = await startRelaying(dsn, {
    HTTPS_PROXY: `http://user:p%40ss@127.0.0.1:${proxy.port}`,
  });
  assert.equal(await post(server, dsn), 200);
  assert.ok(ingest.requests.some(({ text }) => text.includes('"event"')));
  assert.match(
    proxy.heads[0]!,
    /^CONNECT ingest\.test:443 HTTP\/1\.1\r\nhost: ingest\.test:443\r\n/,
  );
  assert.match(proxy.heads[0]!, /proxy-authorization: Basic dXNlcjpwQHNz/);
});

Deno.test("http_proxy → the proxy gets the whole URL; HTTP_PROXY is not read", async () => {
  await using proxy = startProxy(0);
  const dsn = "http://key@ingest.test/1";
  await using server = await startRelaying(dsn, { http_proxy: `127.0.0.1:${proxy.port}` });
  assert.equal(await post(server, dsn), 200);
  assert.match(proxy.heads[0]!, /^POST http:\/\/ingest\.test\/api\/1\/envelope\/ HTTP\/1\.1\r\n/);

  await using httpoxy = await startRelaying(dsn, { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
  const before = proxy.heads.length;
  assert.equal(await post(httpoxy, dsn), 503);
  assert.equal(proxy.heads.length, before);
});

Deno.test("http_proxy answers 407 → 503 with the cause, not the ingest's refusal", async () => {
  await using proxy = startProxy(0);
  proxy.refuse(407);
  const dsn = "http://key@ingest.test/1";
  await using server = await startRelaying(dsn, { http_proxy: `127.0.0.1:${proxy.port}` });
  assert.equal(await post(server, dsn), 503);
  assert.deepEqual(await failingIngests(server), [
    { origin: "http://ingest.test", reason: "proxy refused: 407, it wants other credentials" },
  ]);
});

Deno.test("an ingest that cannot be reached → log and health name the cause", async () => {
  await using tls = startStandInIngest({ tls: TLS });
  await using proxy = startProxy(tls.port);
  proxy.refuse(403);
  await using silent = startStandInIngest();
  silent.behave(hangs);
  await using closing = startStandInIngest();
  closing.behave(closes);
  await using other = startStandInIngest();
  // Not a status: it has four digits.
  other.behave(answers(2000));
  // A label of more than 63 characters: refused by the resolver itself, without asking a server.
  const unresolvable = `${"n".repeat(64)}.invalid`;
  // Connections open, but nothing reads from them.
  using listening = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const refused = startStandInIngest();
  await refused.close();
  const causes: Record<string, string> = {
    [`http://key@${refused.host}/1`]: "connection refused",
    [`http://key@${silent.host}/1`]: "waiting for the response timed out",
    [`http://key@${unresolvable}/1`]: "name not resolved (DNS)",
    [`https://key@127.0.0.1:${tls.port}/1`]: "certificate is for another name",
    [`https://key@127.0.0.1:${listening.addr.port}/1`]: "connecting timed out",
    [`http://key@${closing.host}/1`]: "connection closed without an answer",
    [`http://key@${other.host}/1`]: "the answer is not HTTP/1.1",
    "https://key@ingest.test/1": "proxy refused: 403",
    "http://key@ingest.test/1": "proxy: connection refused",
  };
  const dsns = Object.keys(causes);
  await using server = await startRelaying(dsns[0]!, {
    SENTRY_ALLOWED_DSNS: dsns.slice(1).join(","),
    https_proxy: `http://127.0.0.1:${proxy.port}`,
    http_proxy: refused.origin,
    no_proxy: ".invalid",
    RELAY_TIMEOUT_MS: "4000",
  });
  // The log reports an ingest after this number of failures in a row.
  const all = dsns.flatMap((dsn) => new Array<string>(DOWN_AFTER).fill(dsn));
  assert.deepEqual(await Promise.all(all.map((dsn) => post(server, dsn))), all.map(() => 503));
  const expected = Object.entries(causes).map(([dsn, reason]) => ({
    origin: new URL(dsn.replace("key@", "")).origin,
    reason,
  }));
  const byOrigin = (a: { origin: string }, b: { origin: string }) => a.origin < b.origin ? -1 : 1;
  assert.deepEqual((await failingIngests(server)).toSorted(byOrigin), expected.toSorted(byOrigin));
  for (const reason of Object.values(causes)) {
    assert.ok(server.output().includes(reason), `${reason} is not in:\n${server.output()}`);
  }
});

Deno.test("an ingest's certificate is of no known authority → health reports it as not trusted", async () => {
  await using ingest = startStandInIngest({ tls: TLS });
  const dsn = `https://key@localhost:${ingest.port}/1`;
  await using server = await startRelaying(dsn, { DENO_CERT: "" });
  assert.equal(await post(server, dsn), 503);
  assert.deepEqual(await failingIngests(server), [
    { origin: `https://localhost:${ingest.port}`, reason: "certificate is not trusted" },
  ]);
  assert.deepEqual(ingest.requests, []);
});
