/** The real server, killed repeatedly under load while its ingest often fails. */
import assert from "node:assert/strict";
import { KILLS, runFaults } from "./_fault_run.ts";

/** `deno task faults --kills=200` runs more of them. */
const TIMES = 50;

Deno.test(`server killed ${TIMES} times under load → nothing acknowledged is lost or doubled unexplained`, async () => {
  const seed = Number(Deno.env.get("CRASH_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  console.log(`CRASH_SEED=${seed} repeats the same lives, moods and envelopes`);
  const report = await runFaults({ seed, until: { kills: TIMES }, profile: KILLS });
  const { lost, wrong, doubles, outcomes, resent, spooled } = report;
  console.log(JSON.stringify({ posted: report.posted, outcomes, resent, doubles: doubles.length }));
  assert.deepEqual(lost, []);
  assert.deepEqual(wrong, []);
  assert.deepEqual(doubles.filter(({ reason }) => reason === "unexplained"), []);
  assert.equal(spooled, 0);
  assert.ok((outcomes.delivered ?? 0) > 0 && (outcomes.spooled ?? 0) > 0 && resent > 0);
});
