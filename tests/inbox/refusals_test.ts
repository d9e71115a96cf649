import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { TcpClient } from "../harness/tcp_client.ts";
import { healthOf } from "../harness/server_health.ts";
import { until } from "../harness/until.ts";
import { EventReader } from "./_event_reader.ts";
import { sendRaw } from "../harness/send_raw.ts";

const PATH = "/monitoring/inbox";

Deno.test("refused POST and preflight → listed newest first, and the live stream reports it", async () => {
  await using server = await startServer();
  const post = (headers: Record<string, string>, method = "POST") =>
    sendRaw(server.port, method, "/monitoring?sentry_client=an.sdk%2F1&secret=1", headers, {
      body: "?",
    });
  const view = async () => (await fetch(`${server.origin}${PATH}?view=refusals`)).json();
  assert.deepEqual(await view(), { rows: [], next: null, total: 0 });

  await using stream = await EventReader.open(`${server.origin}${PATH}?type=none`);
  const before = Date.now();
  const evil = await post({ Origin: "http://evil.example", "User-Agent": "x".repeat(5_000) });
  assert.deepEqual(await stream.next(), { event: "refused", data: "{}" });
  await post({ Origin: "http://evil.example" }, "OPTIONS");
  assert.equal((await stream.next())?.event, "refused");
  const malformed = await post({});
  assert.equal((await stream.next())?.event, "refused");

  const { rows, next, total } = await view();
  assert.deepEqual([next, total], [null, 3]);
  assert.deepEqual(
    rows.map(({ at: _, ...row }: { at: string }) => row),
    [
      { ...JSON.parse(malformed.text), origin: null, user_agent: "an.sdk/1" },
      { ...JSON.parse(evil.text), origin: "http://evil.example", user_agent: "an.sdk/1" },
      { ...JSON.parse(evil.text), origin: "http://evil.example", user_agent: "x".repeat(256) },
    ].map((row) => ({ ...row, address: "/monitoring", count: 1 })),
  );
  for (const { at } of rows) {
    assert.ok(Date.parse(at) >= before && at === new Date(Date.parse(at)).toISOString(), at);
  }
});

Deno.test("more requests refused than are listed → repeats are one row, all since the start counted", async () => {
  await using server = await startServer();
  const post = (path: string, agent: string) =>
    sendRaw(server.port, "POST", path, { "User-Agent": agent }, { body: "{}" });
  // As exporters do: one of an application for each signal, again and again.
  for (let round = 0; round < 20; round++) {
    for (const signal of ["events", "profiles"]) await post(`/v1/${signal}`, "JS/0.2");
    await post("/v1/events", "Python/1.3");
  }
  await post("/v1/events", "JS/0.2");
  const view = async () => {
    const answer = await (await fetch(`${server.origin}${PATH}?view=refusals`)).json();
    const counts = answer.rows.map((
      { address, user_agent, count }: { address: string; user_agent: string; count: number },
    ) => [address, user_agent, count]);
    return { total: answer.total, counts };
  };
  assert.deepEqual(await view(), {
    total: 61,
    counts: [
      ["/v1/events", "JS/0.2", 21],
      ["/v1/events", "Python/1.3", 20],
      ["/v1/profiles", "JS/0.2", 20],
    ],
  });
  for (let n = 0; n < 50; n++) await post(`/v1/unknown${n}`, "scanner");
  const { total, counts } = await view();
  assert.deepEqual([total, counts.length, counts[0][2]], [111, 50, 1]);
});

Deno.test("POST that no address takes → short JSON error, listed with what is right", async () => {
  await using server = await startServer();
  const page = { Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-site" };
  // Also for exporters whose address has a path too many, or none.
  const right =
    /POST.*http:\/\/inbox@HOST:PORT\/1.*\/stream.*OTLP_ENDPOINT=.*without a path.*OTLP_TRACES_ENDPOINT/;
  const posts = [
    ["/v1/profiles", 404, "not_found"],
    ["/tunnel", 404, "not_found"],
    ["/v1/traces/v1/traces", 404, "not_found"],
    ["/", 405, "method_not_allowed"],
    ["/robots.txt", 405, "method_not_allowed"],
    ["/monitoring/metrics", 405, "method_not_allowed"],
  ] as const;
  for (const [path, status, code] of posts) {
    const accept = { Accept: "text/html" };
    const answer = await sendRaw(server.port, "POST", path, { ...page, ...accept }, { body: "{}" });
    const { error, detail } = JSON.parse(answer.text);
    assert.deepEqual([answer.status, error], [status, code], path);
    assert.match(detail, right);
    assert.ok(answer.body.length < 500, `${answer.body.length} bytes`);
    assert.equal(answer.headers.get("access-control-allow-origin"), page.Origin);
    assert.equal(answer.headers.get("allow"), status === 405 ? "GET, HEAD" : null);
    const { rows: [row] } = await (await fetch(`${server.origin}${PATH}?view=refusals`)).json();
    const { at: _, ...refusal } = row;
    const sent = { address: path, origin: page.Origin, user_agent: null, count: 1 };
    assert.deepEqual(refusal, { error, detail, ...sent });
  }
  const asked = { ...page, "Access-Control-Request-Method": "POST" };
  assert.equal((await sendRaw(server.port, "OPTIONS", "/v1/traces", asked)).status, 204);
  assert.equal((await sendRaw(server.port, "OPTIONS", "/tunnel", asked)).status, 404);
  const evil = { Origin: "http://evil.example" };
  const { headers } = await sendRaw(server.port, "POST", "/v1/traces", evil, { body: "{}" });
  assert.equal(headers.get("access-control-allow-origin"), null);
  const { total } = await (await fetch(`${server.origin}${PATH}?view=refusals`)).json();
  assert.equal(total, posts.length + 2);
});

Deno.test("connection breaks during an upload → rejected, neither listed nor refused", async () => {
  await using server = await startServer();
  // A body that is read at once, and one that is read as a stream.
  for (const bytes of [1_000, 500_000]) {
    using client = await TcpClient.connect(server.port);
    await client.sendHead({ "content-length": String(bytes) });
    await client.send("{}\n");
  }
  await until("both are counted", async () => {
    const { outcomes } = await healthOf(server);
    return outcomes.rejected === 2;
  });
  const response = await fetch(`${server.origin}${PATH}?view=refusals`);
  assert.deepEqual(await response.json(), { rows: [], next: null, total: 0 });
  assert.deepEqual((await healthOf(server)).refused, { applications: 0, sightglass: 0 });
  const metrics = await (await fetch(`${server.origin}/monitoring/metrics`)).text();
  assert.match(metrics, /outcome="rejected",reason="disconnected"\} 2\n/);
});

Deno.test("envelopes refused of an application and of the own page → counted apart, both listed", async () => {
  await using server = await startServer();
  const post = async (path: string, headers: Record<string, string>) =>
    (await sendRaw(server.port, "POST", path, headers, { body: "?" })).status;
  const [own, page] = [{ Origin: server.origin }, { Origin: "http://localhost:3000" }];
  // An application's page may be served from this host, too: it has a DSN.
  for (
    const [path, headers] of [["", own], ["", page], ["", {}], ["/api/1/envelope/", own]] as const
  ) assert.equal(await post(path || "/monitoring", headers), 400);
  assert.deepEqual((await healthOf(server)).refused, { applications: 3, sightglass: 1 });
  const { total } = await (await fetch(`${server.origin}${PATH}?view=refusals`)).json();
  assert.equal(total, 4);
});
