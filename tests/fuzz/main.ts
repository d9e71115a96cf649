/**
 * `deno task fuzz [--seconds=N] [--seed=S]`: for half of N seconds (default 30) clients post hostile requests to a relay;
 * for the other half an ingest gives a relay in another process hostile answers. Checks every response against the
 * contract, and whether memory grows. Prints the seed, the outcomes and the smallest failing case. Exits with 1 if a
 * check fails, a process ends or memory grows.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { EnvelopeError } from "../../monitoring/protocol/envelope.ts";
import { readEnvelope } from "../../monitoring/protocol/scanner.ts";
import { readByReference } from "../../monitoring/protocol/testdata/reference_reader.ts";
import { startClientFuzzer } from "./client_fuzzer.ts";
import { startIngestFuzzer } from "./ingest_fuzzer.ts";
import { type HostileAnswer, hostileAnswer } from "./hostile_answer.ts";
import { type HostileRequest, hostileRequest } from "./hostile_request.ts";
import { readArguments, readWholeNumber, runTask } from "../../tools/command_line.ts";

const DEFAULT_SECONDS = 30;
/** Batches before memory is first measured: the engine compiles code and fills its pools. */
const WARM_UP_BATCHES = 6;

/** Allowed growth of heap and external memory after garbage collection. Shows a leak of 1 KB a request in seconds. */
const MAX_GROWTH_BYTES = 8 * 1024 * 1024;

const PROGRESS_MS = 5_000;

const MIB = 1024 * 1024;

/** One side of the relay that is fuzzed. */
interface FuzzTarget {
  readonly name: string;
  /** Number of cases from one seed. */
  readonly batchSize: number;
  readonly property:
    | fc.IAsyncPropertyWithHooks<[HostileRequest]>
    | fc.IAsyncPropertyWithHooks<[HostileAnswer]>;
  readonly outcomes: ReadonlyMap<string, number>;
  /** Called after each batch, so that batches are independent. */
  reset(): void;
  memoryInUse(): Promise<number> | number;
}

/** Fuzzes both sides. Returns the exit code. */
async function fuzz(): Promise<number> {
  const { values } = readArguments("fuzz", "deno task fuzz [--seconds=N] [--seed=S]", {
    args: Deno.args,
    options: { seconds: { type: "string" }, seed: { type: "string" } },
  });
  const seconds = readWholeNumber("seconds", values.seconds) ?? DEFAULT_SECONDS;
  const seed = readWholeNumber("seed", values.seed) ?? Date.now() % 1_000_000_000;
  console.log(`Seed ${seed}, ${seconds} s`);
  return await fuzzClients(seconds / 2, seed) && await fuzzIngest(seconds / 2, seed) ? 0 : 1;
}

async function fuzzClients(seconds: number, seed: number): Promise<boolean> {
  await using clients = startClientFuzzer();
  return await fuzzTarget(
    {
      name: "hostile clients",
      batchSize: 500,
      property: fc.asyncProperty(hostileRequest, async (request) => {
        expectSameItems(request);
        await clients.check(request);
      }),
      outcomes: clients.outcomes,
      reset: () => clients.forgetEnvelopes(),
      memoryInUse,
    },
    seconds,
    seed,
  );
}

async function fuzzIngest(seconds: number, seed: number): Promise<boolean> {
  await using ingest = startIngestFuzzer();
  return await fuzzTarget(
    {
      name: "a hostile ingest",
      batchSize: 25,
      property: fc.asyncProperty(hostileAnswer, (answer) => ingest.check(answer)),
      outcomes: ingest.outcomes,
      // The fuzzer advances the clock by an hour after each answer.
      reset() {},
      memoryInUse: () => ingest.memoryInUse(),
    },
    seconds,
    seed,
  );
}

async function fuzzTarget(target: FuzzTarget, seconds: number, seed: number): Promise<boolean> {
  const { name, batchSize } = target;
  const end = performance.now() + 1000 * seconds;
  let reportedAt = performance.now();
  let bytesAfterWarmUp = 0;
  let batches = 0;
  // An uncaught error ends the process: print the seed before.
  const onError = () => console.error(repeatWith(seed + batches));
  globalThis.addEventListener("error", onError);
  do {
    const failure = await runBatch(target, seed + batches);
    if (failure !== undefined) {
      console.error(`${repeatWith(seed + batches)}\n${failure}`);
      return false;
    }
    batches++;
    target.reset();
    if (batches === WARM_UP_BATCHES) bytesAfterWarmUp = await target.memoryInUse();
    if (performance.now() - reportedAt > PROGRESS_MS) {
      reportedAt = performance.now();
      const left = Math.max(0, Math.ceil((end - reportedAt) / 1000));
      const used = (await target.memoryInUse() / MIB).toFixed(1);
      console.log(`${name}: ${batches * batchSize} runs, ${used} MiB in use, ${left} s left`);
    }
  } while (performance.now() < end || batches <= WARM_UP_BATCHES);
  globalThis.removeEventListener("error", onError);

  for (const [outcome, count] of [...target.outcomes].sort()) {
    console.log(`${String(count).padStart(9)}  ${outcome}`);
  }
  const grown = await target.memoryInUse() - bytesAfterWarmUp;
  console.log(
    `${name}: ${
      batches * batchSize
    } runs, all as the contract requires; memory in use after collection: ` +
      `${(grown / MIB).toFixed(1)} MiB more than after the first ${WARM_UP_BATCHES * batchSize}`,
  );
  if (grown > MAX_GROWTH_BYTES) {
    console.error(`FAILED. Memory may grow by ${MAX_GROWTH_BYTES / MIB} MiB at most.`);
    return false;
  }
  return true;
}

const repeatWith = (seed: number) => `FAILED. To repeat: deno task fuzz --seed=${seed}`;

/** Runs one batch. Returns the error with the smallest failing case. */
async function runBatch(
  { property, batchSize }: FuzzTarget,
  seed: number,
): Promise<string | undefined> {
  const { failed, errorInstance } = await fc.check(
    property as fc.IAsyncPropertyWithHooks<[unknown]>,
    { seed, numRuns: batchSize },
  );
  if (!failed) return undefined;
  return errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
}

/** Checks that the relay's parser and the reference parser find the same items. */
function expectSameItems({ body }: HostileRequest): void {
  assert.deepEqual(
    readItems(body),
    readByReference([...body])?.items.map(({ payload }) => payload),
  );
}

function readItems(body: Uint8Array): number[][] | undefined {
  try {
    return readEnvelope(body).items.map(({ payload }) => [...payload]);
  } catch (error) {
    // Anything else is a crash.
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
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
