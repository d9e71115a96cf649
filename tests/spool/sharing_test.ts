/** Relays that share a spool: duplicates and rate limits of one are known to the others. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Spool, SpoolUnavailableError } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { expectError, expectTaken } from "../relay/_expect.ts";
import { DSN, envelope, fresh, startRelay } from "../relay/_start_relay.ts";
import { answers, startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

/** Opens the same spool again and again, as several processes do. */
function sharedSpool() {
  const stack = new AsyncDisposableStack();
  const path = join(stack.use(temporaryFolder()).path, "spool.sqlite");
  return {
    async open(): Promise<Spool> {
      const spool = await openSqliteSpool({ path, maxBytes: 1e9, maxAgeHours: 24 });
      stack.defer(() => spool.close());
      return spool;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type Server = ReturnType<typeof startRelay>;
const exchange = ({ relay }: Server, spool: Spool) => relay.gossip.exchange(spool);

Deno.test("taken by one server → duplicate at the others and at their successors", async () => {
  await using ingest = startStandInIngest();
  await using shared = sharedSpool();
  const [spool, other] = [await shared.open(), await shared.open()];
  await using one = startRelay({ upstream: ingest.origin });
  await using two = startRelay({ upstream: ingest.origin });
  await exchange(one, spool);
  const [body, spooled] = [fresh(), fresh()];
  await expectTaken(await one.post(body), "delivered", { id: "e1" });
  // A spool that fails: reported once more.
  const failing = one.relay.gossip.exchange({
    exchange: () => Promise.reject(new SpoolUnavailableError("it is closed")),
  });
  await assert.rejects(failing, SpoolUnavailableError);
  await exchange(one, spool);
  await exchange(two, other);
  await expectTaken(await two.post(body), "duplicate", { id: "e1" });

  ingest.behave(answers(503));
  await expectError(await one.post(spooled), 503, "spool_unavailable");
  await exchange(one, spool);
  ingest.behave(takes());
  await exchange(two, other);
  await expectTaken(await two.post(spooled), "delivered", { id: "e1" });

  await exchange(two, other);
  await using later = startRelay({ upstream: ingest.origin });
  await exchange(later, await shared.open());
  for (const copy of [body, spooled]) {
    await expectTaken(await later.post(copy), "duplicate", { id: "e1" });
  }
});

Deno.test("rate limit announced to one server → others hold what it covers", async () => {
  await using ingest = startStandInIngest();
  await using shared = sharedSpool();
  const [spool, other] = [await shared.open(), await shared.open()];
  await using one = startRelay({ upstream: ingest.origin });
  await using two = startRelay({ upstream: ingest.origin });
  ingest.next(answers(429, { headers: { "x-sentry-rate-limits": "60:error:key" } }));
  const refused = await one.post(fresh());
  assert.equal(refused.status, 429, await refused.text());
  await exchange(one, spool);
  await exchange(two, other);
  const held = await two.post(fresh());
  assert.equal(held.status, 429, await held.text());
  assert.match(held.headers.get("x-sentry-rate-limits") ?? "", /^(60|59):error:key$/);
  assert.equal(ingest.requests.length, 1);
  const transaction = envelope({ event_id: "e1", dsn: DSN }, [[{ type: "transaction" }, "{}"]]);
  await expectTaken(await two.post(transaction), "delivered", { id: "e1" });
});
