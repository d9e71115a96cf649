/** No envelope delays another: rate limits, envelopes that always fail, slow uploads, stopping. */
import assert from "node:assert/strict";
import type { RelayOptions } from "../../monitoring/relay/relay.ts";
import { DOWN_AFTER, type IngestState } from "../../monitoring/relay/send/circuit_breaker.ts";
import { startServer } from "../../tools/run/server_process.ts";
import {
  DSN,
  envelope,
  largeEnvelope,
  MIB,
  type RunningRelay,
  type SpooledRelay,
  startSpooledRelay,
} from "../relay/_start_relay.ts";
import {
  answers,
  hangs,
  type StandInIngest,
  startStandInIngest,
  takes,
} from "../stand_in_ingest.ts";
import { takesSlowly } from "../stand_in_behaviour.ts";
import { until } from "../until.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** Runs with a relay with a spool, and its ingest. */
async function withSpool(
  work: (subject: { ingest: StandInIngest; relay: SpooledRelay; drain(): void }) => Promise<void>,
  options: Pick<Partial<RelayOptions>, "relayTimeoutMs" | "upstream" | "onIngestState"> = {},
): Promise<void> {
  await using ingest = startStandInIngest();
  await using relay = await startSpooledRelay({ upstream: ingest.origin, ...options });
  await work({ ingest, relay, drain: relay.drain });
}

/** An envelope of one item. {@linkcode nameOf} reads its name. */
const named = (name: string, type = "event") =>
  envelope({ dsn: DSN, name }, [[{ type }, `{"message":"${name}"}`]]);

const nameOf = ({ text }: { text: string }) => /"name":"([^"]*)"/.exec(text)?.[1] ?? "";

const names = (ingest: StandInIngest) => ingest.requests.map(nameOf);

const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => name + n);

/** The outcome of each, posted one after another. */
async function post(relay: RunningRelay, bodies: readonly Uint8Array<ArrayBuffer>[]) {
  const outcomes: (string | null)[] = [];
  for (const body of bodies) {
    const response = await relay.post(body);
    await response.body?.cancel();
    outcomes.push(response.headers.get("x-relay-outcome"));
  }
  return outcomes;
}

const all = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

Deno.test("100 rate-limited transactions in the spool → five errors behind them are delivered", async () => {
  await withSpool(async ({ ingest, relay, drain }) => {
    ingest.behave(answers(503));
    const transactions = many("t", 100).map((name) => named(name, "transaction"));
    const errors = many("e", 5).map((name) => named(name));
    const unknown = named("u", "of_the_future");
    assert.deepEqual(
      await post(relay, [...transactions, ...errors, unknown]),
      all(106, "spooled"),
    );
    const before = ingest.requests.length;
    ingest.behave((request) =>
      nameOf(request).startsWith("t")
        ? answers(429, { headers: { "x-sentry-rate-limits": "60:transaction:key" } })
        : takes()
    );
    drain();
    await ingest.waitFor(() => {
      const since = names(ingest).slice(before);
      return [...many("e", 5), "u"].every((name) => since.includes(name));
    });
    const asked = names(ingest).slice(before).filter((name) => name.startsWith("t"));
    // Those being sent when the limit was announced.
    assert.ok(asked.length <= 17, `${asked.length} transactions were sent`);
    assert.equal(new Set(asked).size, asked.length);
    await relay.healthWhen(({ spool }) => spool.pending === 100);
    assert.deepEqual(await post(relay, [named("fresh")]), ["delivered"]);
    assert.deepEqual(await post(relay, [named("t-live", "transaction")]), ["rate_limited"]);
  });
});

Deno.test("rate limit ends → its envelopes in the spool are delivered", async () => {
  await withSpool(async ({ ingest, relay, drain }) => {
    ingest.behave(answers(503));
    await post(relay, many("t", 40).map((name) => named(name, "transaction")));
    let isLimited = true;
    ingest.behave(() => {
      if (!isLimited) return takes();
      isLimited = false;
      return answers(429, { headers: { "x-sentry-rate-limits": "2:transaction:key" } });
    });
    drain();
    await relay.healthWhen(({ spool }) => spool.pending === 0);
  });
});

