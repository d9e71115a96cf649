import assert from "node:assert/strict";
import { readHealth } from "./relay_health.ts";

Deno.test("a proxy answers in the relay's place → no health", () => {
  for (const answer of [null, undefined, "down", [], {}, { status: "up" }]) {
    assert.equal(readHealth(answer), null);
  }
});

Deno.test("refusals of applications → counted since this page was opened; server restarted → from 0", () => {
  const health = (applications: number, dropped = 1) => ({
    spool: { pending: 0, bytes: 0, oldest_age_s: 0 },
    // Uploads that were cut are among the rejected.
    outcomes: { delivered: 1, stored: 2, rejected: 99, dropped, rate_limited: 7 },
    refused: { applications, sightglass: 5 },
  });
  const first = readHealth(health(3));
  assert.deepEqual([first?.accepted, first?.refused], [3, 8]);
  assert.deepEqual([first?.refusedOfOthers, first?.refusedBefore], [3, 3]);
  // Held back by a limit, and given up: neither is refused.
  assert.deepEqual([first?.limited, first?.lost, first?.lostBefore], [7, 1, 1]);
  assert.equal(readHealth(health(6), first)?.refusedBefore, 3);
  const restarted = readHealth(health(0, 0), first);
  assert.deepEqual([restarted?.refusedBefore, restarted?.lostBefore], [0, 0]);
});
