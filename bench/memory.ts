/** The server in relay mode: its resident memory for many large envelopes at once, and its start. */
import { setTimeout } from "node:timers/promises";
import { DSN, envelope } from "../tests/relay/_start_relay.ts";
import { startRelaying } from "../tests/harness/relaying_server.ts";
import { untilDrained } from "../tests/harness/server_health.ts";
import { startStandInIngest, takesSlowly } from "../tests/harness/stand_in_ingest.ts";
import { type ServerProcess, startServer } from "../tests/harness/server_process.ts";
import { TcpClient } from "../tests/harness/tcp_client.ts";
import { BUDGETS } from "./budgets.ts";
import { budgeted, type Figure } from "./figures.ts";

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

export async function bench(): Promise<Figure[]> {
  return [...await measureFlood(), await measureStart()];
}

async function measureFlood(): Promise<Figure[]> {
  await using ingest = startStandInIngest({ keepRequests: false });
  ingest.behave(takesSlowly(INGEST_MS));
  await using server = await startRelaying(ingest);

  // Code that is loaded and compiled at the first envelope does not count.
  await flood(server, 1, 1_000);
  await setTimeout(WARM_UP_MS);
  const idle = residentMib(server);
  let peak = idle;
  const sampling = setInterval(() => peak = Math.max(peak, residentMib(server)), SAMPLE_MS);
  await flood(server, COUNT, MIB);
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

/** Sends envelopes at once, each over its own connection. Rejects if one is not answered. */
async function flood({ port }: ServerProcess, count: number, bytes: number): Promise<void> {
  // One buffer for all, so that the client needs little memory.
  const payload = new Uint8Array(bytes).fill(0x61);
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    // A prefix, because the server also sends envelopes of its own.
    const id = `f100d${n.toString(16).padStart(27, "0")}`;
    const head = envelope({ event_id: id, dsn: DSN }, []);
    const item = envelope({ type: "attachment", length: bytes }, []);
    using client = await TcpClient.connect(port);
    await client.sendHead({ "content-length": `${head.length + item.length + bytes}` });
    // The relay may refuse it, and close the connection, before all is sent.
    const sending = client.send(head).then(() => client.send(item))
      .then(() => client.send(payload));
    await client.answer();
    await sending;
  }));
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
