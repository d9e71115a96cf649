import assert from "node:assert/strict";
import { parseDsn } from "../../monitoring/envelope/dsn.ts";
import { startStandInIngest } from "../stand_in_ingest.ts";
import { expectError, expectTaken } from "./_expect.ts";
import { concat, DSN, envelope, startRelay } from "./_start_relay.ts";

const bytes = envelope({ event_id: "e1", dsn: DSN });

Deno.test("row 'no items, whatever the DSN': 200 {}, no outcome, not forwarded", async () => {
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

Deno.test("row 'page of another origin': 403 origin_not_allowed", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({
    upstream: ingest.origin,
    publicOrigin: "https://console.example",
    allowedOrigins: ["https://shop.example"],
  });
  const [, port] = server.host.split(":");
  for (
    const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "" },
      { origin: `http://${server.host}.evil.example` },
      { origin: `http://localhost:${port}` },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: "http://127.0.0.1" },
      { origin: `ftp://${server.host}` },
      { origin: `chrome-extension://${server.host}` },
      { origin: "http://console.example" },
      { origin: "https://console.example.evil.example" },
      { origin: "https://shop.example:8443" },
      { origin: "https://shop.example, https://evil.example" },
      { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "" },
    ] as Record<string, string>[]
  ) {
    const response = await server.post(bytes, headers);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
    await expectError(response, 403, "origin_not_allowed");
    await expectError(await server.post("{}", headers), 403, "origin_not_allowed");
  }
  assert.equal(ingest.requests.length, 0);
});

Deno.test("row 'page of another origin': the own host, PUBLIC_ORIGIN and no browser go on", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({
    upstream: ingest.origin,
    publicOrigin: "https://console.example",
  });
  for (
    const headers of [
      {},
      { origin: server.origin },
      { origin: `https://${server.host}` },
      { origin: "https://console.example" },
      { origin: server.origin, "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ] as Record<string, string>[]
  ) {
    const response = await server.post(bytes, headers);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
    await expectTaken(response, "delivered", { id: "e1" });
  }
});

Deno.test("ALLOWED_ORIGINS: an allowed page may read the answer, errors too", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({
    upstream: ingest.origin,
    allowedOrigins: ["https://shop.example"],
  });
  const headers = { origin: "https://shop.example", "sec-fetch-site": "cross-site" };
  for (const body of [bytes, "{}", "broken"]) {
    const response = await server.post(body, headers);
    assert.equal(response.headers.get("access-control-allow-origin"), "https://shop.example");
    assert.equal(response.headers.get("access-control-allow-credentials"), null);
    assert.equal(response.headers.get("vary"), "origin");
    assert.match(
      response.headers.get("access-control-expose-headers") ?? "",
      /x-sentry-rate-limits/,
    );
    await response.body?.cancel();
  }
});

Deno.test("ALLOWED_ORIGINS: the preflight is answered for an hour, to allowed pages alone", async () => {
  await using server = startRelay({ allowedOrigins: ["https://shop.example"] });
  const preflight = (origin: string) =>
    fetch(`${server.origin}/monitoring`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
  const allowed = await preflight("https://shop.example");
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), "https://shop.example");
  assert.equal(allowed.headers.get("access-control-allow-methods"), "POST");
  assert.equal(allowed.headers.get("access-control-max-age"), "3600");
  const names = allowed.headers.get("access-control-allow-headers") ?? "";
  for (const name of ["x-sentry-auth", "content-type", "content-encoding"]) {
    assert.ok(names.includes(name), name);
  }
  const refused = await preflight("https://evil.example");
  assert.equal(refused.status, 403);
  assert.equal(refused.headers.get("access-control-allow-origin"), null);
  assert.equal((await refused.json()).error, "origin_not_allowed");
  assert.equal((await server.health()).outcomes.rejected, 0);
});

Deno.test("row 'DSN missing from header and query': 403 dsn_missing", async () => {
  await using server = startRelay();
  for (const header of [{}, { event_id: "e1" }, { dsn: null }, { DSN }]) {
    await expectError(await server.post(envelope(header)), 403, "dsn_missing");
  }
  await expectError(await server.post(envelope({}), {}, "?"), 403, "dsn_missing");
  await expectError(await server.post(envelope({}), {}, "?x=1"), 403, "dsn_missing");
});

