import type { BenchServer } from "./bench_server.ts";
import { type LoadOptions, measureThroughput } from "./measure_throughput.ts";

/** On a shared machine single rounds differ by a fifth and more. */
const ROUNDS = 11;
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
  /** User and system time of its processes for each envelope, in microseconds. */
  readonly micros: number[];
}

/**
 * Measures throughput and CPU time of servers, by name. Rounds alternate between the servers, so that other work of the
 * machine affects all of them. Linux only (`/proc`).
 */
export async function measureRounds(
  servers: ReadonlyMap<string, Pick<BenchServer, "origin" | "pid">>,
  load: Omit<LoadOptions, "seconds">,
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

/** User and system time of a process and all below it, in microseconds, since their start. */
export function cpuMicros(pid: number): number {
  try {
    // The second field is the program's name in parentheses, which may contain spaces.
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
    // utime, stime, and those of the children that have ended.
    let micros = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MICROS;
    for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
      const children = Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`);
      for (const child of children.match(/\d+/g) ?? []) micros += cpuMicros(Number(child));
    }
    return micros;
  } catch (error) {
    // It has ended: its parent counts its time.
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