for (const count of [40, 500]) {
  Deno.test(`${count} oldest always get 500 → good ones arrive, live traffic stays live`, async () => {
    await withSpool(async ({ ingest, relay, drain }) => {
      const poison = many("poison", count);
      const good = many("good", 20);
      ingest.behave(answers(500));
      const outcomes = await post(relay, [...poison, ...good].map((name) => named(name)));
      assert.deepEqual(outcomes, all(count + 20, "spooled"));
      const before = ingest.requests.length;
      ingest.behave((request) => nameOf(request).startsWith("poison") ? answers(500) : takes());
      drain();
      await ingest.waitFor(() => {
        const since = new Set(names(ingest).slice(before));
        return good.every((name) => since.has(name));
      });
      await relay.healthWhen(({ spool }) => spool.pending === count);
      const live = many("live", 50).map((name) => named(name));
      assert.deepEqual(await post(relay, live), all(50, "delivered"));
      const atOnce = await Promise.all(
        many("at once", 20).map((name) => post(relay, [named(name)])),
      );
      assert.deepEqual(atOnce.flat(), all(20, "delivered"));
    });
  });
}

Deno.test("500 live envelopes get 500 in a row → the next good one is delivered live", async () => {
  await withSpool(async ({ ingest, relay, drain }) => {
    ingest.behave((request) => nameOf(request).startsWith("poison") ? answers(500) : takes());
    drain();
    const poison = many("poison", 500).map((name) => named(name));
    assert.deepEqual(await post(relay, poison), all(500, "spooled"));
    assert.deepEqual(await post(relay, [named("good")]), ["delivered"]);
  });
});

Deno.test("spooled envelope always gets 500 → recording segments are delivered live", async () => {
  await withSpool(async ({ ingest, relay, drain }) => {
    ingest.behave((request) => nameOf(request).startsWith("poison") ? answers(500) : takes());
    drain();
    assert.deepEqual(await post(relay, [named("poison")]), ["spooled"]);
    const segments = [0, 1, 2].map((segment) =>
      envelope({ dsn: DSN, event_id: "a".repeat(32) }, [
        [{ type: "replay_recording" }, `{"segment_id":${segment}}`],
      ])
    );
    assert.deepEqual(await post(relay, segments), all(3, "delivered"));
  });
});

Deno.test("every other live envelope gets 500 → all good ones are delivered live", async () => {
  await withSpool(async ({ ingest, relay, drain }) => {
    ingest.behave((request) => nameOf(request).startsWith("poison") ? answers(500) : takes());
    drain();
    const mixed = many("", 100).map((n) => named((Number(n) % 2 ? "good" : "poison") + n));
    const outcomes = await post(relay, mixed);
    assert.deepEqual(outcomes, many("", 100).map((n) => Number(n) % 2 ? "delivered" : "spooled"));
  });
});