Deno.test("row 'DSN missing…': the query alone names a hosted DSN", async () => {
  await using ingest = startStandInIngest();
  const dsns = ["https://a@o1.ingest.sentry.io/2", "https://b@o1.ingest.us.sentry.io/2"];
  await using server = startRelay({ upstream: ingest.origin, allowedDsns: dsns.map(parseDsn) });
  for (
    const [query, key] of [["?o=1&p=2", "a"], ["?o=1&p=2&r=us", "b"], ["?r=us&x=&p=2&o=1", "b"]]
  ) {
    await expectTaken(await server.post(envelope({}), {}, query), "delivered", {});
    const auth = ingest.requests.at(-1)?.headers["x-sentry-auth"];
    assert.equal(auth, `Sentry sentry_version=7, sentry_key=${key}`);
  }
});

/** Header DSN, query: each must be refused although DSN or query alone is near to an allowed one. */
const foreign: Record<string, readonly (readonly [unknown, string?])[]> = {
  "a foreign DSN": [
    ["https://publickey@evil.example/42"],
    ["https://otherkey@o1.ingest.us.sentry.io/42"],
    ["https://PUBLICKEY@o1.ingest.us.sentry.io/42"],
    ["https://publickey@o2.ingest.us.sentry.io/42"],
    ["https://publickey@o1.ingest.de.sentry.io/42"],
    ["https://publickey@o1.ingest.sentry.io/42"],
    ["https://publickey@o1.ingest.us.sentry.io/43"],
    ["https://publickey@o1.ingest.us.sentry.io/042"],
    ["http://publickey@o1.ingest.us.sentry.io/42"],
    ["https://publickey@o1.ingest.us.sentry.io.evil.example/42"],
    ["https://publickey@evil.example/o1.ingest.us.sentry.io/42"],
    ["__proto__"],
    ["constructor"],
  ],
  "what is no DSN": [[""], ["x"], [42], [true], [{}], [[DSN]], [`${DSN}\n`], [` ${DSN}`], [
    `${DSN}/`,
  ]],
  "credentials in the DSN": [
    ["https://publickey:secret@o1.ingest.us.sentry.io/42"],
    ["https://publickey:@o1.ingest.us.sentry.io/42"],
    ["https://publickey@o1.ingest.us.sentry.io@evil.example/42"],
    ["https://evil@publickey@o1.ingest.us.sentry.io/42"],
    ["https://publickey%40evil.example@o1.ingest.us.sentry.io/42"],
    ["https://o1.ingest.us.sentry.io/42"],
  ],
  "a port in the DSN": [
    ["https://publickey@o1.ingest.us.sentry.io:443/42"],
    ["https://publickey@o1.ingest.us.sentry.io:8443/42"],
    ["https://publickey@o1.ingest.us.sentry.io:/42"],
  ],
  "a path, query or fragment in the DSN": [
    ["https://publickey@o1.ingest.us.sentry.io/path/42"],
    ["https://publickey@o1.ingest.us.sentry.io//42"],
    ["https://publickey@o1.ingest.us.sentry.io/../42"],
    ["https://publickey@o1.ingest.us.sentry.io/42/../43"],
    ["https://publickey@o1.ingest.us.sentry.io/42?x"],
    ["https://publickey@o1.ingest.us.sentry.io/42#x"],
    ["https://publickey@o1.ingest.us.sentry.io\\evil.example/42"],
  ],
  "an address for a host": [
    ["https://publickey@127.0.0.1/42"],
    ["https://publickey@2130706433/42"],
    ["https://publickey@0x7f000001/42"],
    ["https://publickey@169.254.169.254/42"],
    ["https://publickey@[::1]/42"],
    ["https://publickey@[::ffff:127.0.0.1]/42"],
    ["https://publickey@localhost/42"],
  ],
  "a trailing dot": [
    ["https://publickey@o1.ingest.us.sentry.io./42"],
    ["https://publickey@o1.ingest.us.sentry.io../42"],
  ],
  "a Unicode host": [
    ["https://publickey@o1.ingest.us.ſentry.io/42"],
    ["https://publickey@o1.ingest.us.sentry。io/42"],
    ["https://publickey@ⓞ1.ingest.us.sentry.io/42"],
    ["https://publickey@o1.ingest.us.sentry.io\u200b/42"],
    ["https://publickey@о1.ingest.us.sentry.io/42"],
    ["https://publickey@xn--o1-ecd.ingest.us.sentry.io/42"],
  ],
  "an injection by o, p or r": [
    [undefined, "?o=1&p=42&r=us.evil"],
    [undefined, "?o=1&p=42&r=us%2Eevil"],
    [undefined, "?o=1&p=42&r=us/"],
    [undefined, "?o=1&p=42&r=US"],
    [undefined, "?o=1&p=42&r=u"],
    [undefined, "?o=1&p=42&r="],
    [undefined, "?o=1&p=42&r=us%00"],
    [undefined, "?o=1@evil.example/&p=42&r=us"],
    [undefined, "?o=1.evil.example%23&p=42&r=us"],
    [undefined, "?o=+1&p=42&r=us"],
    [undefined, "?o=1e0&p=42&r=us"],
    [undefined, "?o=01&p=42&r=us"],
    [undefined, "?o=%D9%A1&p=42&r=us"],
    [undefined, "?o=1&p=42%2F..%2F43&r=us"],
    [undefined, "?o=1&p=-42&r=us"],
    [undefined, "?o=1&o=2&p=42&r=us"],
    [undefined, "?o=1&p=42&p=42&r=us"],
    [undefined, "?o=1&p=42&r=us&r=de"],
    [undefined, "?o=1&r=us"],
    [undefined, "?p=42"],
    [undefined, "?o=&p="],
    [undefined, "?o=1&p=43&r=us"],
    [undefined, "?o=2&p=42&r=us"],
    [undefined, "?o=1&p=42"],
  ],
  "header and query that disagree": [
    [DSN, "?o=2&p=42&r=us"],
    [DSN, "?o=1&p=43&r=us"],
    [DSN, "?o=1&p=42"],
    [DSN, "?o=1&p=42&r=de"],
    [DSN, "?o=1"],
    [DSN, "?r=us"],
    ["https://publickey@evil.example/42", "?o=1&p=42&r=us"],
    ["https://otherkey@o1.ingest.us.sentry.io/42", "?o=1&p=42&r=us"],
    ["", "?o=1&p=42&r=us"],
  ],
};
for (const [attack, cases] of Object.entries(foreign)) {
  Deno.test(`row 'DSN not allowed, or header and query disagree': ${attack}`, async () => {
    await using ingest = startStandInIngest();
    await using server = startRelay({ upstream: ingest.origin });
    for (const [dsn, query] of cases) {
      const response = await server.post(envelope({ event_id: "e1", dsn }), {}, query);
      assert.equal(response.status, 403, `${dsn} ${query}`);
      await expectError(response, 403, "dsn_not_allowed");
    }
    assert.equal(ingest.requests.length, 0);
  });
}

