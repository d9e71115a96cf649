import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import * as zlib from "node:zlib";
import { ENCODERS } from "../harness/encoders.ts";
import { startStandInIngest, takesAfter } from "../harness/stand_in_ingest.ts";
import { expectError, expectTaken } from "./_expect.ts";
import { TcpClient } from "../harness/tcp_client.ts";
import { concat, envelope, largeEnvelope, MIB, startRelay } from "./_start_relay.ts";

const FOREIGN = "https://key@evil.example/1";

Deno.test("row 'over a size limit': Content-Length over it → 413 before the body", async () => {
  await using server = startRelay();
  using client = await TcpClient.connect(server.port);
  await client.sendHead({ "content-length": `${20 * MIB + 1}` });
  const answer = await client.answer();
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /"error":"envelope_too_large"/);
});

Deno.test("row 'over a size limit': no Content-Length → 413 where it passes the limit", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, maxEnvelopeBytes: MIB });
  using client = await TcpClient.connect(server.port);
  await client.sendHead({ "transfer-encoding": "chunked" });
  await client.sendChunk(largeEnvelope(MIB));
  const answer = await client.answer();
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /"error":"envelope_too_large"/);
  assert.equal(ingest.requests.length, 0);
  await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes === 0);
});

Deno.test("row 'over a size limit': exactly the limit → delivered", async () => {
  await using ingest = startStandInIngest();
  const body = largeEnvelope(300_000);
  await using server = startRelay({ upstream: ingest.origin, maxEnvelopeBytes: body.length });
  await expectTaken(await server.post(body), "delivered", { id: "e1" });
  const other = largeEnvelope(300_000);
  assert.equal(other.length, body.length);
  await expectTaken(await server.post(new Blob([other]).stream()), "delivered", { id: "e1" });
  assert.deepEqual(ingest.requests.map((request) => request.body), [body, other]);
  const larger = concat([body, "\n"]);
  await expectError(await server.post(larger), 413, "envelope_too_large");
  await expectError(await server.post(new Blob([larger]).stream()), 413, "envelope_too_large");
});

Deno.test("foreign DSN, 20 MiB announced → 403 once its header has arrived", async () => {
  await using server = startRelay();
  for (
    const headers of [
      { "content-length": `${20 * MIB}` },
      { "transfer-encoding": "chunked" },
    ] as Record<string, string>[]
  ) {
    using client = await TcpClient.connect(server.port);
    await client.sendHead(headers);
    const start = new TextEncoder().encode(`{"dsn":"${FOREIGN}"}\n{`);
    await (headers["content-length"] ? client.send(start) : client.sendChunk(start));
    assert.match(await client.answer(), /^HTTP\/1\.1 403 .*"error":"dsn_not_allowed"/s);
  }
  assert.equal((await server.health()).in_flight_bytes, 0);
});

Deno.test("foreign DSN in a compressed envelope → 403 before all has arrived", async () => {
  await using server = startRelay();
  // Larger than what is read by one call, and not compressible.
  const noise = randomBytes(600_000);
  const item = [{ type: "attachment", length: noise.length }, noise] as const;
  const body = zlib.gzipSync(envelope({ dsn: FOREIGN }, [item]));
  using client = await TcpClient.connect(server.port);
  await client.sendHead({ "content-length": `${body.length}`, "content-encoding": "gzip" });
  await client.send(body.subarray(0, body.length >> 1));
  assert.match(await client.answer(), /^HTTP\/1\.1 403 .*"error":"dsn_not_allowed"/s);
});

/** Made once, because it takes a second. */
let bombContent: Uint8Array | undefined;
Deno.test.afterAll(() => void (bombContent = undefined));

for (const [encoding, encode] of Object.entries(ENCODERS)) {
  Deno.test(`row 'over a size limit, after decompression': a bomb in ${encoding} → 413, little memory`, async () => {
    await using ingest = startStandInIngest();
    await using server = startRelay({ upstream: ingest.origin });
    bombContent ??= largeEnvelope(240 * MIB);
    const bomb = new Uint8Array(encode(bombContent));
    assert.ok(bomb.length < 2 * MIB);
    const before = Deno.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => most = Math.max(most, Deno.memoryUsage().rss - before), 1);
    const answers = [0, 1, 2, 3].map(() => server.post(bomb, { "content-encoding": encoding }));
    for (const answer of answers) await expectError(await answer, 413, "envelope_too_large");
    clearInterval(watch);
    assert.ok(most < 160 * MIB, `${most / MIB} MiB more for four bombs of 240 MiB`);
    assert.equal(ingest.requests.length, 0);
  });
}

