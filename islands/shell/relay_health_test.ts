import assert from "node:assert/strict";
import { healthPauseMs, readHealth } from "./relay_health.ts";

const outcomes = {
  delivered: 15,
  spooled: 2,
  stored: 0,
  duplicate: 1,
  rate_limited: 1,
  rejected: 2,
  dropped: 0,
};

const spool = { pending: 12, bytes: 4096, oldest_age_s: 185 };

Deno.test("health of a relay with a spool → its envelopes", () => {
  assert.deepEqual(readHealth({ is_healthy: true, mode: "relay", spool, outcomes }).spool, spool);
});

Deno.test("outcomes of all senders → accepted, refused, and refused by outcome", () => {
  assert.deepEqual(readHealth({ is_healthy: true, spool, outcomes }).totals, {
    accepted: 15,
    refused: 3,
    reasons: [{ word: "rate limited", count: 1 }, { word: "rejected", count: 2 }],
  });
  const inInbox = { ...outcomes, delivered: 0, stored: 7, rate_limited: 0, rejected: 0 };
  assert.deepEqual(readHealth({ is_healthy: true, spool, outcomes: inInbox }).totals, {
    accepted: 7,
    refused: 0,
    reasons: [],
  });
});

Deno.test("a proxy answers in the relay's place → no health", () => {
  for (const answer of [null, undefined, "down", [], {}, { status: "up" }]) {
    assert.deepEqual(readHealth(answer), {});
  }
});

Deno.test("envelopes still wait → the pause doubles, up to ten seconds", () => {
  assert.deepEqual([1, 2, 3].map(healthPauseMs), [2000, 4000, 8000]);
  assert.equal(healthPauseMs(500), 10_000);
});
