import assert from "node:assert/strict";
import { ALL_FAULTS, FLEET_KILLS, KILLS } from "./fault_profiles.ts";
import { describeReport, hasPassed, readFaultOptions } from "./main.ts";
import { UserError } from "../../tools/command_line.ts";

const REPORT = {
  posted: 3,
  outcomes: { delivered: 2, spooled: 1 },
  resent: 1,
  spooled: 0,
  refusals: { "503 spool_unavailable": 4 },
  faults: { SIGKILL: 2 },
  lost: [],
  wrong: [],
  duplicates: [],
};

Deno.test("fault options → kills or minutes and a seed, with defaults", () => {
  const one = { servers: 1, isInDatabase: false };
  const byDefault = { ...one, seed: 7, until: { runs: 200 }, profile: KILLS };
  assert.deepEqual(readFaultOptions([], 7), byDefault);
  assert.deepEqual(readFaultOptions(["--servers=3", "--database"], 7), {
    ...byDefault,
    servers: 3,
    isInDatabase: true,
    profile: FLEET_KILLS,
  });
  assert.deepEqual(readFaultOptions(["--kills=5", "--seed=9"], 7), {
    ...one,
    seed: 9,
    until: { runs: 5 },
    profile: KILLS,
  });
  assert.deepEqual(readFaultOptions(["--minutes=30"], 7), {
    ...one,
    seed: 7,
    until: { ms: 1_800_000 },
    profile: ALL_FAULTS,
  });
});

Deno.test("fault options unknown, not a number, or both → refused", () => {
  for (const args of [["--kills"], ["--seed=x"], ["5"], ["--kills=1", "--minutes=1"]]) {
    assert.throws(() => readFaultOptions(args, 7), UserError, args.join(" "));
  }
});

Deno.test("loss, unexplained duplicate or anything wrong → reported as failed", () => {
  assert.ok(hasPassed(REPORT));
  const last = "acknowledged and lost 0, duplicates without a reason 0, otherwise wrong 0";
  assert.equal(describeReport(REPORT).at(-1), last);
  assert.ok(hasPassed({ ...REPORT, duplicates: [{ id: "a", reason: "killed" }] }));
  const bad = {
    "lost: a": { ...REPORT, lost: ["a"] },
    "wrong: a": { ...REPORT, wrong: ["a"] },
    "twice: a": { ...REPORT, duplicates: [{ id: "a", reason: "unexplained" as const }] },
  };
  for (const [line, report] of Object.entries(bad)) {
    assert.ok(!hasPassed(report));
    assert.ok(describeReport(report).includes(line), line);
  }
});