Deno.test("a DSN with its host in upper case is the allowed one, and goes where that says", async () => {
  await using ingest = startStandInIngest();
  const allowed = parseDsn(`http://key@${ingest.host.replace("127.0.0.1", "localhost")}/1`);
  await using server = startRelay({ allowedDsns: [allowed] });
  const shouting = allowed.text.replace("localhost", "LOCALHOST");
  await expectTaken(await server.post(envelope({ dsn: shouting })), "delivered", {});
  assert.equal(ingest.requests[0]?.headers.host, allowed.host);
});

Deno.test("a query that agrees with the header passes; one that fits two keys alone does not", async () => {
  await using ingest = startStandInIngest();
  const dsns = ["https://a@o1.ingest.sentry.io/2", "https://b@o1.ingest.sentry.io/2"];
  await using server = startRelay({ upstream: ingest.origin, allowedDsns: dsns.map(parseDsn) });
  const query = "?o=1&p=2";
  await expectTaken(await server.post(envelope({ dsn: dsns[1] }), {}, query), "delivered", {});
  assert.match(ingest.requests[0]?.headers["x-sentry-auth"] ?? "", /sentry_key=b$/);
  await expectError(await server.post(envelope({}), {}, query), 403, "dsn_not_allowed");
});

Deno.test("a query never leads to a self-hosted DSN", async () => {
  for (
    const dsn of [
      "https://key@o1.ingest.sentry.io:8443/2",
      "https://key@o1.ingest.sentry.io/path/2",
      "http://key@o1.ingest.sentry.io/2",
      "https://key@sentry.example/2",
    ]
  ) {
    await using server = startRelay({ allowedDsns: [parseDsn(dsn)] });
    await expectError(await server.post(envelope({}), {}, "?o=1&p=2"), 403, "dsn_not_allowed");
  }
});

