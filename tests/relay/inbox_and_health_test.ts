import assert from "node:assert/strict";
import * as zlib from "node:zlib";
import type { AdmittedEnvelope } from "../../monitoring/protocol/admitted_envelope.ts";
import { WrongTokens } from "../../monitoring/access/token.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { expectError, expectTaken } from "./_expect.ts";
import { until } from "../harness/until.ts";
import { DSN, envelope, startRelay } from "./_start_relay.ts";

Deno.test("row 'inbox mode' → 200 with the event id, stored, not forwarded", async () => {
  await using ingest = startStandInIngest();
  const stored: AdmittedEnvelope[] = [];
  await using server = startRelay({
    upstream: ingest.origin,
    store: { store: (envelope) => void stored.push(envelope) },
    now: () => 1_700_000_000_000,
  });
  const plain = envelope({ event_id: "e1", dsn: DSN }, [
    [{ type: "event" }, "{}"],
    [{ type: "x".repeat(1000) }, "abc"],
  ]);
  await expectTaken(await server.post(plain), "stored", { id: "e1" });
  const inside = envelope({ event_id: "e1", dsn: DSN, platform: "gzip" });
  const encoded = new Uint8Array(zlib.gzipSync(inside));
  await expectTaken(await server.post(encoded, { "content-encoding": "gzip" }), "stored", {
    id: "e1",
  });
  await expectTaken(await server.post(envelope({ dsn: DSN })), "stored", {});
  await expectTaken(await server.post(envelope({ dsn: DSN, event_id: 5 })), "stored", {});
  await expectTaken(await server.post("{}"), null, {});

  assert.equal(stored.length, 4);
  const [first, second] = stored;
  assert.deepEqual(first?.bytes, plain);
  assert.equal(first?.contentEncoding, null);
  assert.deepEqual(first?.header, { event_id: "e1", dsn: DSN });
  assert.deepEqual(first?.items, [
    { type: "event", bytes: 2, count: 1 },
    { type: "x".repeat(64), bytes: 3, count: 1 },
  ]);
  assert.equal(first?.receivedAt, 1_700_000_000_000);
  assert.deepEqual(second?.bytes, encoded);
  assert.equal(second?.contentEncoding, "gzip");
  assert.equal(ingest.requests.length, 0);
  assert.equal((await server.health()).outcomes.stored, 4);
  assert.equal((await server.health()).mode, "inbox");
});

Deno.test("key of the request → stored; one that PostgreSQL could not store → none", async () => {
  const keys: unknown[] = [];
  await using server = startRelay({ store: { store: ({ dsnKey }) => void keys.push(dsnKey) } });
  for (const key of ["dev", "a%00b", "%ED%A0%80"]) {
    const query = `?sentry_key=${key}`;
    await expectTaken(await server.post(envelope({ key }), {}, query), "stored", {});
  }
  assert.deepEqual(keys, ["dev", null, null]);
});

Deno.test("post with a wrong INBOX_TOKEN → counted if it is refused", async () => {
  const reports: number[] = [];
  await using server = startRelay({
    store: { store() {} },
    inboxToken: "s3cret-token-of-16",
    onDeploy: true,
    wrongTokens: new WrongTokens((requests) => reports.push(requests), 1_000),
  });
  const foreign = envelope({ dsn: "https://other@evil.example/1" });
  const wrong = { authorization: "Bearer wrong" };
  await expectError(await server.post(foreign, wrong), 403, "dsn_not_allowed");
  await expectError(await server.post(foreign), 403, "dsn_not_allowed");
  await expectTaken(await server.post(envelope({ dsn: DSN }), wrong), "stored", {});
  await until("it is reported", () => reports.length > 0);
  assert.deepEqual(reports, [1]);
});

Deno.test("the inbox cannot store → 503 spool_unavailable", async () => {
  const reported: unknown[] = [];
  const full = new Error("disk full");
  await using server = startRelay({
    store: { store: () => Promise.reject(full) },
    onStoreError: (error) => reported.push(error),
  });
  await expectError(await server.post(envelope({ dsn: DSN })), 503, "spool_unavailable");
  assert.deepEqual(reported, [full]);
  assert.equal((await server.health()).in_flight_bytes, 0);
});

Deno.test("GET /monitoring → 200 with mode, spool, all outcomes and bytes in flight", async () => {
  await using server = startRelay();
  const response = await fetch(`${server.origin}/monitoring`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.deepEqual(await response.json(), {
    is_healthy: true,
    mode: "relay",
    spool: { pending: 0, bytes: 0, oldest_age_s: 0 },
    outcomes: {
      delivered: 0,
      spooled: 0,
      stored: 0,
      duplicate: 0,
      rate_limited: 0,
      rejected: 0,
      dropped: 0,
    },
    refused: { applications: 0, sightglass: 0 },
    in_flight_bytes: 0,
  });
});

Deno.test("GET /monitoring → 200 while an ingest is down, 503 once the server stops", async () => {
  const ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  await ingest.close();
  await expectError(await server.post(envelope({ dsn: DSN })), 503, "spool_unavailable");
  assert.equal((await server.health()).is_healthy, true);
  server.relay.stop();
  const response = await fetch(`${server.origin}/monitoring`);
  assert.equal(response.status, 503);
  assert.equal((await response.json()).is_healthy, false);
});
