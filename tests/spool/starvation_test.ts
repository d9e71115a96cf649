/** No envelope delays another: rate limits, envelopes that always fail, slow uploads. */
import assert from "node:assert/strict";
import { DOWN_AFTER } from "../../monitoring/relay/send/circuit_breaker.ts";
import { MAX_CONCURRENT } from "../../monitoring/relay/spool/drain.ts";
import { largeEnvelope, MIB, startSpooledRelay } from "../relay/_start_relay.ts";
import {
  answers,
  type IngestRequest,
  stalls,
  startStandInIngest,
  takes,
} from "../harness/stand_in_ingest.ts";
import {
  arrivedNames,
  named,
  nameOf,
  numbered,
  postAll,
  postTogether,
} from "./_named_envelopes.ts";

/** Answers 500 to the envelopes named `poison…`. */
const refusesPoison = (request: IngestRequest) =>
  nameOf(request).startsWith("poison") ? answers(500) : takes();

Deno.test("100 rate-limited transactions in the spool → five errors behind them are delivered", async () => {
  await using ingest = startStandInIngest();
  await using relay = await startSpooledRelay({ upstream: ingest.origin });
  ingest.behave(answers(503));
  const transactions = numbered("t", 100).map((name) => named(name, "transaction"));
  const errors = numbered("e", 5).map((name) => named(name));
  const unknown = named("u", "of_the_future");
  assert.deepEqual(
    [...await postTogether(relay, transactions), ...await postAll(relay, [...errors, unknown])],
    Array(106).fill("spooled"),
  );
  const before = ingest.requests.length;
  ingest.behave((request) =>
    nameOf(request).startsWith("t")
      ? answers(429, { headers: { "x-sentry-rate-limits": "60:transaction:key" } })
      : takes()
  );
  relay.drain();
  const drained = () => arrivedNames(ingest).slice(before);
  await ingest.waitFor(() => [...numbered("e", 5), "u"].every((name) => drained().includes(name)));
  const limited = drained().filter((name) => name.startsWith("t"));
  // Those being sent when the limit was announced.
  assert.ok(limited.length <= MAX_CONCURRENT + 1, `${limited.length} transactions were sent`);
  assert.equal(new Set(limited).size, limited.length);
  await relay.healthWhen(({ spool }) => spool.pending === 100);
  assert.deepEqual(await postAll(relay, [named("fresh")]), ["delivered"]);
  assert.deepEqual(await postAll(relay, [named("t-live", "transaction")]), ["rate_limited"]);
});

Deno.test("500 live envelopes get 500 in a row → the next good one is delivered live", async () => {
  await using ingest = startStandInIngest();
  await using relay = await startSpooledRelay({ upstream: ingest.origin });
  ingest.behave(refusesPoison);
  relay.drain();
  const poison = numbered("poison", 500).map((name) => named(name));
  assert.deepEqual(await postAll(relay, poison), Array(500).fill("spooled"));
  assert.deepEqual(await postAll(relay, [named("good")]), ["delivered"]);
});

Deno.test("every other live envelope gets 500 → all good ones are delivered live", async () => {
  await using ingest = startStandInIngest();
  await using relay = await startSpooledRelay({ upstream: ingest.origin });
  ingest.behave(refusesPoison);
  relay.drain();
  const names = Array.from({ length: 100 }, (_, n) => (n % 2 ? "good" : "poison") + n);
  assert.deepEqual(
    await postAll(relay, names.map((name) => named(name))),
    names.map((name) => name.startsWith("good") ? "delivered" : "spooled"),
  );
});

Deno.test("uploads of large envelopes time out → small ones are still delivered live", async () => {
  await using ingest = startStandInIngest({
    beforeBody: ({ headers }) => Number(headers["content-length"]) > MIB ? stalls : undefined,
  });
  await using relay = await startSpooledRelay({ upstream: ingest.origin, relayTimeoutMs: 2_000 });
  relay.drain();
  assert.deepEqual(await postAll(relay, [named("first")]), ["delivered"]);
  const large = Array.from({ length: 8 }, () => largeEnvelope(20 * MIB - 1_000));
  const outcomes = await Promise.all(large.map((body) => postAll(relay, [body])));
  assert.deepEqual(outcomes.flat(), Array(8).fill("spooled"));
  const small = numbered("small", 20).map((name) => named(name));
  assert.deepEqual(await postAll(relay, small), Array(20).fill("delivered"));
});

Deno.test("large envelopes, connection refused → the ingest is reported as down", async () => {
  const refused = startStandInIngest();
  await refused.close();
  const lines: string[] = [];
  await using relay = await startSpooledRelay({
    upstream: refused.origin,
    log: (_level, message) => lines.push(message),
  });
  const large = Array.from({ length: DOWN_AFTER }, () => largeEnvelope(2 * MIB));
  assert.deepEqual(await postAll(relay, large), Array(DOWN_AFTER).fill("spooled"));
  assert.deepEqual(lines, ["An ingest is down"]);
});
