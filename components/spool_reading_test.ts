import assert from "node:assert/strict";
import { readSpool, spoolPauseMs } from "./spool_reading.ts";

Deno.test("the relay's health tells what its spool holds", () => {
  const spool = { pending: 12, bytes: 4096, oldest_age_s: 185 };
  assert.deepEqual(readSpool({ is_healthy: true, mode: "relay", spool }), {
    pending: 12,
    oldestAgeS: 185,
  });
});

Deno.test("what a proxy answered in its place is no reading", () => {
  const answers: unknown[] = [
    null,
    undefined,
    "down",
    [],
    {},
    { spool: null },
    { spool: 3 },
    { spool: { pending: "12", oldest_age_s: 1 } },
    { spool: { pending: -1, oldest_age_s: 1 } },
    { spool: { pending: 1, oldest_age_s: NaN } },
  ];
  for (const answer of answers) assert.equal(readSpool(answer), undefined);
});

Deno.test("each question that finds something waiting doubles the pause, up to five minutes", () => {
  assert.deepEqual([1, 2, 3].map(spoolPauseMs), [2000, 4000, 8000]);
  assert.equal(spoolPauseMs(500), 300_000);
});
