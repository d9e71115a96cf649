/** The server's own telemetry during a stop of the server, and a flood of requests. */
import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { TcpClient } from "../harness/tcp_client.ts";
import { hangs } from "../harness/stand_in_ingest.ts";
import { fetchToEnd, startReportingServer } from "./_reporting_server.ts";
import { reportsInInbox } from "./_reports.ts";
import { stopInTime } from "../harness/stop_in_time.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

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
  using client = await TcpClient.connect(server.port);
  await client.send(head.repeat(2_000));
  await client.until(({ text }) => text.split("\r\n\r\n").length > 2_000);
  const responses = client.text;
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
