import { fileURLToPath } from "node:url";
import { runProgram } from "../tests/harness/run_program.ts";

/** Concurrent connections: as many as a burst of pages opens. */
const CONNECTIONS = 32;
/** Load before the first round, so that a server runs compiled code. */
const WARM_UP_SECONDS = 3;
const ROUND_SECONDS = 2;
/** `getconf CLK_TCK`: 100 on every Linux that Deno supports. */
const TICK_MICROS = 10_000;

interface Target {
  readonly origin: string;
  readonly pid: number;
}

interface Load {
  readonly dsn: string;
  /** Size of each envelope's payload. */
  readonly bytes: number;
}

/** Measures servers in turns: other work affects all. Returns envelopes per second and CPU time for each, by round. */
export async function measureRounds(servers: readonly Target[], load: Load, rounds: number) {
  for (const server of servers) await postFor(WARM_UP_SECONDS, server, load);
  const all = servers.map((server) => ({ server, rates: [] as number[], micros: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { server, rates, micros } of all) {
      const before = cpuMicros(server);
      const rate = await postFor(ROUND_SECONDS, server, load);
      rates.push(rate);
      micros.push((cpuMicros(server) - before) / (rate * ROUND_SECONDS));
    }
  }
  return all;
}

/** Part of each envelope's id, so that no run repeats an id of another one: relays drop duplicates. */
let runs = 0;

/** Posts envelopes with wrk. Returns answered ones per second. @throws an envelope was not accepted */
async function postFor(seconds: number, { origin }: Target, { dsn, bytes }: Load): Promise<number> {
  const script = fileURLToPath(new URL("envelopes.lua", import.meta.url));
  const run = (++runs).toString(16).padStart(16, "0");
  const { output } = await runProgram("wrk", [
    ...["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script],
    ...[`${origin}/monitoring`, "--", dsn, `${bytes}`, run],
  ]);
  const [, count, micros, failed] = /^RESULT (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
  if (count === undefined || failed !== "0") {
    throw new Error(`Cannot measure: not every envelope was accepted.\n${output}`);
  }
  return Number(count) / (Number(micros) / 1e6);
}

/** User and system time of a process since its start; 0 without `/proc`. */
export function cpuMicros({ pid }: Pick<Target, "pid">): number {
  if (Deno.build.os !== "linux") return 0;
  // The second field is the program's name in parentheses, which may contain spaces.
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}
