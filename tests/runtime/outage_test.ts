/** The server's own telemetry when the ingest is down, when the server stops, and when there is too much. */
import assert from "node:assert/strict";
import { startServer } from "../../tools/run/server_process.ts";
import { RawClient } from "../relay/_raw_client.ts";
import { answers, type IngestRequest, takes } from "../stand_in_ingest.ts";
import { ask, CALLER, CALLER_HEADERS, MODES, watch } from "./_modes.ts";
import { eventually, reportsAtIngest, reportsInInbox } from "./_reports.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const eventIds = (requests: readonly IngestRequest[]) =>
  new Set(requests.flatMap(({ text }) => /^\{"event_id":"([0-9a-f]{32})"/.exec(text)?.[1] ?? []));

Deno.test("ingest down → the server's reports are kept and delivered later, none lost", async () => {
  await using watched = await watch("relay");
  const { server, ingest } = watched;
  await ingest.waitFor(({ length }) => length > 0);
  ingest.behave(answers(503));
  const down = ingest.requests.length;
  for (let n = 0; n < 5; n++) {
    await ask(`${server.origin}/signal?throw=true`, { headers: CALLER_HEADERS });
  }
  // One failed attempt and one failed probe.
  await ingest.waitFor(({ length }) => length > down + 1);
  const back = ingest.requests.length;
  ingest.behave(takes());
  await ingest.waitFor((all) => eventIds(all.slice(back)).size === 5);
  assert.deepEqual(eventIds(ingest.requests.slice(back)), eventIds(ingest.requests));
  const taken = reportsAtIngest({
    ...ingest,
    get requests() {
      return ingest.requests.slice(back);
    },
  });
  const spans = await eventually(
    "the spans",
    taken,
    ({ spans }) => spans.length === 5 && spans,
  );
  assert.deepEqual(new Set(spans.map(({ trace_id }) => trace_id)), new Set([CALLER.traceId]));
});

for (const mode of MODES) {
  Deno.test(`${mode} mode: SIGTERM → reports are delivered before the exit`, async () => {
    using folder = temporaryFolder();
    await using watched = await watch(mode, { DATA_DIR: folder.path });
    const { server, ingest } = watched;
    await ask(`${server.origin}/signal?throw=true`, { headers: CALLER_HEADERS });
    const before = performance.now();
    const status = await server.stop();
    assert.deepEqual([status.code, status.signal], [0, null]);
    assert.ok(performance.now() - before < 4_000);

    await using next = mode === "inbox" ? await startServer({ dataDir: folder.path }) : undefined;
    const reports = await (next ? reportsInInbox(next) : reportsAtIngest(ingest))();
    assert.equal(reports.errors.length, 1);
    assert.deepEqual(reports.spans.map(({ name }) => name), ["GET /signal"]);
    assert.ok(reports.logs.some(({ body }) => body === "The server is stopping"));
  });
}

Deno.test("stop while the ingest is down → logs the number of undelivered reports, in time", async () => {
  await using watched = await watch("relay");
  const { server, ingest } = watched;
  await ingest.waitFor(({ length }) => length > 0);
  ingest.behave({ kind: "hang" });
  await ask(`${server.origin}/signal?throw=true`);
  const before = performance.now();
  const status = await server.stop();
  assert.equal(status.code, 0);
  assert.ok(performance.now() - before < 4_500);
  assert.match(
    server.output(),
    /^warn: Envelopes of the server's own telemetry were not delivered \{"left":[3-9]\}$/m,
  );
});

Deno.test("more requests than traced per second → served without a span, drops reported", async () => {
  using folder = temporaryFolder();
  const server = await startServer({ dataDir: folder.path });
  const { headers } = await ask(server.origin);
  const head = [
    "GET / HTTP/1.1",
    "Host: localhost",
    "Accept-Encoding: gzip, br",
    `If-None-Match: ${headers.get("etag")}`,
  ].join("\r\n") + "\r\n\r\n";
  // Pipelined: on a busy machine separate requests are fewer than are traced per second.
  using client = await RawClient.connect(`127.0.0.1:${server.port}`);
  let heads = "";
  for (let n = 0; n < 20; n++) heads += await client.pipeline(head, 100);
  assert.equal(heads.match(/^HTTP\/1.1 304/gm)?.length, 2_000);
  const asked = 2_001;
  const traced = 1 + (heads.match(/^server-timing:/gim)?.length ?? 0);
  assert.ok(traced >= 400 && traced < asked, `${traced} were traced`);
  client.close();
  await server.stop();

  await using next = await startServer({ dataDir: folder.path });
  const { dropped } = await reportsInInbox(next)();
  assert.deepEqual(dropped, { "backpressure:span": asked - traced });
  const health = await (await fetch(`${next.origin}/monitoring`)).json();
  assert.equal(health.is_healthy, true);
});
