import assert from "node:assert/strict";
import { healthPauseMs, readHealth } from "./relay_health.ts";

Deno.test("a proxy answers in the relay's place → no health", () => {
  for (const answer of [null, undefined, "down", [], {}, { status: "up" }]) {
    assert.deepEqual(readHealth(answer), {});
  }
});

Deno.test("envelopes still wait → the pause doubles, up to ten seconds", () => {
  assert.deepEqual([1, 2, 3].map(healthPauseMs), [2000, 4000, 8000]);
  assert.equal(healthPauseMs(500), 10_000);
});
