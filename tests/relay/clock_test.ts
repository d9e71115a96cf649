import assert from "node:assert/strict";
import { FAILURE_MS } from "../../monitoring/relay/send/circuit_breaker.ts";
import { RelaySpool } from "../../monitoring/relay/spool/relay_spool.ts";
import { answers, startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { expectTaken } from "./_expect.ts";
import { fresh, startRelay, startSpooledRelay } from "./_start_relay.ts";

const DAY_MS = 86_400_000;

Deno.test("clock set back by a day → duplicates, limits and the spool are unaffected", async () => {
  await using ingest = startStandInIngest();
  // A day ahead of the system's clock, which the drain uses.
  let ahead = DAY_MS;
  const now = () => Date.now() + ahead;
  await using relay = await startSpooledRelay({ upstream: ingest.origin, now });
  const delivered = fresh();
  await expectTaken(await relay.post(delivered), "delivered", { id: "e1" });
  ingest.behave(answers(500));
  const waiting = fresh();
  assert.equal(await statusOf(relay.post(waiting)), 202);

  ahead = 0;
  await expectTaken(await relay.post(delivered), "duplicate", { id: "e1" });
  await expectTaken(await relay.post(waiting), "duplicate", { id: "e1" });
  const later = fresh();
  assert.equal(await statusOf(relay.post(later)), 202);
  const { spool } = await relay.health();
  assert.equal(spool.pending, 2);
  assert.ok(spool.oldest_age_s >= 0 && spool.oldest_age_s < 60);

  ingest.behave(takes());
  relay.drain();
  await relay.healthWhen(({ spool }) => spool.pending === 0);
  const sent = ingest.requests.map(({ text }) => text);
  for (const body of [waiting, later]) {
    // Each was delivered from the spool only: `later` was not sent before, because the ingest was down.
    assert.ok(sent.slice(-2).includes(new TextDecoder().decode(body)));
  }

  ingest.next(answers(429, { headers: { "x-sentry-rate-limits": "60::key" } }));
  assert.equal(await statusOf(relay.post(fresh())), 429);
  ahead = -DAY_MS;
  const before = ingest.requests.length;
  const limited = await relay.post(fresh());
  assert.equal(limited.status, 429);
  const seconds = Number(limited.headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 60, `${seconds}`);
  await limited.body?.cancel();
  assert.equal(ingest.requests.length, before);
});

Deno.test("another process delivers what waited → half a minute later the ingest does not count as failing", async () => {
  await using ingest = startStandInIngest();
  let ahead = 0;
  const now = () => Date.now() + ahead;
  await using relay = await startSpooledRelay({ upstream: ingest.origin, now });
  ingest.behave(answers(500));
  assert.equal(await statusOf(relay.post(fresh())), 202);
  ingest.behave(takes());

  const path = relay.spoolPath;
  const spool = await RelaySpool.open({ path, maxBytes: 1e9, maxAgeHours: 24 }, () => {});
  await using other = startRelay({ upstream: ingest.origin, spool });
  await other.relay.start();
  const { ingest: state } = await relay.healthWhen(({ spool }) => spool.pending === 0);
  assert.equal(state?.failing.length, 1);
  await other.relay.stop();
  await other.relay.close();

  ahead = FAILURE_MS;
  relay.drain();
  await relay.healthWhen(({ ingest }) => ingest === undefined);
});