Deno.test("row 'too many bytes in flight' → 503 overloaded, unhealthy; delivered once there is room", async () => {
  await using ingest = startStandInIngest();
  const body = largeEnvelope(200_000);
  await using server = startRelay({ upstream: ingest.origin, maxInFlightBytes: body.length });
  const { promise, resolve } = Promise.withResolvers<void>();
  ingest.next(takesAfter(promise));
  const first = server.post(body);
  await ingest.waitFor((all) => all.length === 1);
  assert.equal((await server.health()).in_flight_bytes, body.length);

  await expectError(await server.post(body), 503, "overloaded");
  await expectError(await server.post(new Blob([body]).stream()), 503, "overloaded");
  const health = await fetch(`${server.origin}/monitoring`);
  const { is_healthy, in_flight_bytes } = await health.json();
  assert.deepEqual([health.status, is_healthy, in_flight_bytes], [503, false, body.length]);

  resolve();
  await expectTaken(await first, "delivered", { id: "e1" });
  const { is_healthy: isHealthy, in_flight_bytes: left } = await server.health();
  assert.deepEqual([isHealthy, left], [true, 0]);
  await expectTaken(await server.post(largeEnvelope(200_000)), "delivered", { id: "e1" });
});

Deno.test("many bodies of 200 KB announced and not sent → others are delivered", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, maxInFlightBytes: MIB });
  using clients = new DisposableStack();
  // More than the share of bodies that are read by one call.
  for (let count = 0; count < 4; count++) {
    const client = clients.use(await TcpClient.connect(server.port));
    await client.sendHead({ "content-length": "200000" });
  }
  const all = Array.from({ length: 3 }, () => server.post(largeEnvelope(200_000)));
  for (const response of all) assert.equal((await response).status, 200);
  assert.equal((await server.health()).in_flight_bytes, 0);
});

Deno.test("client disconnects within the body → memory released, one outcome", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  for (
    const headers of [
      { "content-length": `${10 * MIB}` },
      { "content-length": `${10 * MIB}`, "content-encoding": "gzip" },
    ] as Record<string, string>[]
  ) {
    using client = await TcpClient.connect(server.port);
    await client.sendHead(headers);
    const part = headers["content-encoding"]
      ? zlib.gzipSync(largeEnvelope(50_000)).subarray(0, 100)
      : largeEnvelope(10 * MIB).subarray(0, 100_000);
    await client.send(part);
    await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes === part.length);
    client.close();
    await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes === 0);
  }
  const { outcomes } = await server.healthWhen(({ outcomes }) => outcomes.rejected === 2);
  assert.equal(outcomes.delivered, 0);
  assert.equal(ingest.requests.length, 0);
});

/** Sends the first half of a large envelope. */
async function sendHalf(port: number): Promise<{ client: TcpClient; rest: () => Promise<void> }> {
  const whole = largeEnvelope(MIB);
  const client = await TcpClient.connect(port);
  await client.sendHead({ "content-length": `${whole.length}` });
  await client.send(whole.subarray(0, MIB / 2));
  return { client, rest: () => client.send(whole.subarray(MIB / 2)) };
}

Deno.test("large uploads pause → others are delivered meanwhile, these once they continue", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const paused = await Promise.all(Array.from({ length: 6 }, () => sendHalf(server.port)));
  await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes >= 6 * MIB / 2);
  const others = await Promise.all(
    Array.from({ length: 6 }, async () => (await server.post(largeEnvelope(MIB))).status),
  );
  assert.deepEqual(others, Array(6).fill(200));
  for (const { client, rest } of paused) {
    await rest();
    assert.match(await client.answer(), /^HTTP\/1\.1 200 /);
    client.close();
  }
  assert.equal((await server.health()).in_flight_bytes, 0);
});
