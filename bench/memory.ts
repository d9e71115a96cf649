import { flood, type FloodAnswer, floodId } from "../tests/relay/_flood.ts";
import { DSN } from "../tests/relay/_start_relay.ts";
import { healthOf } from "../tests/server_health.ts";
import { startStandInIngest, takesSlowly } from "../tests/stand_in_ingest.ts";
import { type ServerProcess, startServer } from "../tests/server_process.ts";
import { MEMORY_BUDGETS } from "./budgets.ts";
import { type Figure, figure } from "./figures.ts";

const MIB = 1024 * 1024;
const COUNT = 1_000;
const BYTES = MIB;
/** How long the ingest takes for each envelope. */
const INGEST_MS = 1_000;
/** Until the memory of the first envelope is given back. */
const WARM_UP_MS = 2_000;
const SAMPLE_MS = 20;
/** Maximum wait until memory is given back. */
const GIVE_BACK_MS = 30_000;
const POLL_MS = 100;
/** `getconf PAGESIZE` on Linux. */
const PAGE_BYTES = 4_096;

/**
 * Resident memory of the server for {@linkcode COUNT} concurrent envelopes of 1 MiB, while its ingest takes a second for
 * each: idle, the most during the flood, and what is left after it. Linux only (`/proc`).
 *
 * @throws if an acknowledged envelope was lost, or an answer violates the contract
 */
export async function bench(): Promise<Figure[]> {
  const arrived = new Set<string>();
  await using ingest = startStandInIngest({ keepRequests: false });
  ingest.behave(({ body }) => {
    const id = floodId(body, BYTES);
    if (id !== undefined) arrived.add(id);
    return takesSlowly(INGEST_MS);
  });
  await using server = await startServer({
    env: { SENTRY_DSN: DSN, RELAY_UPSTREAM: ingest.origin },
  });

  // Code that is loaded and compiled at the first envelope does not count.
  await flood({ host: hostOf(server), count: 1, bytes: 1_000 });
  await pause(WARM_UP_MS);
  const idle = rss(server);

  let peak = idle;
  const sampling = setInterval(() => peak = Math.max(peak, rss(server)), SAMPLE_MS);
  const answers = await flood({ host: hostOf(server), count: COUNT, bytes: BYTES });
  const answeredAt = performance.now();
  await untilDelivered(server);
  clearInterval(sampling);

  let left = rss(server);
  const maxLeft = idle + MEMORY_BUDGETS.left.limit.most * (peak - idle);
  while (left > maxLeft && performance.now() - answeredAt < GIVE_BACK_MS) {
    await pause(POLL_MS);
    left = rss(server);
  }
  const seconds = (performance.now() - answeredAt) / 1_000;

  console.log(`  answers: ${tally(answers)}`);
  const lost = answers.filter(({ id, status }) => status < 300 && !arrived.has(id));
  const invalid = answers.filter(({ status, error }) =>
    !(status === 200 || status === 202 || (status === 503 && error === "overloaded"))
  );
  if (lost.length > 0 || invalid.length > 0) {
    throw new Error(
      `${lost.length} envelopes were lost, ${invalid.length} answers violate the contract.`,
    );
  }
  return [
    figure("idle, relay mode with its spool", [idle / MIB], MEMORY_BUDGETS.idle),
    figure("added", [(peak - idle) / MIB], MEMORY_BUDGETS.added),
    figure("not given back", [(left - idle) / MIB], "MiB"),
    figure(
      "not given back, of what was added",
      [(left - idle) / (peak - idle)],
      MEMORY_BUDGETS.left,
    ),
    figure("after the last answer", [seconds], "s"),
  ];
}

function rss({ pid }: ServerProcess): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1]) * PAGE_BYTES;
}

/** Resolves when nothing is in flight or in the spool. */
async function untilDelivered(server: ServerProcess): Promise<void> {
  for (;;) {
    const { spool, in_flight_bytes } = await healthOf(server);
    if (spool.pending === 0 && in_flight_bytes === 0) return;
    await pause(POLL_MS);
  }
}

/** "990 × 200, 10 × 503 overloaded" */
function tally(answers: readonly FloodAnswer[]): string {
  const kinds = Object.groupBy(answers, ({ status, error = "" }) => `${status} ${error}`.trim());
  return Object.entries(kinds).map(([kind, ofKind]) => `${ofKind?.length} × ${kind}`).join(", ");
}

function hostOf({ port }: ServerProcess): string {
  return `127.0.0.1:${port}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
