import assert from "node:assert/strict";
import { join } from "node:path";
import { openSpool } from "../../monitoring/spool/open_spool.ts";
import { answers, startStandInIngest, takes } from "../stand_in_ingest.ts";
import { expectTaken } from "./_expect.ts";
import { fresh, startRelay } from "./_start_relay.ts";

const DAY_MS = 86_400_000;

Deno.test("clock set back by a day → duplicates, limits and the spool are unaffected", async () => {
  const folder = await Deno.makeTempDir({ prefix: "clock-" });
  const limits = { maxBytes: 1e8, maxAgeHours: 24 };
  const spool = await openSpool({ path: join(folder, "spool.sqlite"), ...limits }, () => {});
  await using ingest = startStandInIngest();
  // It is a day ahead at first, so that it is the system's own, which the drain has, once it is set back.
  let ahead = DAY_MS;
  const now = () => Date.now() + ahead;
  const relay = startRelay({ spool, upstream: ingest.origin, now });
  try {
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
    const { spool: held } = await relay.health();
    assert.deepEqual(held.pending, 2);
    assert.ok(held.oldest_age_s! >= 0 && held.oldest_age_s! < 60);

    ingest.behave(takes());
    spool.startDraining(relay.relay.draining);
    await relay.healthWhen(({ spool }) => spool.pending === 0);
    const sent = ingest.requests.map(({ text }) => text);
    for (const body of [waiting, later]) {
      // In vain at first; of the second one nobody was asked, for the ingest was known to be down.
      assert.ok(sent.slice(-2).includes(new TextDecoder().decode(body)));
    }

    const limit = answers(429, { headers: { "x-sentry-rate-limits": "60::key" } });
    ingest.next(limit);
    assert.equal(await statusOf(relay.post(fresh())), 429);
    ahead = -DAY_MS;
    const asked = ingest.requests.length;
    const held429 = await relay.post(fresh());
    const left = Number(held429.headers.get("retry-after"));
    assert.equal(held429.status, 429);
    assert.ok(left > 0 && left <= 60, `${left}`);
    await held429.body?.cancel();
    assert.equal(ingest.requests.length, asked);
  } finally {
    await relay[Symbol.asyncDispose]();
    await spool.stopDraining();
    await spool.close();
    await Deno.remove(folder, { recursive: true });
  }
});

async function statusOf(posting: Promise<Response>): Promise<number> {
  const response = await posting;
  await response.body?.cancel();
  return response.status;
}
