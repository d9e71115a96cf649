import type { BenchServer } from "./bench_server.ts";
import { measureThroughput } from "./measure_throughput.ts";

const ROUNDS = 5;
const ROUND_SECONDS = 2;
/** Load before the first round, so that every server runs compiled code. */
const WARM_UP_SECONDS = 3;
/** `getconf CLK_TCK`: 100 on every Linux that Deno supports. */
const TICK_MICROS = 10_000;

/** Sizes of the envelopes, by the name in the report. */
export const SIZES = [{ size: "2 KB", bytes: 2_000 }, { size: "200 KB", bytes: 200_000 }] as const;

/** One server's values of each round. */
export interface Rounds {
  /** Envelopes per second. */
  readonly rates: number[];
  /** User and system time of its process for each envelope, in microseconds. */
  readonly micros: number[];
}

/**
 * Measures throughput and CPU time of servers, by name. Rounds alternate between the servers, so that other work of the
 * machine affects all of them. Linux only (`/proc`).
 */
export async function measureRounds(
  servers: ReadonlyMap<string, Pick<BenchServer, "origin" | "pid">>,
  load: { readonly dsn: string; readonly bytes: number },
): Promise<ReadonlyMap<string, Rounds>> {
  const all = new Map<string, Rounds>();
  for (const [name, server] of servers) {
    all.set(name, { rates: [], micros: [] });
    await measureThroughput(server, { ...load, seconds: WARM_UP_SECONDS });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { rates, micros }] of all) {
      const server = servers.get(name)!;
      const before = cpuMicros(server.pid);
      const rate = await measureThroughput(server, { ...load, seconds: ROUND_SECONDS });
      rates.push(rate);
      micros.push((cpuMicros(server.pid) - before) / (rate * ROUND_SECONDS));
    }
  }
  return all;
}

/** User and system time of a process since its start. */
function cpuMicros(pid: number): number {
  // The second field is the program's name in parentheses, which may contain spaces.
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}