Deno.test("uploads of large envelopes time out → small ones are still delivered live", async () => {
  // Never reads the body of a large request: its upload stalls, which for a timeout is the same as a slow one.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const serving = (async () => {
    for await (const connection of listener) {
      connections.add(connection);
      void answerSmall(connection);
    }
  })();
  try {
    const upstream = `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
    await withSpool(async ({ relay, drain }) => {
      drain();
      assert.deepEqual(await post(relay, [named("first")]), ["delivered"]);
      const large = Array.from({ length: 8 }, () => largeEnvelope(20 * MIB - 1_000));
      assert.deepEqual(await post(relay, large), all(8, "spooled"));
      const small = many("small", 20).map((name) => named(name));
      assert.deepEqual(await post(relay, small), all(20, "delivered"));
    }, { relayTimeoutMs: 500, upstream });
  } finally {
    listener.close();
    await serving;
    for (const connection of connections) connection.close();
  }
});

Deno.test("large envelopes, connection refused → the ingest is reported as down", async () => {
  const refused = startStandInIngest();
  await refused.close();
  const states: IngestState[] = [];
  await withSpool(async ({ relay }) => {
    const large = Array.from({ length: DOWN_AFTER }, () => largeEnvelope(2 * MIB));
    assert.deepEqual(await post(relay, large), all(DOWN_AFTER, "spooled"));
    assert.deepEqual(states.map(({ state }) => state), ["down"]);
  }, { upstream: refused.origin, onIngestState: (state) => states.push(state) });
});

Deno.test("many live envelopes while the ingest answers 5xx → one is sent as a probe", async () => {
  await withSpool(async ({ ingest, relay }) => {
    const burst = async (name: string) => {
      const posts = many(name, 30).map((name) => post(relay, [named(name)]));
      assert.deepEqual((await Promise.all(posts)).flat(), all(30, "spooled"));
    };
    ingest.behave(answers(500));
    await burst("first");
    const before = ingest.requests.length;
    ingest.behave(hangs);
    await burst("second");
    assert.equal(ingest.requests.length - before, 1);
  }, { relayTimeoutMs: 2_000 });
});

Deno.test("server stops with requests open → the ingest is not reported as down", async () => {
  const states: IngestState[] = [];
  await withSpool(async ({ ingest, relay }) => {
    ingest.behave(hangs);
    const waiting = many("live", 2 * DOWN_AFTER).map((name) => post(relay, [named(name)]));
    await ingest.waitFor(({ length }) => length === waiting.length);
    relay.relay.stop();
    assert.deepEqual((await Promise.all(waiting)).flat(), all(waiting.length, "spooled"));
    assert.deepEqual(states, []);
    assert.equal((await relay.health()).ingest, undefined);
  }, { relayTimeoutMs: 60_000, onIngestState: (state) => states.push(state) });
});

/** Answers small requests with 200; does not read others. */
async function answerSmall(connection: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(16 * 1024);
  try {
    for (let text = "";;) {
      const count = await connection.read(buffer);
      if (count === null) return;
      text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (end === -1) continue;
      if (length > MIB) return;
      if (text.length < end + 4 + length) continue;
      text = text.slice(end + 4 + length);
      await connection.write(
        new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
      );
    }
  } catch {
    // The test or the relay closed it.
  }
}

Deno.test("stop while the ingest hangs → request aborted, envelope stays in the spool", async () => {
  await withSpool(async ({ ingest, relay, drain }) => {
    ingest.behave(answers(503));
    assert.deepEqual(await post(relay, [named("one")]), ["spooled"]);
    ingest.behave(hangs);
    const before = ingest.requests.length;
    drain();
    await ingest.waitFor((all) => all.length > before);
    await relay.spool.stopDraining();
    await until("the request is aborted", () => ingest.open === 0);
    assert.equal((await relay.spool.stats()).pending, 1);
  }, { relayTimeoutMs: 60_000 });
});

Deno.test("SIGTERM while draining into a slow ingest → none delivered twice after restart", async () => {
  using folder = temporaryFolder();
  await using ingest = startStandInIngest();
  const env = { SENTRY_DSN: DSN, RELAY_UPSTREAM: ingest.origin };
  ingest.behave(answers(503));
  const own = many("mine", 30);
  const mine = () => names(ingest).filter((name) => name.startsWith("mine"));
  const first = await startServer({ dataDir: folder.path, env });
  for (const name of own) {
    const response = await fetch(`${first.origin}/monitoring`, {
      method: "POST",
      body: named(name),
    });
    assert.equal(response.status, 202, await response.text());
  }
  // Now the ingest accepts each envelope, but slowly.
  const before = mine().length;
  ingest.behave(takesSlowly(1_000));
  await ingest.waitFor(() => mine().length >= before + 10);
  const askedAt = performance.now();
  assert.equal((await first.stop()).code, 0);
  assert.ok(performance.now() - askedAt < 4_500);
  ingest.behave(takes());
  await using again = await startServer({ dataDir: folder.path, env });
  await until("the spool is empty", async () => {
    const { spool } = await (await fetch(`${again.origin}/monitoring`)).json();
    return spool.pending === 0;
  });
  assert.deepEqual(mine().slice(before).toSorted(), own.toSorted());
});
