/** The real server, killed repeatedly under load while its ingest often fails. */
import assert from "node:assert/strict";
import { KILLS, runFaults } from "./_fault_run.ts";

/** `deno task faults --kills=200` runs more of them. */
const KILL_COUNT = 25;

Deno.test(`${KILL_COUNT} kills under load → no acknowledged envelope is lost, none sent twice without cause`, async () => {
  const seed = Number(Deno.env.get("CRASH_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  console.log(`CRASH_SEED=${seed} repeats the same server runs, moods and envelopes`);
  const report = await runFaults({ seed, until: { kills: KILL_COUNT }, profile: KILLS });
  const { lost, wrong, doubles, outcomes, resent, spooled } = report;
  console.log(JSON.stringify({ posted: report.posted, outcomes, resent, doubles: doubles.length }));
  assert.deepEqual(lost, []);
  assert.deepEqual(wrong, []);
  assert.deepEqual(doubles.filter(({ reason }) => reason === "unexplained"), []);
  assert.equal(spooled, 0, "envelopes are still in the spool after the recovery");
  // Without these the run has not tested what its title claims.
  assert.ok((outcomes.delivered ?? 0) > 0, "no envelope was acknowledged as delivered");
  assert.ok((outcomes.spooled ?? 0) > 0, "no envelope was acknowledged as spooled");
  assert.ok(resent > 0, "no envelope was posted again after a kill");
});
