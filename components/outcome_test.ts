import assert from "node:assert/strict";
import { describeOutcome } from "./outcome.ts";

Deno.test("known outcome → it decides, whatever the status", () => {
  assert.equal(describeOutcome({ status: 200, outcome: "stored" }).kind, "flows");
  assert.equal(
    describeOutcome({ status: 200, outcome: "delivered" }).meaning,
    "accepted by the ingest",
  );
  assert.equal(describeOutcome({ status: 200, outcome: "duplicate" }).kind, "ended");
  for (const outcome of ["spooled", `spooled; key=${"a".repeat(64)}`]) {
    assert.equal(describeOutcome({ status: 202, outcome }).word, "spooled");
  }
  assert.equal(describeOutcome({ status: 202, outcome: "left_spool" }).kind, "ended");
  for (const lost of [{ status: 429, outcome: "rate_limited" }, { outcome: "dropped" }]) {
    assert.equal(describeOutcome(lost).word, "lost");
  }
  assert.equal(describeOutcome({ status: 413, outcome: "rejected" }).kind, "refused");
  assert.equal(describeOutcome({ outcome: "dropped", error: "too old" }).kind, "refused");
  assert.equal(describeOutcome({ outcome: "withdrawn", attempts: 0 }).kind, "ended");
  assert.equal(describeOutcome({ outcome: "handed_over", attempts: 0 }).kind, "ended");
});

Deno.test("no outcome, because the ingest responded itself → the status decides", () => {
  assert.equal(describeOutcome({ status: 200 }).word, "accepted");
  assert.equal(describeOutcome({ status: 400 }).kind, "refused");
  assert.equal(describeOutcome({ status: 403, error: "dsn_not_allowed" }).kind, "refused");
});

Deno.test("no outcome and no decision → waiting, sending or kept", () => {
  assert.equal(describeOutcome({ attempts: 0 }).word, "waiting");
  assert.equal(describeOutcome({ attempts: 1 }).word, "sending");
  assert.equal(describeOutcome({ error: "Failed to fetch" }).word, "kept");
  for (const status of [408, 425, 429, 500, 503]) {
    assert.equal(describeOutcome({ status }).word, "kept");
  }
});

Deno.test("an unknown outcome → the status decides", () => {
  // A name that objects inherit.
  assert.equal(describeOutcome({ status: 200, outcome: "toString" }).word, "accepted");
  assert.equal(describeOutcome({ status: 503, outcome: "teleported" }).word, "kept");
});

Deno.test("accepted by the ingest → no text claims that Sentry stored it", () => {
  for (const outcome of ["delivered", undefined]) {
    assert.doesNotMatch(describeOutcome({ status: 200, outcome }).meaning, /Sentry|stored/);
  }
});
