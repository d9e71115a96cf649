import assert from "node:assert/strict";
import { startStandInIngest } from "../stand_in_ingest.ts";
import { RawClient } from "./_raw_client.ts";
import { largeEnvelope, MIB, startRelay } from "./_start_relay.ts";

/** Sends the first half of a large envelope, and says how to send the rest. */
async function halfSent(host: string): Promise<{ client: RawClient; rest: () => Promise<void> }> {
  const whole = largeEnvelope(MIB);
  const client = await RawClient.connect(host);
  await client.sendHead({ "content-length": `${whole.length}` });
  await client.send(whole.subarray(0, MIB / 2));
  return { client, rest: () => client.send(whole.subarray(MIB / 2)) };
}

Deno.test("senders of large bodies that stop half way hold up nobody, and are taken when they go on", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, maxReading: 2 });
  const stalled = await Promise.all(Array.from({ length: 6 }, () => halfSent(server.host)));
  await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes >= 6 * MIB / 2);
  const others = await Promise.all(
    Array.from({ length: 6 }, async () => (await server.post(largeEnvelope(MIB))).status),
  );
  assert.deepEqual(others, Array(6).fill(200));
  for (const { client, rest } of stalled) {
    await rest();
    assert.match(await client.answer(), /^HTTP\/1\.1 200 /);
    client.close();
  }
  assert.equal((await server.health()).in_flight_bytes, 0);
});

Deno.test("senders that go away while they wait for their turn or hold it leave nothing behind", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, maxReading: 1 });
  const gone = await Promise.all(Array.from({ length: 5 }, () => halfSent(server.host)));
  for (const { client } of gone) client.close();
  await server.healthWhen(({ outcomes }) => outcomes.rejected === 5);
  assert.equal((await server.post(largeEnvelope(MIB))).status, 200);
  assert.equal((await server.health()).in_flight_bytes, 0);
});
