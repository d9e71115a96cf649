/** The server in relay mode: its resident memory for many large envelopes at once, and its start. */
import { setTimeout } from "node:timers/promises";
import { startRelaying } from "../tests/harness/relaying_server.ts";
import { untilDrained } from "../tests/harness/server_health.ts";
import { startStandInIngest, takesSlowly } from "../tests/harness/stand_in_ingest.ts";
import { type ServerProcess, startServer } from "../tests/harness/server_process.ts";
import { BUDGETS } from "./budgets.ts";
import { budgeted, type Figure } from "./figures.ts";
import { flood } from "./flood.ts";

const MIB = 1024 * 1024;
const COUNT = 1_000;
/** How long the ingest takes for each envelope. */
const INGEST_MS = 1_000;
/** Until the memory of the first envelope is given back. */
const WARM_UP_MS = 2_000;
const SAMPLE_MS = 20;
const GIVE_BACK_MS = 30_000;
/** `getconf PAGESIZE` on Linux. */
const PAGE_BYTES = 4_096;
const STARTS = 5;

/** Linux only (`/proc`). */
export async function bench(): Promise<Figure[]> {
  return [...await measureFlood(), await measureStart()];
}

async function measureFlood(): Promise<Figure[]> {
  await using ingest = startStandInIngest({ keepRequests: false });
  ingest.behave(takesSlowly(INGEST_MS));
  await using server = await startRelaying(ingest);
  const host = `127.0.0.1:${server.port}`;

  // Code that is loaded and compiled at the first envelope does not count.
  await flood({ host, count: 1, bytes: 1_000 });
  await setTimeout(WARM_UP_MS);
  const idle = residentMib(server);
  let peak = idle;
  const sampling = setInterval(() => peak = Math.max(peak, residentMib(server)), SAMPLE_MS);
  await flood({ host, count: COUNT, bytes: MIB });
  const answeredAt = performance.now();
  await untilDrained(server);
  clearInterval(sampling);
  await setTimeout(answeredAt + GIVE_BACK_MS - performance.now());
  const left = residentMib(server);
  return [
    budgeted(BUDGETS.idleMemory, idle),
    budgeted(BUDGETS.addedMemory, peak - idle),
    budgeted(BUDGETS.memoryLeft, (left - idle) / (peak - idle)),
  ];
}

/** From the start of the process until it has answered a request for the page. */
async function measureStart(): Promise<Figure> {
  const times: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const start = performance.now();
    await using server = await startServer();
    const { ok, body } = await fetch(server.origin);
    if (!ok) throw new Error("The page was not served.");
    times.push(performance.now() - start);
    await body?.cancel();
  }
  return budgeted(BUDGETS.warmStart, ...times);
}

const residentMib = ({ pid }: ServerProcess): number =>
  Number(Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1]) * PAGE_BYTES / MIB;