const header = `{"dsn":"${DSN}","event_id":"e1"}`;
const broken: Record<string, readonly (string | Uint8Array<ArrayBuffer> | null)[]> = {
  "empty body": [null, ""],
  "header not a JSON object": ["\n", "[]", "null", "5", '"x"', "{", "x", "\n\n{}\n", "\ufeff{}"],
  "header over 64 KiB": [`{"x":"${"x".repeat(65_536)}"}\n{"type":"event"}\nx`, " ".repeat(65_537)],
  "item without a type": [`${header}\n{}\n`, `${header}\n{"type":1}\n`, `${header}\n[]\n`],
  "length not a non-negative integer": [
    `${header}\n{"type":"event","length":-1}\n`,
    `${header}\n{"type":"event","length":1.5}\n{}`,
    `${header}\n{"type":"event","length":"2"}\n{}`,
    `${header}\n{"type":"event","length":null}\n{}`,
  ],
  "payload shorter than its length": [`${header}\n{"type":"event","length":3}\n{}`],
  "bytes smuggled in after a payload": [
    `${header}\n{"type":"event","length":2}\n{}{"type":"event","length":2}\n{}`,
    `${header}\n{"type":"event","length":2}\n{} \n`,
    `${header}\n{"type":"event","length":2}\n{}\r\n`,
    `${header}\n{"type":"event","length":2}\n{}\n\0`,
  ],
};
for (const [name, bodies] of Object.entries(broken)) {
  Deno.test(`row 'broken framing': ${name}: 400 envelope_malformed`, async () => {
    await using ingest = startStandInIngest();
    await using server = startRelay({ upstream: ingest.origin });
    for (const body of bodies) {
      await expectError(await server.post(body), 400, "envelope_malformed");
    }
    assert.equal(ingest.requests.length, 0);
  });
}

Deno.test("row 'broken framing': compressed data that does not decompress", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  for (const encoding of ["gzip", "deflate", "br", "zstd"]) {
    for (const body of [bytes, "", "x", concat([Uint8Array.of(0x1f, 0x8b, 8, 0), bytes])]) {
      await expectError(
        await server.post(body, { "content-encoding": encoding }),
        400,
        "envelope_malformed",
      );
    }
  }
  assert.equal(ingest.requests.length, 0);
});

Deno.test("blank lines between items are tolerated and forwarded", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const body = `${header}\n\n{"type":"event"}\n{}\n\n\n{"type":"log","length":1}\n\n\n\n\n`;
  await expectTaken(await server.post(body), "delivered", { id: "e1" });
  assert.equal(ingest.requests[0]?.text, body);
});

Deno.test("row 'unknown Content-Encoding': 415 encoding_not_supported", async () => {
  await using server = startRelay();
  for (const encoding of ["compress", "identity", "gzip, gzip", "x", "aws-chunked"]) {
    await expectError(
      await server.post(bytes, { "content-encoding": encoding }),
      415,
      "encoding_not_supported",
    );
  }
});

Deno.test("order of judgement: origin, encoding, size, header line, emptiness, DSN, framing", async () => {
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

Deno.test("each refusal counts one outcome", async () => {
  await using server = startRelay();
  await (await server.post("broken")).body?.cancel();
  await (await server.post(bytes, { origin: "null" })).body?.cancel();
  await (await server.post(envelope({}))).body?.cancel();
  const { outcomes } = await server.health();
  assert.equal(outcomes.rejected, 3);
  assert.equal(Object.values(outcomes).reduce((sum, count) => sum + count, 0), 3);
});
