import assert from "node:assert/strict";
import { readHealth } from "./relay_health.ts";

Deno.test("a proxy answers in the relay's place → no health", () => {
  for (const answer of [null, undefined, "down", [], {}, { status: "up" }]) {
    assert.equal(readHealth(answer, 0), null);
  }
});

Deno.test("refusals before this page, of others and of its own → told apart; server restarted → from 0", () => {
  const health = (rejected: number, dropped = 1) => ({
    spool: { pending: 0, bytes: 0, oldest_age_s: 0 },
    outcomes: { delivered: 1, stored: 2, rejected, dropped, rate_limited: 7 },
  });
  const first = readHealth(health(4), 1);
  assert.deepEqual([first?.accepted, first?.refused, first?.refusedBefore], [3, 4, 3]);
  // Held back by a limit, and given up: neither is refused.
  assert.deepEqual([first?.limited, first?.lost, first?.lostBefore], [7, 1, 1]);
  assert.equal(readHealth(health(6), 2, first)?.refusedBefore, 3);
  const restarted = readHealth(health(0, 0), 2, first);
  assert.deepEqual([restarted?.refusedBefore, restarted?.lostBefore], [0, 0]);
});
