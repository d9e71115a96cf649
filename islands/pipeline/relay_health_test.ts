import assert from "node:assert/strict";
import { readHealth } from "./relay_health.ts";

Deno.test("a proxy answers in the relay's place → no health", () => {
  for (const answer of [null, undefined, "down", [], {}, { status: "up" }]) {
    assert.equal(readHealth(answer, 0), null);
  }
});

Deno.test("refusals before this page, of others and of its own → told apart; server restarted → from 0", () => {
  const health = (rejected: number) => ({
    spool: { pending: 0, bytes: 0, oldest_age_s: 0 },
    outcomes: { delivered: 1, stored: 2, rejected, dropped: 1, rate_limited: 0 },
  });
  const first = readHealth(health(4), 1);
  assert.deepEqual([first?.accepted, first?.refused, first?.refusedBefore], [3, 5, 4]);
  assert.equal(first?.reasons, "4 rejected, 1 dropped");
  assert.equal(readHealth(health(6), 2, first)?.refusedBefore, 4);
  assert.equal(readHealth(health(0), 2, first)?.refusedBefore, 0);
});
