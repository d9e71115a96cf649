/** The server's own telemetry during an outage of the ingest, a stop of the server, and a flood of requests. */
import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { RawClient } from "../relay/_raw_client.ts";
import { answers, hangs, type IngestRequest, takes } from "../harness/stand_in_ingest.ts";
import {
  CALLER,
  CALLER_HEADERS,
  fetchToEnd,
  MODES,
  startReportingServer,
} from "./_reporting_server.ts";
import { reportsAtIngest, reportsInInbox, waitForReports } from "./_reports.ts";
import { stopInTime } from "../harness/stop_in_time.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const eventIds = (requests: readonly IngestRequest[]) =>
  new Set(requests.flatMap(({ text }) => /^\{"event_id":"([0-9a-f]{32})"/.exec(text)?.[1] ?? []));

Deno.test("ingest down → the server's reports are kept and delivered later, none lost", async () => {
  await using reporting = await startReportingServer("relay");
  const { server, ingest } = reporting;
  await ingest.waitFor(({ length }) => length > 0);
  ingest.behave(answers(503));
  const beforeOutage = ingest.requests.length;
  for (let n = 0; n < 5; n++) {
    await fetchToEnd(`${server.origin}/signal?throw=true`, { headers: CALLER_HEADERS });
  }
  // One failed attempt and one failed probe.
  await ingest.waitFor(({ length }) => length > beforeOutage + 1);
  const refused = ingest.requests.length;
  const accepted = () => ingest.requests.slice(refused);
  ingest.behave(takes());
  await ingest.waitFor(() => eventIds(accepted()).size === 5);
  assert.deepEqual(eventIds(accepted()), eventIds(ingest.requests));
  const spans = await waitForReports(
    "the spans",
    reportsAtIngest(accepted),
    ({ spans }) => spans.length === 5 && spans,
  );
  assert.deepEqual(new Set(spans.map(({ trace_id }) => trace_id)), new Set([CALLER.traceId]));
});

for (const mode of MODES) {
  Deno.test(`${mode} mode: SIGTERM → reports are delivered before the exit`, async () => {
    using folder = temporaryFolder();
    await using reporting = await startReportingServer(mode, { DATA_DIR: folder.path });
    const { server, ingest } = reporting;
    await fetchToEnd(`${server.origin}/signal?throw=true`, { headers: CALLER_HEADERS });
    await stopInTime(server);

    await using next = mode === "inbox" ? await startServer({ dataDir: folder.path }) : undefined;
    const readReports = next ? reportsInInbox(next) : reportsAtIngest(() => ingest.requests);
    const reports = await readReports();
    assert.equal(reports.errors.length, 1);
    assert.deepEqual(reports.spans.map(({ name }) => name), ["GET /signal"]);
    assert.ok(reports.logs.some(({ body }) => body === "The server is stopping"));
  });
}

Deno.test("stop while the ingest is silent → stops in time, logs that reports are not delivered", async () => {
  // With a spool, the relay spools what is undecided after 1.5 s.
  await using reporting = await startReportingServer("relay", { SPOOL: "none" });
  const { server, ingest } = reporting;
  await ingest.waitFor(({ length }) => length > 0);
  ingest.behave(hangs);
  await fetchToEnd(`${server.origin}/signal?throw=true`);
  await stopInTime(server);
  assert.match(server.output(), /^warn: The server's own telemetry was not delivered in time$/m);
});

Deno.test("more requests than traced per second → served without a span, drops reported", async () => {
  using folder = temporaryFolder();
  const server = await startServer({ dataDir: folder.path });
  const { headers } = await fetchToEnd(server.origin);
  const head = [
    "GET / HTTP/1.1",
    "Host: localhost",
    "Accept-Encoding: gzip, br",
    `If-None-Match: ${headers.get("etag")}`,
  ].join("\r\n") + "\r\n\r\n";
  // Pipelined: on a busy machine separate requests are fewer than are traced per second.
  using client = await RawClient.connect(`127.0.0.1:${server.port}`);
  let responses = "";
  for (let n = 0; n < 20; n++) responses += await client.pipeline(head, 100);
  assert.equal(responses.match(/^HTTP\/1.1 304/gm)?.length, 2_000);
  const requests = 2_001;
  const traced = 1 + (responses.match(/^server-timing:/gim)?.length ?? 0);
  assert.ok(traced >= 400 && traced < requests, `${traced} were traced`);
  client.close();
  await server.stop();

  await using next = await startServer({ dataDir: folder.path });
  const { dropped } = await reportsInInbox(next)();
  assert.deepEqual(dropped, { "backpressure:span": requests - traced });
  const health = await (await fetch(`${next.origin}/monitoring`)).json();
  assert.equal(health.is_healthy, true);
});
