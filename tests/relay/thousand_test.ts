import assert from "node:assert/strict";
import { startStandInIngest, takesSlowly } from "../harness/stand_in_ingest.ts";
import { flood, floodId } from "./_flood.ts";
import { MIB, startSpooledRelay } from "./_start_relay.ts";

const COUNT = 1_000;

Deno.test("1,000 envelopes of 1 MiB at once, slow ingest → taken or 503, none lost", async () => {
  const arrived = new Map<string, number>();
  await using ingest = startStandInIngest({ keepRequests: false });
  ingest.behave(({ body }) => {
    const id = floodId(body, MIB);
    if (id !== undefined) arrived.set(id, (arrived.get(id) ?? 0) + 1);
    return takesSlowly(1_000);
  });
  await using relay = await startSpooledRelay({ upstream: ingest.origin });
  relay.drain();
  const answers = await flood({ host: relay.host, count: COUNT, bytes: MIB });
  const unexpected = answers.filter(({ status, error }) =>
    !(status === 200 || status === 202 || (status === 503 && error === "overloaded"))
  );
  assert.deepEqual(unexpected, []);
  await relay.healthWhen(({ spool }) => spool.pending === 0);
  const acknowledged = answers.filter(({ status }) => status < 300);
  assert.ok(acknowledged.length > 0);
  assert.deepEqual(acknowledged.filter(({ id }) => !arrived.has(id)), []);
  const { in_flight_bytes, is_healthy } = await relay.health();
  assert.deepEqual([in_flight_bytes, is_healthy], [0, true]);
  // With room again, all are accepted.
  const again = await flood({ host: relay.host, count: 10, bytes: MIB });
  assert.deepEqual(again.filter(({ status }) => status >= 300), []);
});
