import assert from "node:assert/strict";
import fc from "fast-check";
import { startFuzzedRelay } from "./fuzzed_relay.ts";
import { hostileRequest } from "./hostile_request.ts";

/** A few seconds; `deno task fuzz` goes on for as long as one likes. */
const RUNS = 3000;

/** What the generator must reach to prove anything. */
const REACHED = [
  "200 delivered",
  "200 duplicate",
  "200 {}",
  "400 envelope_malformed",
  "403 dsn_missing",
  "403 dsn_not_allowed",
  "403 origin_not_allowed",
  "413 envelope_too_large",
  "415 encoding_not_supported",
];

Deno.test("whatever is posted: a row of the contract in time, the same bytes upstream or none, nothing left in flight", async () => {
  await using relay = startFuzzedRelay();
  await fc.assert(
    fc.asyncProperty(hostileRequest, (request) => relay.check(request)),
    { numRuns: RUNS },
  );
  assert.deepEqual([...relay.endings.keys()].sort(), REACHED);
});
