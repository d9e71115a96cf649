import assert from "node:assert/strict";
import { parseDsn } from "../../monitoring/protocol/dsn.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { expectError, expectTaken } from "./_expect.ts";
import { DSN, envelope, startRelay } from "./_start_relay.ts";

Deno.test("row 'DSN missing from header and query' → 403 dsn_missing", async () => {
  await using server = startRelay();
  for (const header of [{}, { event_id: "e1" }, { dsn: null }, { DSN }]) {
    await expectError(await server.post(envelope(header)), 403, "dsn_missing");
  }
  await expectError(await server.post(envelope({}), {}, "?"), 403, "dsn_missing");
  await expectError(await server.post(envelope({}), {}, "?x=1"), 403, "dsn_missing");
});

Deno.test("DSN in the query only → delivered to that hosted DSN", async () => {
  await using ingest = startStandInIngest();
  const dsns = ["https://a@o1.ingest.sentry.io/2", "https://b@o1.ingest.us.sentry.io/2"];
  await using server = startRelay({
    upstream: ingest.origin,
    allowedDsns: dsns.map((dsn) => parseDsn(dsn)!),
  });
  for (
    const [query, key] of [["?o=1&p=2", "a"], ["?o=1&p=2&r=us", "b"], ["?r=us&x=&p=2&o=1", "b"]]
  ) {
    await expectTaken(await server.post(envelope({ query }), {}, query), "delivered", {});
    const auth = ingest.requests.at(-1)?.headers["x-sentry-auth"];
    assert.equal(auth, `Sentry sentry_version=7, sentry_key=${key}`);
  }
});

/** Pairs of the header's DSN and the query, similar to the allowed DSN. Each must be refused. */
const REFUSED: Record<string, readonly (readonly [unknown, string?])[]> = {
  "a foreign DSN": [
    ["https://publickey@evil.example/42"],
    ["https://otherkey@o1.ingest.us.sentry.io/42"],
    ["https://PUBLICKEY@o1.ingest.us.sentry.io/42"],
    ["https://publickey@o1.ingest.us.sentry.io/43"],
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
    ["https://publickey@o1.ingest.us.sentry.io@evil.example/42"],
    ["https://publickey%40evil.example@o1.ingest.us.sentry.io/42"],
    ["https://o1.ingest.us.sentry.io/42"],
  ],
  "a port in the DSN": [
    ["https://publickey@o1.ingest.us.sentry.io:443/42"],
  ],
  "a path, query or fragment in the DSN": [
    ["https://publickey@o1.ingest.us.sentry.io/path/42"],
    ["https://publickey@o1.ingest.us.sentry.io/../42"],
    ["https://publickey@o1.ingest.us.sentry.io/42?x"],
    ["https://publickey@o1.ingest.us.sentry.io\\evil.example/42"],
  ],
  "an address for a host": [
    ["https://publickey@127.0.0.1/42"],
    ["https://publickey@2130706433/42"],
    ["https://publickey@[::1]/42"],
  ],
  "a trailing dot": [
    ["https://publickey@o1.ingest.us.sentry.io./42"],
  ],
  "a Unicode host": [
    ["https://publickey@o1.ingest.us.ſentry.io/42"],
    ["https://publickey@o1.ingest.us.sentry。io/42"],
    ["https://publickey@o1.ingest.us.sentry.io\u200b/42"],
    ["https://publickey@xn--o1-ecd.ingest.us.sentry.io/42"],
  ],
  "an injection by o, p or r": [
    [undefined, "?o=1&p=42&r=us.evil"],
    [undefined, "?o=1&p=42&r=us%2Eevil"],
    [undefined, "?o=1&p=42&r="],
    [undefined, "?o=1&p=42&r=us%00"],
    [undefined, "?o=1@evil.example/&p=42&r=us"],
    [undefined, "?o=+1&p=42&r=us"],
    [undefined, "?o=%D9%A1&p=42&r=us"],
    [undefined, "?o=1&p=42%2F..%2F43&r=us"],
    [undefined, "?o=1&o=2&p=42&r=us"],
    [undefined, "?o=1&p=42&r=us&r=de"],
    [undefined, "?o=1&r=us"],
    [undefined, "?o=&p="],
    [undefined, "?o=1&p=42"],
  ],
  "header and query that disagree": [
    [DSN, "?o=2&p=42&r=us"],
    [DSN, "?o=1&p=43&r=us"],
    [DSN, "?o=1&p=42"],
    [DSN, "?o=1"],
    ["https://publickey@evil.example/42", "?o=1&p=42&r=us"],
    ["https://otherkey@o1.ingest.us.sentry.io/42", "?o=1&p=42&r=us"],
    ["", "?o=1&p=42&r=us"],
  ],
};
for (const [attack, cases] of Object.entries(REFUSED)) {
  Deno.test(`row 'DSN not allowed, or header and query disagree': ${attack} → 403`, async () => {
    await using ingest = startStandInIngest();
    await using server = startRelay({ upstream: ingest.origin });
    for (const [dsn, query] of cases) {
      const response = await server.post(envelope({ event_id: "e1", dsn }), {}, query);
      await expectError(response, 403, "dsn_not_allowed");
    }
    assert.equal(ingest.requests.length, 0);
  });
}

Deno.test("query that agrees with the header → delivered; query that fits two keys → 403", async () => {
  await using ingest = startStandInIngest();
  const dsns = ["https://a@o1.ingest.sentry.io/2", "https://b@o1.ingest.sentry.io/2"];
  await using server = startRelay({
    upstream: ingest.origin,
    allowedDsns: dsns.map((dsn) => parseDsn(dsn)!),
  });
  const query = "?o=1&p=2";
  await expectTaken(await server.post(envelope({ dsn: dsns[1] }), {}, query), "delivered", {});
  assert.match(ingest.requests[0]?.headers["x-sentry-auth"] ?? "", /sentry_key=b$/);
  await expectError(await server.post(envelope({}), {}, query), 403, "dsn_not_allowed");
});

Deno.test("query of a self-hosted DSN → 403 dsn_not_allowed", async () => {
  for (
    const dsn of [
      "https://key@o1.ingest.sentry.io:8443/2",
      "https://key@o1.ingest.sentry.io/path/2",
      "http://key@o1.ingest.sentry.io/2",
      "https://key@sentry.example/2",
    ]
  ) {
    await using server = startRelay({ allowedDsns: [parseDsn(dsn)!] });
    await expectError(await server.post(envelope({}), {}, "?o=1&p=2"), 403, "dsn_not_allowed");
  }
});
