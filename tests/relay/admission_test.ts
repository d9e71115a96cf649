import assert from "node:assert/strict";
import { sendRaw } from "../harness/send_raw.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { expectError, expectTaken } from "./_expect.ts";
import { DSN, envelope, startRelay } from "./_start_relay.ts";

const bytes = envelope({ event_id: "e1", dsn: DSN });

Deno.test("row 'no items, whatever the DSN' → 200 {}, no outcome, not forwarded", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  for (
    const body of [
      "{}",
      "{}\n",
      "{}\n\n\n",
      '{"event_id":"e1"}\n',
      `{"dsn":"${DSN}"}`,
      '{"dsn":"https://key@evil.example/1"}\n',
      '{"dsn":5}',
    ]
  ) await expectTaken(await server.post(body), null, {});
  await expectTaken(await server.post("{}", {}, "?o=9&p=9"), null, {});
  assert.equal(ingest.requests.length, 0);
  const { outcomes } = await server.health();
  assert.deepEqual(Object.values(outcomes), [0, 0, 0, 0, 0, 0, 0]);
});

Deno.test("row 'two equal Content-Length' → 400 content_length_invalid", async () => {
  await using server = startRelay({});
  const headers = { "Content-Length": "2", "content-length": "2" };
  const { status, text } = await sendRaw(server.port, "POST", "/monitoring", headers, {
    body: "{}",
  });
  assert.deepEqual([status, JSON.parse(text).error], [400, "content_length_invalid"]);
});

const header = `{"dsn":"${DSN}","event_id":"e1"}`;
const broken: Record<string, string | null> = {
  "empty body": null,
  "header not a JSON object": "[]",
  "header over 64 KiB": `{"x":"${"x".repeat(65_536)}"}\n{"type":"event"}\nx`,
  "item without a type": `${header}\n{}\n`,
  "length not a non-negative integer": `${header}\n{"type":"event","length":-1}\n`,
  "payload shorter than its length": `${header}\n{"type":"event","length":3}\n{}`,
  "bytes smuggled in after a payload":
    `${header}\n{"type":"event","length":2}\n{}{"type":"event","length":2}\n{}`,
};
for (const [name, body] of Object.entries(broken)) {
  Deno.test(`row 'broken framing': ${name} → 400 envelope_malformed`, async () => {
    await using ingest = startStandInIngest();
    await using server = startRelay({ upstream: ingest.origin });
    await expectError(await server.post(body), 400, "envelope_malformed");
    assert.equal(ingest.requests.length, 0);
  });
}

Deno.test("row 'unknown Content-Encoding' → 415 encoding_not_supported", async () => {
  await using server = startRelay();
  for (const encoding of ["compress", "identity", "gzip, gzip", "x", "aws-chunked"]) {
    await expectError(
      await server.post(bytes, { "content-encoding": encoding }),
      415,
      "encoding_not_supported",
    );
  }
});

Deno.test("several problems → the first in the order of checks is reported", async () => {
  await using server = startRelay({ maxEnvelopeBytes: 100_000 });
  const headers: Record<string, string> = {
    origin: "https://evil.example",
    "content-encoding": "x",
  };
  const tooLarge = "x".repeat(100_001);
  await expectError(await server.post(tooLarge, headers), 403, "origin_not_allowed");
  delete headers.origin;
  await expectError(await server.post(tooLarge, headers), 415, "encoding_not_supported");
  delete headers["content-encoding"];
  await expectError(await server.post(tooLarge), 413, "envelope_too_large");
  const foreignDsn = '{"dsn":"https://key@evil.example/1"}';
  await expectError(await server.post(`x${foreignDsn}\nx`), 400, "envelope_malformed");
  await expectTaken(await server.post(`${foreignDsn}\n`), null, {});
  await expectError(await server.post(`${foreignDsn}\nno item`), 403, "dsn_not_allowed");
  await expectError(await server.post("{}\nno item"), 403, "dsn_missing");
  await expectError(await server.post(`${header}\nno item`), 400, "envelope_malformed");
});
