import assert from "node:assert/strict";
import * as zlib from "node:zlib";
import { MAX_CONNECTIONS } from "../../monitoring/relay/send/ingest_client.ts";
import { answers, startStandInIngest, takes, takesAfter } from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { expectTaken } from "./_expect.ts";
import { DSN, envelope, fresh, startRelay } from "./_start_relay.ts";

const HOUR_MS = 3_600_000;

Deno.test("row 'seen before': any sent_at, compressed or not → 200 duplicate, not forwarded", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const at = (sent_at?: string) => envelope({ event_id: "e1", dsn: DSN, sent_at });
  await expectTaken(await server.post(at("2026-01-01T00:00:00Z")), "delivered", { id: "e1" });
  await expectTaken(await server.post(at("2026-01-01T00:00:09Z")), "duplicate", { id: "e1" });
  await expectTaken(await server.post(at()), "duplicate", { id: "e1" });
  const gzipped = new Uint8Array(zlib.gzipSync(at("later")));
  const headers = { "content-encoding": "gzip" };
  await expectTaken(await server.post(gzipped, headers), "duplicate", { id: "e1" });
  assert.equal(ingest.requests.length, 1);
  const { outcomes } = await server.health();
  assert.deepEqual([outcomes.delivered, outcomes.duplicate], [1, 3]);
});

Deno.test("row 'seen before': a copy while the first is sent → waits, then 200 duplicate", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const { promise, resolve } = Promise.withResolvers<void>();
  ingest.next(takesAfter(promise));
  const body = fresh();
  const first = server.post(body);
  await ingest.waitFor((all) => all.length === 1);
  const second = server.post(body);
  await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes === 2 * body.length);
  resolve();
  await expectTaken(await first, "delivered", { id: "e1" });
  await expectTaken(await second, "duplicate", { id: "e1" });
  assert.equal(ingest.requests.length, 1);
});

Deno.test("limit announced while a copy waits → 429 for the copy, no request", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, relayTimeoutMs: 1_000 });
  // Its status arrives at once, its end never.
  const limited = { kind: "hang half way", status: 429 } as const;
  ingest.next(limited);
  const body = fresh();
  const first = server.post(body);
  await ingest.waitFor((all) => all.length === 1);
  for (const answer of await Promise.all([first, server.post(body)])) {
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get("x-relay-outcome"), "rate_limited");
    await answer.body?.cancel();
  }
  assert.equal(ingest.requests.length, 1);
});

Deno.test("row 'under a limit it announced': envelopes that wait for a connection → 429", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const answered = Promise.withResolvers<void>();
  const headers = { "x-sentry-rate-limits": "60:error:key", connection: "close" };
  ingest.behave({ kind: "take", headers, after: answered.promise });
  const posts = Array.from({ length: MAX_CONNECTIONS + 20 }, () => server.post(fresh()));
  await ingest.waitFor((all) => all.length === MAX_CONNECTIONS);
  answered.resolve();
  const statuses = await Promise.all(posts.map(statusOf));
  assert.equal(statuses.filter((status) => status === 429).length, 20);
  assert.equal(ingest.requests.length, MAX_CONNECTIONS);
  assert.equal((await server.health()).outcomes.rate_limited, 20);
});

Deno.test("row 'seen before': after one hour → delivered again", async () => {
  let uptime = 0;
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, uptime: () => uptime });
  const body = fresh();
  await expectTaken(await server.post(body), "delivered", { id: "e1" });
  uptime = HOUR_MS - 1;
  await expectTaken(await server.post(body), "duplicate", { id: "e1" });
  uptime = HOUR_MS;
  await expectTaken(await server.post(body), "delivered", { id: "e1" });
});

Deno.test("row 'seen before': inbox mode → 200 duplicate, stored once", async () => {
  let stored = 0;
  await using server = startRelay({ store: { store: () => void stored++ } });
  const body = fresh();
  await expectTaken(await server.post(body), "stored", { id: "e1" });
  await expectTaken(await server.post(body), "duplicate", { id: "e1" });
  assert.equal(stored, 1);
});

Deno.test("row 'under a limit it announced' → 429 with the rest of its time, no request", async () => {
  let uptime = 0;
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, uptime: () => uptime });
  ingest.next(takes({ "x-sentry-rate-limits": "60:error:organization:quota, 30:replay:key" }));
  await expectTaken(await server.post(fresh()), "delivered", { id: "e1" });

  uptime = 10_000;
  const held = await server.post(fresh());
  assert.equal(held.status, 429);
  assert.equal(held.headers.get("x-sentry-rate-limits"), "50:error:organization:quota");
  assert.equal(held.headers.get("retry-after"), "50");
  assert.equal(held.headers.get("x-relay-outcome"), "rate_limited");
  assert.equal(held.headers.get("x-sentry-error"), (await held.json()).detail);
  assert.equal(ingest.requests.length, 1);

  const mixed = fresh([[{ type: "event" }, "{}"], [{ type: "transaction" }, "{}"]]);
  await expectTaken(await server.post(mixed), "delivered", { id: "e1" });
  uptime = 60_000;
  await expectTaken(await server.post(fresh()), "delivered", { id: "e1" });
});

Deno.test("row 'the ingest answers 429': → no request of any client for that DSN until it ends", async () => {
  let uptime = 0;
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, uptime: () => uptime });
  ingest.next(answers(429, { headers: { "retry-after": "7" } }));
  const body = fresh();
  await statusOf(server.post(body));
  // The envelope that was refused is under the limit as well, and is no duplicate.
  for (const again of [body, fresh([[{ type: "tomorrows_type" }, ""]])]) {
    const held = await server.post(again);
    assert.equal(held.status, 429);
    assert.equal(held.headers.get("retry-after"), "7");
    await held.body?.cancel();
  }
  assert.equal(ingest.requests.length, 1);
  uptime = 7_000;
  await expectTaken(await server.post(body), "delivered", { id: "e1" });
});

Deno.test("duplicate under a limit → 429, as in the contract's order", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const body = fresh();
  ingest.next(takes({ "x-sentry-rate-limits": "60::organization" }));
  await expectTaken(await server.post(body), "delivered", { id: "e1" });
  const again = await server.post(body);
  assert.equal(again.headers.get("x-relay-outcome"), "rate_limited");
  await again.body?.cancel();
});
