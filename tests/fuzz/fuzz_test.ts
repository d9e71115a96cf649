import assert from "node:assert/strict";
import fc from "fast-check";
import { hostileBytes } from "../../monitoring/models/otlp/testdata/hostile_bytes.ts";
import { ClientFuzzer } from "./client_fuzzer.ts";
import { hostileAnswer, plainAnswer } from "./hostile_answer.ts";
import { hostileRequest } from "./hostile_request.ts";
import { IngestFuzzer } from "./ingest_fuzzer.ts";

/**
 * Takes a few seconds. The rarest outcome below is that of 2 % of the requests, so each is tried dozens of times.
 * `deno task fuzz --seconds=N` runs longer.
 */
const REQUESTS = 1_500;
/** Each is followed by two more requests. The rarest outcome below is that of 8 % of the answers. */
const ANSWERS = 120;

/** Outcomes that the generated requests must reach. */
const RELAY_OUTCOMES = [
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

Deno.test("any request → a row of the contract, its bytes upstream or none, nothing in flight", async () => {
  await using clients = new ClientFuzzer();
  await fc.assert(
    fc.asyncProperty(hostileRequest, (request) => clients.check(request)),
    { numRuns: REQUESTS },
  );
  assert.deepEqual([...clients.outcomes.keys()].sort(), RELAY_OUTCOMES);
});

const OTLP_OUTCOMES = ["OTLP 200 delivered", "OTLP 200 empty", "OTLP 400 rejected"];

Deno.test("any OTLP request → a row of the contract, its bytes upstream or none", async () => {
  await using clients = new ClientFuzzer();
  for (const request of hostileBytes(1, REQUESTS)) await clients.checkOtlp(request);
  assert.deepEqual([...clients.outcomes.keys()].sort(), OTLP_OUTCOMES);
});

/** Outcomes that the generated answers must reach. */
const INGEST_OUTCOMES = ["200 delivered", "400 rejected", "429 rate_limited", "503 rejected"];

Deno.test("any answer of an ingest → a row of the contract, the process lives, limits end in an hour", async () => {
  await using ingest = new IngestFuzzer();
  await fc.assert(
    fc.asyncProperty(hostileAnswer, (answer) => ingest.check(answer)),
    {
      numRuns: ANSWERS,
      examples: [200, 205, 400, 429, 503].map((status) => [plainAnswer(status)]),
    },
  );
  for (const outcome of INGEST_OUTCOMES) assert.ok(ingest.outcomes.has(outcome), outcome);
});
