/** The real server under all faults. `deno task faults --minutes=30` runs longer. */
import assert from "node:assert/strict";
import { ALL_FAULTS, runFaults } from "./_fault_run.ts";

/** Enough for several server runs, moods and full disks. */
const FAULTS_MS = 12_000;

Deno.test("random faults of ingest, disk, clock and process → nothing acknowledged is lost", async () => {
  const seed = Number(Deno.env.get("CRASH_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  console.log(`CRASH_SEED=${seed} repeats the same server runs, faults and envelopes`);
  const { lost, wrong, doubles, ...counts } = await runFaults({
    seed,
    until: { ms: FAULTS_MS },
    profile: { ...ALL_FAULTS, runMs: [300, 3_000], mostCalmMs: 2_000, mostMoodMs: 1_500 },
  });
  console.log(JSON.stringify(counts));
  assert.deepEqual(lost, []);
  assert.deepEqual(wrong, []);
  assert.deepEqual(doubles.filter(({ reason }) => reason === "unexplained"), []);
  assert.ok(counts.posted > 0);
  assert.ok(counts.faults["clock set"]);
});
