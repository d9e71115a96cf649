/** The real server, killed and disturbed at random under load. `deno task faults` runs longer. */
import assert from "node:assert/strict";
import { failuresOf } from "./_delivery_log.ts";
import { countsOf, type FaultReport, type FaultRunOptions, runFaults } from "./_fault_run.ts";
import { ALL_FAULTS, KILLS } from "./fault_profiles.ts";

const KILL_COUNT = 25;
/** Enough for several full disks and changes of the clock. Not a duration: a busy machine starts a server in seconds. */
const RUN_COUNT = 7;

/** Runs faults. Fails if an acknowledged envelope is lost, or was delivered twice without a known reason. */
async function expectNothingLost(options: Omit<FaultRunOptions, "seed">): Promise<FaultReport> {
  const seed = Number(Deno.env.get("CRASH_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  console.log(`CRASH_SEED=${seed} repeats the same server runs, faults and envelopes`);
  const report = await runFaults({ ...options, seed });
  console.log(countsOf(report));
  assert.deepEqual(failuresOf(report), []);
  return report;
}

Deno.test(`${KILL_COUNT} kills under load → no acknowledged envelope is lost, none sent twice without cause`, async () => {
  const until = { runs: KILL_COUNT, outcomes: ["delivered", "spooled"] };
  const report = await expectNothingLost({ until, profile: KILLS });
  const { outcomes, otlp, resent, spooled } = report;
  assert.equal(spooled, 0, "envelopes are still in the spool after the recovery");
  // Without these the run has not tested what its title claims.
  assert.ok((outcomes.delivered ?? 0) > 0, "no envelope was acknowledged as delivered");
  assert.ok((outcomes.spooled ?? 0) > 0, "no envelope was acknowledged as spooled");
  assert.ok(otlp > 0, "no OTLP request was acknowledged");
  assert.ok(resent > 0, "no envelope was posted again after a kill");
});

Deno.test("random faults of ingest, disk, clock and process → nothing acknowledged is lost", async () => {
  const { posted, faults } = await expectNothingLost({
    until: { runs: RUN_COUNT },
    profile: {
      ...ALL_FAULTS,
      runMs: [300, 3_000],
      maxDiskAndClockMs: 2_000,
      maxBehaviourMs: 1_500,
    },
  });
  assert.ok(posted > 0);
  assert.ok(faults["clock set"]);
});
