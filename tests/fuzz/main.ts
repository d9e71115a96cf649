/**
 * `deno task fuzz [--seconds=N] [--seed=S]`: for half of N seconds (default 30) clients post hostile requests to a relay;
 * for the other half an ingest gives it hostile answers. Checks every response against the contract, and whether memory
 * grows. Prints the seeds, the outcomes and the smallest failing case. Exits with 1 if a check fails or memory grows.
 */
import fc from "fast-check";
import { hostileBytes } from "../../monitoring/models/otlp/testdata/hostile_bytes.ts";
import { readArguments, runTask } from "../../tools/command_line.ts";
import { readWholeNumber } from "../harness/whole_number.ts";
import { ClientFuzzer } from "./client_fuzzer.ts";
import { hostileAnswer } from "./hostile_answer.ts";
import { hostileRequest } from "./hostile_request.ts";
import { IngestFuzzer } from "./ingest_fuzzer.ts";

const DEFAULT_SECONDS = 30;
/** Batches before memory is first measured: the engine compiles code and fills its pools. */
const WARM_UP_BATCHES = 6;
/** Allowed growth of heap and external memory after garbage collection. Shows a leak of 1 KB a request in seconds. */
const MAX_GROWTH_BYTES = 8 * 1024 * 1024;

/** Fuzzes both sides. Returns the exit code. */
async function fuzz(): Promise<number> {
  const { values } = readArguments("fuzz", "deno task fuzz [--seconds=N] [--seed=S]", {
    options: { seconds: { type: "string" }, seed: { type: "string" } },
  });
  const seconds = (readWholeNumber("seconds", values.seconds) ?? DEFAULT_SECONDS) / 2;
  const seed = readWholeNumber("seed", values.seed) ?? Date.now() % 1_000_000_000;

  await using clients = new ClientFuzzer();
  const requests = await fuzzFor(seconds, seed, clients.outcomes, async (seed) => {
    const property = fc.asyncProperty(hostileRequest, (request) => clients.check(request));
    await fc.assert(property, { seed, numRuns: 500 });
    for (const request of hostileBytes(seed, 200)) await clients.checkOtlp(request);
    clients.forgetEnvelopes();
  });
  await using ingest = new IngestFuzzer();
  const answers = await fuzzFor(seconds, seed, ingest.outcomes, async (seed) => {
    const property = fc.asyncProperty(hostileAnswer, (answer) => ingest.check(answer));
    await fc.assert(property, { seed, numRuns: 25 });
  });
  return requests && answers ? 0 : 1;
}

/** Runs batches, each with a seed of its own. Returns whether memory has not grown. */
async function fuzzFor(
  seconds: number,
  firstSeed: number,
  outcomes: ReadonlyMap<string, number>,
  runBatch: (seed: number) => Promise<void>,
): Promise<boolean> {
  const end = performance.now() + 1_000 * seconds;
  let seed = firstSeed;
  let afterWarmUp = 0;
  // Printed before each batch, because an uncaught error ends the process.
  for (; performance.now() < end || seed <= firstSeed + WARM_UP_BATCHES; seed++) {
    console.log(`To repeat: deno task fuzz --seed=${seed}`);
    await runBatch(seed);
    if (seed === firstSeed + WARM_UP_BATCHES) afterWarmUp = memoryInUse();
  }
  for (const [outcome, count] of [...outcomes].sort()) {
    console.log(`${String(count).padStart(9)}  ${outcome}`);
  }
  const grown = memoryInUse() - afterWarmUp;
  console.log(`Memory in use has grown by ${(grown / 1024 / 1024).toFixed(1)} MiB.`);
  if (grown > MAX_GROWTH_BYTES) console.error(`FAILED. Allowed are ${MAX_GROWTH_BYTES} bytes.`);
  return grown <= MAX_GROWTH_BYTES;
}

/**
 * Reachable bytes after garbage collection. Does not include leaks of native code: Deno 2.9.6 leaks some
 * 20 KB, and prints "leaking memory block", for each brotli body with corrupt context maps.
 */
function memoryInUse(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("deno task fuzz runs with --v8-flags=--expose-gc.");
  gc();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

await runTask(fuzz, 2);
