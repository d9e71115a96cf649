/**
 * `deno task fuzz [--seconds=N] [--seed=S]`: posts hostile envelopes to the real relay for N seconds (default 30) and
 * holds every answer, and the reader, against the contract; then looks whether memory has grown. Prints the seed, how
 * requests ended, and the smallest failing one. Exits with 1 if one fails or memory has grown.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { EnvelopeError } from "../monitoring/envelope/envelope_error.ts";
import { readEnvelope } from "../monitoring/envelope/reader.ts";
import { readByReference } from "../monitoring/envelope/testdata/reference_reader.ts";
import { type FuzzedRelay, startFuzzedRelay } from "../tests/fuzz/fuzzed_relay.ts";
import { type HostileRequest, hostileRequest } from "../tests/fuzz/hostile_request.ts";

/** Requests from one seed. Between two batches an hour passes for the relay, so each stands by itself. */
const BATCH = 500;

/** Batches before memory is measured first: until then the engine still compiles and fills its pools. */
const WARM_UP = 6;

/** What the heap and the memory outside it may have grown by, after collection: a leak of 1 KB a request shows in seconds. */
const MAX_GROWTH_BYTES = 8 * 1024 * 1024;

const PROGRESS_MS = 5_000;

const MIB = 1024 * 1024;

interface FuzzOptions {
  readonly seconds: number;
  readonly seed: number;
}

/** @throws {RangeError} with a message made to be printed */
export function readFuzzOptions(args: readonly string[], seed: number): FuzzOptions {
  const options = { seconds: 30, seed };
  for (const arg of args) {
    const [, name, value] = /^--(seconds|seed)=(\d{1,9})$/.exec(arg) ?? [];
    if (name !== "seconds" && name !== "seed") {
      throw new RangeError(`Unknown option ${arg}: known are --seconds=N and --seed=S.`);
    }
    options[name] = Number(value);
  }
  return options;
}

/** Fuzzes. Returns whether all is well. */
async function fuzz({ seconds, seed }: FuzzOptions): Promise<boolean> {
  console.log(`Seed ${seed}, ${seconds} s`);
  await using relay = startFuzzedRelay();
  const end = performance.now() + 1000 * seconds;
  let shown = performance.now();
  let first: number | undefined;
  let batches = 0;
  // What no answer waits for ends the process: say from which seed it came, and let it.
  globalThis.addEventListener("error", () => console.error(repeatWith(seed + batches)));
  do {
    const failure = await runBatch(relay, seed + batches);
    if (failure !== undefined) {
      console.error(`${repeatWith(seed + batches)}\n${failure}`);
      return false;
    }
    batches++;
    relay.forget();
    if (batches === WARM_UP) first = memoryInUse();
    if (performance.now() - shown > PROGRESS_MS) {
      shown = performance.now();
      const left = Math.max(0, Math.ceil((end - shown) / 1000));
      const used = (memoryInUse() / MIB).toFixed(1);
      console.log(`${batches * BATCH} requests, ${used} MiB in use, ${left} s to go`);
    }
  } while (performance.now() < end || batches <= WARM_UP);

  for (const [ending, count] of [...relay.endings].sort()) {
    console.log(`${String(count).padStart(9)}  ${ending}`);
  }
  const grown = memoryInUse() - (first ?? 0);
  console.log(
    `${
      batches * BATCH
    } requests, all answered as the contract says; memory in use after collection: ` +
      `${(grown / MIB).toFixed(1)} MiB more than after the first ${WARM_UP * BATCH}`,
  );
  if (grown > MAX_GROWTH_BYTES) {
    console.error(`FAILED. Memory may grow by ${MAX_GROWTH_BYTES / MIB} MiB at most.`);
    return false;
  }
  return true;
}

const repeatWith = (seed: number) => `FAILED. The same again: deno task fuzz --seed=${seed}`;

/** Returns what is wrong, with the smallest request that shows it. */
async function runBatch(relay: FuzzedRelay, seed: number): Promise<string | undefined> {
  const property = fc.asyncProperty(hostileRequest, async (request) => {
    readersAgree(request);
    await relay.check(request);
  });
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: BATCH });
  if (!failed) return undefined;
  return errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
}

function readersAgree({ body }: HostileRequest): void {
  assert.deepEqual(
    itemsRead(body),
    readByReference([...body])?.items.map(({ payload }) => payload),
  );
}

function itemsRead(body: Uint8Array): number[][] | undefined {
  try {
    return readEnvelope(body).items.map(({ payload }) => [...payload]);
  } catch (error) {
    // Anything else is a crash.
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}

/**
 * Bytes that are still reachable: `--v8-flags=--expose-gc` gives the collection. What the runtime's own native code loses
 * is not among them: Deno 2.9.6 loses some 20 KB, and says so on standard output ("leaking memory block"), for each
 * brotli body that is corrupt in its context maps.
 */
function memoryInUse(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("deno task fuzz runs with --v8-flags=--expose-gc.");
  gc();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

if (import.meta.main) {
  try {
    if (!await fuzz(readFuzzOptions(Deno.args, Date.now() % 1_000_000_000))) Deno.exitCode = 1;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    Deno.exitCode = 2;
  }
}
