/** A server that stops: its pending requests, its drain, and its spool afterwards. */
import assert from "node:assert/strict";
import { DOWN_AFTER } from "../../monitoring/relay/send/circuit_breaker.ts";
import type { ServerProcess } from "../harness/server_process.ts";
import { TcpClient } from "../harness/tcp_client.ts";
import { fresh, startSpooledRelay } from "../relay/_start_relay.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import {
  answers,
  hangs,
  startStandInIngest,
  takes,
  takesSlowly,
} from "../harness/stand_in_ingest.ts";
import { healthOf, untilDrained } from "../harness/server_health.ts";
import { statusOf } from "../harness/status_of.ts";
import { stopInTime } from "../harness/stop_in_time.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";
import { arrivedNames, named, numbered, postAll } from "./_named_envelopes.ts";

/** Posts an envelope. Returns the status of the response. */
const post = (server: ServerProcess, body: BodyInit) => statusOf(postTo(server, body));

Deno.test("SIGTERM while the ingest hangs → envelope spooled and answered, stopped in time", async () => {
  using folder = temporaryFolder();
  await using ingest = startStandInIngest();
  ingest.behave(hangs);
  const server = await startRelaying(ingest, {
    dataDir: folder.path,
    env: { RELAY_TIMEOUT_MS: "30000" },
  });
  const posting = post(server, named("pending"));
  await ingest.waitFor(() => arrivedNames(ingest).includes("pending"));
  const stopping = stopInTime(server);
  assert.equal(await posting, 202);
  await stopping;
  ingest.behave(takes());
  const before = arrivedNames(ingest).length;
  await using _next = await startRelaying(ingest, { dataDir: folder.path });
  await ingest.waitFor(() => arrivedNames(ingest).includes("pending", before));
});

// The server counts the received bytes of large bodies only.
for (const [size, bytes] of [["small", 50_000], ["large", 500_000]] as const) {
  Deno.test(`SIGTERM during a ${size} upload → 503 overloaded or closed, never envelope_malformed`, async () => {
    await using ingest = startStandInIngest();
    await using server = await startRelaying(ingest);
    const body = fresh([[{ type: "attachment" }, new Uint8Array(bytes)]]);
    using client = await TcpClient.connect(server.port);
    await client.sendHead({ "content-length": String(body.length) });
    await client.send(body.subarray(0, bytes / 2));
    await until("the upload has begun", async () => {
      const { in_flight_bytes } = await healthOf(server);
      return in_flight_bytes > 0 || size === "small";
    });
    const stopping = stopInTime(server);
    // A closed connection is correct too: the sender keeps unacknowledged envelopes.
    const answer = await client.answer();
    assert.match(answer, /^(HTTP\/1\.1 503 .*"error":"overloaded".*)?$/s);
    await stopping;
  });
}

Deno.test("server stops with requests open → the ingest is not reported as down", async () => {
  await using ingest = startStandInIngest();
  ingest.behave(hangs);
  const lines: string[] = [];
  await using relay = await startSpooledRelay({
    upstream: ingest.origin,
    relayTimeoutMs: 60_000,
    log: (_level, message) => lines.push(message),
  });
  const pending = numbered("live", 2 * DOWN_AFTER).map((name) => postAll(relay, [named(name)]));
  await ingest.waitFor(({ length }) => length === pending.length);
  relay.relay.stop();
  assert.deepEqual((await Promise.all(pending)).flat(), Array(pending.length).fill("spooled"));
  assert.deepEqual(lines, []);
  assert.equal((await relay.health()).ingest, undefined);
});

Deno.test("SIGTERM while draining into a slow ingest → none delivered twice after restart", async () => {
  using folder = temporaryFolder();
  await using ingest = startStandInIngest();
  ingest.behave(answers(503));
  const names = numbered("mine", 30);
  const arrived = () => arrivedNames(ingest).filter((name) => name.startsWith("mine"));
  const first = await startRelaying(ingest, { dataDir: folder.path });
  for (const name of names) assert.equal(await post(first, named(name)), 202);
  // Now the ingest accepts each envelope, but slowly.
  const before = arrived().length;
  ingest.behave(takesSlowly(1_000));
  await ingest.waitFor(() => arrived().length >= before + 10);
  await stopInTime(first);
  ingest.behave(takes());
  await using next = await startRelaying(ingest, { dataDir: folder.path });
  await untilDrained(next);
  assert.deepEqual(arrived().slice(before).toSorted(), names.toSorted());
});
