import assert from "node:assert/strict";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { untilDrained } from "../harness/server_health.ts";
import { mountSmallDisk, needsSmallDisk } from "../harness/small_disk.ts";
import { answers, startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { until } from "../harness/until.ts";
import { expectError } from "../relay/_expect.ts";
import { largeEnvelope } from "../relay/_start_relay.ts";

const DISK_MIB = 40;
const LARGE = 500_000;
/** Deliveries on a busy machine. */
const DRAIN_TIMEOUT_MS = 120_000;

Deno.test({
  ...await needsSmallDisk(
    "disk full → 503 spool_unavailable, logged once; all are delivered, then new ones spooled",
  ),
  async fn() {
    await using disk = await mountSmallDisk(DISK_MIB);
    assert.ok(disk);
    await using ingest = startStandInIngest();
    ingest.behave(answers(503));
    await using server = await startRelaying(ingest, {
      dataDir: disk.path,
      before: disk.before,
      // A server whose attempt times out on a busy machine would deliver an envelope twice.
      env: { RELAY_TIMEOUT_MS: "30000" },
    });
    const kept: string[] = [];
    for (let refused = 0; refused < 3;) {
      const body = largeEnvelope(LARGE);
      const response = await postTo(server, body);
      if (response.status === 202) {
        await response.body?.cancel();
        kept.push(new TextDecoder().decode(body));
      } else {
        await expectError(response, 503, "spool_unavailable");
        refused++;
      }
    }
    assert.ok(kept.length > 5, `${kept.length} were kept`);
    assert.equal(server.output().match(/error: The spool cannot store envelopes/g)?.length, 1);
    assert.doesNotMatch(server.output(), /The spool fails/);

    const taken: string[] = [];
    ingest.behave(({ text }) => {
      taken.push(text);
      return takes();
    });
    await untilDrained(server, DRAIN_TIMEOUT_MS);
    assert.deepEqual(taken.filter((text) => kept.includes(text)).toSorted(), kept.toSorted());

    ingest.behave(answers(503));
    await until(
      "an envelope is spooled again",
      async () => await statusOf(postTo(server, largeEnvelope(LARGE))) === 202,
    );
  },
});
