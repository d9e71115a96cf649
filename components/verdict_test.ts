import assert from "node:assert/strict";
import { judge } from "./verdict.ts";

Deno.test("the relay's outcome decides, whatever the status", () => {
  assert.equal(judge({ status: 200, outcome: "stored" }).kind, "flows");
  assert.equal(judge({ status: 200, outcome: "delivered" }).meaning, "accepted by the ingest");
  assert.equal(judge({ status: 200, outcome: "duplicate" }).kind, "flows");
  assert.equal(judge({ status: 202, outcome: "spooled" }).kind, "waits");
  assert.equal(judge({ status: 429, outcome: "rate_limited" }).kind, "refused");
  assert.equal(judge({ status: 413, outcome: "rejected" }).kind, "refused");
  assert.equal(judge({ outcome: "dropped", error: "too old" }).kind, "refused");
});

Deno.test("an ingest that answers the browser itself is judged by its status", () => {
  assert.equal(judge({ status: 200 }).word, "accepted");
  assert.equal(judge({ status: 400 }).kind, "refused");
  assert.equal(judge({ status: 403, error: "dsn_not_allowed" }).kind, "refused");
  assert.equal(judge({ status: 429 }).word, "rate limited");
});

Deno.test("what will be tried again waits: no answer, 5xx, 408, 425", () => {
  assert.equal(judge({ attempts: 0 }).word, "waiting");
  assert.equal(judge({ attempts: 1 }).word, "sending");
  assert.equal(judge({ error: "Failed to fetch" }).word, "kept");
  for (const status of [408, 425, 500, 503]) assert.equal(judge({ status }).word, "kept");
});

Deno.test("an outcome that this page does not know is judged by the status", () => {
  assert.equal(judge({ status: 200, outcome: "toString" }).word, "accepted");
  assert.equal(judge({ status: 503, outcome: "teleported" }).word, "kept");
});

Deno.test("no word claims more than is known: nothing says Sentry stored it", () => {
  for (const outcome of ["delivered", undefined]) {
    assert.doesNotMatch(judge({ status: 200, outcome }).meaning, /Sentry|stored/);
  }
});
