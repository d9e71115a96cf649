/** Attacks on the relay by its clients. */
import assert from "node:assert/strict";
import * as zlib from "node:zlib";
import { MAX_HEADER_BYTES } from "../../monitoring/protocol/envelope.ts";
import { MAX_ITEMS } from "../../monitoring/protocol/scanner.ts";
import { redirects, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { expectError, expectTaken } from "./_expect.ts";
import { TcpClient } from "../harness/tcp_client.ts";
import { concat, DSN, envelope, fresh, MIB, startRelay } from "./_start_relay.ts";

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A complete request, to be hidden in the body of another. */
function hiddenRequest(): string {
  const body = textOf(envelope({ dsn: DSN, event_id: "hidden" }));
  return `POST /monitoring HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

const POST = "POST /monitoring HTTP/1.1\r\nhost: localhost\r\n";

/** Heads that two servers may parse differently (RFC 9112, sections 2.2, 5.2 and 6.3). */
const SMUGGLING: Readonly<Record<string, string>> = {
  "two Content-Lengths that differ": `${POST}content-length: 2\r\ncontent-length: 200\r\n\r\n{}`,
  "a list of Content-Lengths": `${POST}content-length: 2, 200\r\n\r\n{}`,
  "a signed Content-Length": `${POST}content-length: +2\r\n\r\n{}`,
  "chunked and then something else":
    `${POST}transfer-encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "Content-Length and Transfer-Encoding together":
    `${POST}content-length: 300\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  "an unknown Transfer-Encoding": `${POST}transfer-encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "a folded header line": `${POST}transfer-encoding:\r\n chunked\r\n\r\n`,
  "a space before the colon": `${POST}content-length : 2\r\n\r\n{}`,
  "a NUL in a header": `${POST}x: a\0b\r\ncontent-length: 2\r\n\r\n{}`,
  "a carriage return alone in a header": `${POST}x: a\rcontent-length: 9\r\n\r\n`,
};
for (const [attack, head] of Object.entries(SMUGGLING)) {
  Deno.test(`request smuggling, ${attack} → 400, the rest is not read as a request`, async () => {
    await using ingest = startStandInIngest();
    await using server = startRelay({ upstream: ingest.origin });
    using client = await TcpClient.connect(server.port);
    await client.send(head + hiddenRequest());
    const answer = await client.answer();
    assert.doesNotMatch(answer, /delivered/);
    assert.match(answer, /^(HTTP\/1\.1 400 |$)/);
    assert.equal(ingest.requests.length, 0);
    assert.equal((await server.health()).outcomes.delivered, 0);
  });
}

Deno.test("request smuggling, lines that end in LF → one request, one answer", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  using client = await TcpClient.connect(server.port);
  const body = textOf(fresh());
  await client.send(
    `POST /monitoring HTTP/1.1\nhost: localhost\nconnection: close\ncontent-length: ${body.length}\n\n${body}${hiddenRequest()}`,
  );
  assert.match(await client.answer(), /^HTTP\/1\.1 (200|400) /);
  await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes === 0);
  assert.ok(ingest.requests.every(({ text }) => text === body), "the hidden request went upstream");
});

Deno.test("envelope for another DSN inside a payload → forwarded as a payload", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const inner = envelope({ dsn: "https://other@evil.example/1", event_id: "inner" });
  const body = fresh([[{ type: "attachment" }, concat(["\n", inner, "\n\n"])]]);
  await expectTaken(await server.post(body), "delivered", { id: "e1" });
  assert.equal(ingest.requests.length, 1);
  assert.deepEqual(ingest.requests[0]?.body, body);
  assert.equal(ingest.requests[0]?.path, "/api/42/envelope/");
});

Deno.test("redirect to a private address → 503, not followed, not disclosed", async () => {
  await using inside = startStandInIngest();
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  for (
    const location of [
      `${inside.origin}/latest/meta-data/`,
      `//${inside.host}/`,
      "http://169.254.169.254/latest/meta-data/",
      "http://[::1]/",
      "file:///etc/passwd",
      "/monitoring",
    ]
  ) {
    ingest.next(redirects(location, 307));
    const response = await server.post(fresh());
    assert.equal(response.headers.get("location"), null);
    await expectError(response, 503, "spool_unavailable");
  }
  assert.equal(inside.requests.length, 0);
  assert.equal(ingest.requests.length, 6);
});

Deno.test("body of one byte at a time → 503 overloaded, memory released", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, bodyProgressMs: 100 });
  using client = await TcpClient.connect(server.port);
  await client.sendHead({ "content-length": `${MIB}` });
  const body = fresh();
  for (let at = 0; client.text === "" && at < body.length; at++) {
    await client.send(body.subarray(at, at + 1));
    // The attack: some bytes arrive before each check of the transfer rate.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.match(await client.answer(), /^HTTP\/1\.1 503 .*"error":"overloaded"/s);
  await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes === 0);
  assert.equal(ingest.requests.length, 0);
});

Deno.test("MAX_ITEMS empty items → delivered; one more → 413; others are served meanwhile", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const flood = (items: number) =>
    new Uint8Array(zlib.gzipSync(`{"dsn":"${DSN}"}\n${'{"type":"a"}\n\n'.repeat(items)}`));
  const headers = { "content-encoding": "gzip" };
  const refused = server.post(flood(MAX_ITEMS + 1), headers);
  await expectTaken(await server.post(fresh()), "delivered", { id: "e1" });
  await expectError(await refused, 413, "envelope_too_large");
  await expectTaken(await server.post(flood(MAX_ITEMS), headers), "delivered", {});
});

for (const [open, close] of [["[", "]"], ['{"a":', "}"]] as const) {
  Deno.test(`deeply nested JSON in a header, ${open} → delivered, stored in inbox mode`, async () => {
    await using ingest = startStandInIngest();
    await using relaying = startRelay({ upstream: ingest.origin });
    let stored = 0;
    await using storing = startRelay({ store: { store: () => void stored++ } });
    const depth = Math.floor((MAX_HEADER_BYTES - 200) / (open.length + close.length));
    const deep = open.repeat(depth) + "1" + close.repeat(depth);
    const body = `{"dsn":"${DSN}","deep":${deep}}\n{"type":"event","deep":${deep}}\n{}`;
    await expectTaken(await relaying.post(body), "delivered", {});
    await expectTaken(await relaying.post(body), "duplicate", {});
    await expectTaken(await storing.post(body), "stored", {});
    assert.equal(ingest.requests[0]?.text, body);
    assert.equal(stored, 1);
  });
}

Deno.test("many corrupt brotli bodies, which leak memory → brotli is refused, gzip is not", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, maxCorruptBrotli: 3 });
  const post = (body: Uint8Array<ArrayBuffer>, encoding: string) =>
    server.post(body, { "content-encoding": encoding });
  const whole = new Uint8Array(zlib.brotliCompressSync(fresh()));
  for (let round = 0; round < 3; round++) {
    await expectError(await post(whole.slice(0, 20), "br"), 400, "envelope_malformed");
  }
  await expectError(await post(whole, "br"), 503, "overloaded");
  const gzipped = new Uint8Array(zlib.gzipSync(fresh()));
  await expectTaken(await post(gzipped, "gzip"), "delivered", {});
});
